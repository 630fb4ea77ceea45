"""Lemmas by induction: proved while a proof is searched, and proved again when it is replayed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..kernel.index import Index
from ..kernel.induction import induction
from ..kernel.term import Factor, Term
from ..kernel.theorem import Theorem
from . import encoding, tape
from .session import Lemma, current
from .unfolding import tactic


def by_induction(
    when: Index, claims: Sequence[tuple[Factor, Term]], rules: Sequence[Theorem] = ()
) -> Lemma:
    """factor = term for every value of `when`, all claims together; a lemma from now on.

    Raises:
        KernelError: if the start or the step is not shown.
    """
    variables = set(when.variables())
    for factor, right in claims:
        variables |= factor.variables() | right.scope
    written = [[encoding.factor_to(f), encoding.term_to(right)] for f, right in claims]
    made = tape.lasting(
        "lemma",
        lambda: induction(when, claims, tactic, rules),
        [encoding.index_to(when), written],
        {v for v in variables if v > 0},
    )
    lemma = Lemma(when, list(claims), made)
    current().inductions.append(lemma)
    current().lemmas += made
    return lemma


@tape.redone("lemma")
def _again(when: Any, claims: Any) -> Lemma:
    found = []
    for one in encoding.items(claims, "claims"):
        factor, right = encoding.items(one, "a claim", 2)
        found.append((encoding.factor_of(factor), encoding.term_of(right)))
    return by_induction(encoding.index_of(when), found)
