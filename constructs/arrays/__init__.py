"""What a definition may use: its arguments' namespace, `scan`, `iterate`, `build`, `gradient`, norms."""
