"""Running the constructions of the ledger at real sizes, beside their learner, with a rounding bound."""
