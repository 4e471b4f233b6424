"""From a fuzz spec to distinct, seeded test cases."""
