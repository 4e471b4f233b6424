"""The paper's tables, figures and statistics, rebuilt from score tables: the published ones or those of one's own runs.

One module a question, each runnable alone (`python -m analysis.rq1_overall results=outputs`), over `frame.py` (load, validate) and
`stats.py` (pure functions). Nothing here runs a model, a sandbox or a judge.
"""
