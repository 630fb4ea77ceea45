"""How it runs: the definitions on accelerators, and how far rounding can take them from the exact value."""
