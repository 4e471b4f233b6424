"""MLflow, the record of experiments."""
