"""The constructions of the ledger at size: which layer, tokens, learner and output belong to a statement, as data."""
