"""All bounds of a claim: first those of products, then those of layers by induction, then the others."""

from __future__ import annotations

from collections.abc import Sequence

from ..language.claim import Claim
from ..language.statements import AtMost
from ..reading.claims import Part, Reading
from ..search.session import current
from .context import Bound, begun
from .goals import shown
from .hypotheses import goal_of
from .layers import by_induction, timed
from .products import of_products


def bounded(parts: Sequence[Part], reading: Reading, claim: Claim) -> list[Bound]:
    """Proofs of all the bounds among the parts.

    Raises:
        NotProved: if there is one that is not seen to hold.
        TooHard: if the kernel, or the search, gives up.
    """
    wanted = [part for part in parts if part.kind is AtMost]
    if not wanted:
        return []
    goals = [goal_of(part) for part in wanted]
    context = begun(reading.conditions)
    for one in of_products(goals, context.known, current()):
        *_, context = by_induction([one], context, shown)
    layered = {k: timed(goal, current()) for k, goal in enumerate(goals)}
    every = {k: one for k, one in layered.items() if one is not None}
    found: dict[int, Bound] = {}
    for length in dict.fromkeys(one.length for one in every.values()):
        own = [k for k, one in every.items() if one.length == length]
        kept, proofs, context = by_induction([every[k] for k in own], context, shown)
        for one, proof in zip(kept, proofs, strict=True):
            found[next(k for k in own if every[k] is one)] = proof
    for k, goal in enumerate(goals):
        if k not in found:
            found[k] = shown(goal, context)
        for theorem in found[k].theorems:
            reading.expect_turns(theorem.left, theorem.right, (*wanted[k].left.at, *found[k].times))
    return [found[k] for k in range(len(goals))]
