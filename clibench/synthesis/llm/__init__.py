"""Schema extraction and fuzz specs by a model, as in the paper (II-B), checked against what the help says and what the oracle does."""
