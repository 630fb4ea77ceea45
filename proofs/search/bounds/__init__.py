"""Bounds for all sizes: a norm of a difference is at most an explicit term, from hypotheses of the same form.

The left side's monomials are bounded one by one (`majorant.py`), after leading parts have cancelled; that right −
majorant ≥ 0 is shown by a certificate, a sum of products of what is ≥ 0 (`signs.py`), which the kernel proves to be
equal to it. `layers.py` does this by induction on a recursion's time. What is known is in `facts.py` and comes from
the claim's conditions (`hypotheses.py`). Certificates and ways to cancel are found by `certificates.py`, `simplex.py`
and `differences.py`; these are not trusted, nor is what a proof file says they found.
"""
