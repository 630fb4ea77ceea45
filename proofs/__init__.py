"""Why it is true: readings of the definitions, evidence, claims and reports."""
