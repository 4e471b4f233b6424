"""Build, record, compare, judge, score."""
