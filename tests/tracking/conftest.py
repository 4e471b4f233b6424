"""Tests import MLflow themselves, so it is told to keep quiet before."""

from clibench.tracking.mlflow_log import quieten_mlflow

quieten_mlflow()
