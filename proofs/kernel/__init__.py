"""The trusted kernel: equations between sums of indexed products, proved for all sizes.

A term is a sum of monomials. A monomial is a rational number times factors, summed over bound indices in ℤ; guards
[e ≥ 0], e linear in indices and sizes, say where it counts. A range is a pair of guards and an equation another, so
that a rule never has to remember one: putting s for j into Σ_j [j = s][0 ≤ j < n] X[j] leaves [0 ≤ s < n] X[s].

`index.py` has the indices, `inequalities.py` decides guards, `term.py` is the language, `rules.py` has the rules by
which a term is rewritten, `theorem.py` makes theorems from them: equations, recursions, induction. Which rule is
applied where is found outside (`proofs/search`); the kernel checks every step and believes none.
"""
