"""Mutants: small defects in the oracle's own source, to see whether the cases of its task notice."""
