"""The trusted kernel: equations between sums of indexed products, proved for all sizes.

A term is a sum of monomials. A monomial is a rational number times factors, summed over bound indices in ℤ; guards
[e ≥ 0], e linear in indices and sizes, say where it counts. A range is a pair of guards and an equation another, so
that a rule never has to remember one: substituting s for j in Σ_j [j = s][0 ≤ j < n] X[j] leaves [0 ≤ s < n] X[s].

`index.py` has the indices, `inequalities.py` decides guards, `term.py` is the language, `rules.py` has the rules by
which a sum is rewritten and shown to be 0. A theorem (`theorem.py`) is made in three ways: by such a proof of an
equation, by a recursion that defines states (`recursion.py`), and by induction (`induction.py`). Which rule is applied
where is found outside (`proofs/search`); the kernel checks every step and believes none.

It is made to be safe from mistakes, in any order, of any kind. It is not safe from malice: Python has no walls, and an
object that lies about its type or its length, or writes to what is private, gets what it wants.
"""
