"""The steps of a job, each a unit of the store: generate, build, record, judge."""
