"""One client for every model call: retries, price ledger, budget, cache."""
