"""Tables and pages made from results: scores.csv, tasks.csv, cases.parquet, index.html."""

from clibench.report.write import write_report

__all__ = ["write_report"]
