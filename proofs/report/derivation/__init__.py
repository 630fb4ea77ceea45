"""Derivations: proofs as numbered lines, each with its reason, in text, Markdown and LaTeX.

`expression.py` is what formulas are made of and `document.py` what lines are; `terms.py` and `derive.py` make them
from the kernel's terms and proofs (`prover.py` is all that they know of the prover); `text.py`, `latex.py` and
`markdown.py` print them.
"""
