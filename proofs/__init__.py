"""Why it is true: interpretations of the definitions, evidence, claims and reports."""
