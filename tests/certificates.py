"""Recorded proofs of the ledger, changed in any way, against claims that are false: what replays them must refuse."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

from scanproof.proofs.evidence import all_sizes
from scanproof.proofs.evidence.engines import FLINT, holds
from scanproof.proofs.language.claim import Claim
from scanproof.proofs.language.statements import Equal
from scanproof.proofs.ledger import built_in
from scanproof.proofs.reading.array import Namespace
from scanproof.proofs.search import tape

Change = Callable[[Any, Any], Any]
"""(left side, right side) -> another right side."""


def _first_row(left: Any, right: Any) -> Any:
    """What holds of the first entry along an axis, said of all."""
    return 0 * right + right[:1] if right.ndim else right


CHANGES: dict[str, Change] = {
    "twice": lambda left, right: 2 * right,
    "one more": lambda left, right: right + 1,
    "the other sign": lambda left, right: -right,
    "the first row for all": _first_row,
    "the axes exchanged": lambda left, right: right.T,
    "the left side twice, less the right": lambda left, right: 3 * left - right,
}


def false_claims(claim: Claim) -> Iterator[tuple[str, Claim]]:
    """The claim with the right side of its first equation changed, where that makes it false at one of its sizes."""
    for name, change in CHANGES.items():
        changed = replace(claim, body=_changed(claim.body, change))
        try:
            wrong = any(
                not all(holds(s) for s in FLINT.statements(changed, sizes) if isinstance(s, Equal))
                for sizes in claim.every_size
            )
        except Exception:  # such a change is not for arrays of this shape
            continue
        if wrong:
            yield name, changed


def _changed(body: Any, change: Change) -> Any:
    from functools import wraps

    @wraps(body)
    def run(*args: Any, **kwargs: Any) -> Any:
        found = body(*args, **kwargs)
        statements = [found] if isinstance(found, Equal) else list(found)
        first = statements[0]
        if not isinstance(first, Equal):
            return statements
        right = (
            first.right if hasattr(first.right, "dims") or hasattr(first.right, "entries") else None
        )
        if right is None:
            right = Namespace().asarray(first.right) if hasattr(first.left, "dims") else first.right
        return [replace(first, right=change(first.left, right)), *statements[1:]]

    return run


@cache
def recorded() -> dict[str, tuple[Claim, list[Any]]]:
    """The tapes of claims that are proved for all sizes by equations, by id."""
    found = {}
    for row in built_in().rows:
        for claim in (row.claim, *row.amendments):
            if claim.body is None or not claim.ranges or claim.kind == "bound":
                continue
            if claim.id.startswith(SLOW):
                continue
            recorder = tape.Recorder()
            with tape.using(recorder):
                proof = all_sizes.prove(claim)
            if isinstance(proof, all_sizes.Proof) and proof.theorems and recorder.lines:
                found[claim.id] = claim, recorder.lines
    return found


SLOW = (
    "ssd.thm5",
    "gril.embed",
    "gril.prop4.3",
    "gril.propA",
    "gril.w3",
    "mamba2",
    "linear-attention",
    "open",
)
"""Those that take longer; the others have every kind of line."""


def accepted(claim: Claim, lines: list[Any]) -> bool:
    """Whether the lines are taken for a proof of the claim by the reading and the kernel alone."""
    player = tape.Player(lines)
    try:
        player.check()
        with tape.using(player):
            proof = all_sizes.prove(claim)
        if isinstance(proof, all_sizes.Proof):
            player.finish()
            return True
    except Exception:  # refused, or a body that stumbles over what the lines make of its arrays
        return False
    return False


def scrambled(lines: list[Any], rng: random.Random, others: list[Any]) -> list[Any]:
    """The lines with one to three changes: a number, a name, a line left out, exchanged or from another proof."""
    found = json.loads(json.dumps(lines))
    for _ in range(rng.randint(1, 3)):
        kind = rng.random()
        if kind < 0.1 and len(found) > 1:
            a, b = rng.randrange(len(found)), rng.randrange(len(found))
            found[a], found[b] = found[b], found[a]
        elif kind < 0.15:
            found.insert(rng.randrange(len(found) + 1), json.loads(json.dumps(rng.choice(others))))
        else:
            _change(found, rng)
    return [line for line in found if isinstance(line, list) and line] or [["done"]]


def _change(lines: Any, rng: random.Random) -> None:
    place = lines
    while place:
        n = rng.randrange(len(place))
        if isinstance(place[n], list) and place[n] and rng.random() < 0.85:
            place = place[n]
            continue
        old = place[n]
        if isinstance(old, int):
            place[n] = (
                old + rng.choice((-2, -1, 1, 2)) if rng.random() < 0.8 else rng.choice((0, 1, -1))
            )
        elif isinstance(old, str) and rng.random() < 0.5:
            place[n] = rng.choice(
                (old[::-1], "1", "0", "-1", "2", "1/2", f"-{old}", old.split("'")[0])
            )
        elif rng.random() < 0.5:
            del place[n]
        else:
            place.insert(
                n, rng.choice((old, 0, 1, "1", "2", [], [0, []], [1, []], "clear", "lemma"))
            )
        return


def forged(lines: list[Any], rng: random.Random) -> list[Any]:
    """The lines with a lemma's position set to a number, everywhere: S[t, a] said of S[t, 0] alone."""
    lemmas = [line for line in lines if line[0] == "lemma"]
    if not lemmas:
        return lines
    (_, _, _, _, claims) = rng.choice(lemmas)[:5]
    places = [at for factor, _ in claims for at in factor[1] if at[1]]
    if not places:
        return lines
    old, new = json.dumps(rng.choice(places)), json.dumps([rng.choice((0, 0, 1)), []])
    return json.loads(json.dumps(lines).replace(old, new))


def batch(seed: str, count: int) -> list[str]:
    """So many changed proofs, each against a false claim; those that were taken for proofs of it."""
    rng, wrong = random.Random(seed), []
    every = sorted(recorded())
    lines = [line for id in every for line in recorded()[id][1]]
    tried = 0
    while tried < count:
        claim, own = recorded()[rng.choice(every)]
        false = list(false_claims(claim))
        for _ in range(min(25, count - tried) if false else 0):
            name, one = rng.choice(false)
            made = forged(own, rng) if rng.random() < 0.15 else scrambled(own, rng, lines)
            tried += 1
            if accepted(one, made):
                wrong.append(f"{claim.id}, {name}: {json.dumps(made)}")
    return wrong
