"""`python -m analysis results=published|outputs|mlflow`: every table, figure and statistic."""

from analysis.app import main

if __name__ == "__main__":
    main()
