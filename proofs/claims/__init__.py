"""The ledger: what the sources say, written in the language of claims."""
