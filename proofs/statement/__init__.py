"""A claim as data: sizes, inputs, hypotheses, and relations of nodes, of which each kind has one meaning."""
