"""Inequalities for all sizes: a certificate is checked, and nothing is looked for.

A problem (`statements.py`) says what is given and what is to be shown: inequalities measure(left) ≤ right between terms
of the kernel, each for all values of its variables in their ranges. A certificate (`certificate.py`) is a list of
steps, each of which makes one more inequality from some that it names. `check.py` has the schemas with their side
conditions; it uses `signs.py` (products that are ≥ 0), `absolute.py` (what absolute values are equal to) and `norms.py`
(norms of sums of products). Where two terms are to be equal, that is a theorem of the kernel. `written.py` checks a
certificate as JSON (`parsing.py`), by itself: the kernel's checker shows the equations that are listed with their
proof, and steps find them there. `schemas.py` says which schemas and hypotheses were used.

`python -m scanproof.proofs.inequalities PATH …` does this for files, with what `kernel` does.

Only proofs/kernel and the standard library are imported here. Who found a certificate, and how, is of no account.
"""
