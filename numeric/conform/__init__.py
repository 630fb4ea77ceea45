"""Known answers: exported weights in the library that they are for, run every way it offers, against their bound."""
