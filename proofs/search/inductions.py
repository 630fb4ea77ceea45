"""Lemmas by induction, remembered where they are proved."""

from __future__ import annotations

from collections.abc import Sequence

from ..kernel.index import Index
from ..kernel.induction import induction
from ..kernel.term import Factor, Term
from ..kernel.theorem import Theorem
from .session import Lemma, current
from .unfolding import tactic


def by_induction(
    when: Index, claims: Sequence[tuple[Factor, Term]], rules: Sequence[Theorem] = ()
) -> Lemma:
    """factor = term for every value of `when`, all claims together; a lemma from now on.

    Raises:
        KernelError: if the start or the step is not shown.
    """
    made = induction(when, claims, tactic, rules)
    lemma = Lemma(when, list(claims), made)
    current().inductions.append(lemma)
    current().lemmas += made
    return lemma
