"""Oracle selection: from candidates to tools that install, print their help and work offline (paper II-A)."""
