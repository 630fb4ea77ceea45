"""The rewrite rules of XLA that TensorRight verifies, as pairs of JAX functions of symbolic sizes.

`make tensor-rules` proves them. The rules are those of github.com/ADAPT-uiuc/TensorRight, in rules/xla, by
their folders and numbers there. Ranks are 1 to 4, one axis or two where a rule speaks of any number; what is not a
size, such as a stride, is a number. Nothing is hinted: a rule is its two sides, and conditions are in the shapes.
"""

from . import elementwise, moving, sums

RULES = [*elementwise.RULES, *moving.RULES, *sums.RULES]
"""All rules."""
