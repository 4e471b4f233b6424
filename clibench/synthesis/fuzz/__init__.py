"""From a tool's help to a fuzz spec by rules: which values, files and flags make it succeed is found by running it (paper II-B)."""
