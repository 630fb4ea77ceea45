"""Training layers of `constructs`, and comparing what they have learned with the constructions."""
