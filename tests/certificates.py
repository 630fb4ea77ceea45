"""Written proofs of the ledger, and random changes of them: what is changed must be refused, or prove the very same."""

import json
import random
from collections.abc import Iterator
from functools import cache
from typing import Any

from scanproof.proofs.check.certificate import AllSizes, Argument
from scanproof.proofs.check.certificate_file import read
from scanproof.proofs.decide.certificates import Certificates
from scanproof.proofs.decide.ledger import built_in
from scanproof.proofs.decide.row_verdicts import homes
from scanproof.proofs.interpret.writing import term_to
from scanproof.proofs.kernel.checker import Proved, Refused, check
from scanproof.proofs.language.claim import Claim

Trace = dict[str, Any]

CLAIMS: dict[str, Claim] = {c.id: c for r in built_in().rows for c in (r.claim, *r.amendments)}
VARIED = (
    "ch9.conv",
    "ch9.eq9.8+index",
    "ch9.euler",
    "ch9.state-size",
    "ch9.thm9.1-rescale+sign",
    "gd-ssm.a1-gradient+factor",
    "gd-ssm.cqc-lsa",
    "gd-ssm.eq10",
    "gd-ssm.forms-lti",
    "gd-ssm.prop1-construction+sign",
    "gd-ssm.prop4+vanishing",
    "gril.a1-state+input-sign",
    "gril.a2-construction+scale",
    "gril.a6-softmax+features",
    "gril.eq10",
    "gril.forms+mask",
    "gril.params-gated+elementwise",
    "linear-attention.state",
    "ssd.eq3",
    "ssd.thm4.1-sketch+loss",
    "ssd.thm5.1+rule",
    "ssd.thm5.2+gram",
)
"""Small ones with every kind of line and step."""


@cache
def recorded(id: str) -> AllSizes:
    """What the repository's certificate of a claim says of all sizes; not to be changed."""
    file = Certificates(homes=homes(built_in())).file(CLAIMS[id])
    assert file is not None
    found = read(file, id)
    assert isinstance(found, Argument)
    return next(one for one in found.by if isinstance(one, AllSizes))


@cache
def _written(id: str) -> str:
    return json.dumps(recorded(id).trace)


def real(id: str) -> Trace:
    """A copy of the recorded proof of a claim's equations."""
    return json.loads(_written(id))


def copy(trace: Any) -> Any:
    return json.loads(json.dumps(trace))


def lines(trace: Trace, kind: str) -> list[list[Any]]:
    """The theorems of this kind, to be changed in place."""
    return [line for line in trace["theorems"] if line[0] == kind]


def ways(line: list[Any]) -> list[list[Any]]:
    """The lists of steps of a theorem, without those of cases."""
    if line[0] == "induction":
        return [way for pair in line[4] for way in pair]
    return [line[-1]]


def steps(trace: Trace, rule: str) -> list[list[Any]]:
    """The steps by this rule, to be changed in place."""
    every = [way for line in trace["theorems"] for way in ways(line)]
    return [step for way in every for step in _within(way) if step[0] == rule]


def _within(way: list[Any]) -> Iterator[list[Any]]:
    for step in way:
        yield step
        if step[0] == "split":
            for case in step[2:]:
                yield from _within(case)


def shows(proved: Proved, trace: Trace) -> bool:
    """Whether what is proved is what the problem says."""
    made = [[term_to(t.left), term_to(t.right)] for t in proved.statements]  # type: ignore[arg-type]
    said = trace["problem"]["statements"]
    return json.dumps(_sorted(made)) == json.dumps(_sorted(said))


def _sorted(statements: list[Any]) -> list[Any]:
    return [[[scope, sorted(pairs, key=str)] for scope, pairs in sides] for sides in statements]


def of_a_false_problem(trace: Trace) -> Trace | None:
    """The proof with the right side of its first statement made another one; None where both sides are 0."""
    changed = copy(trace)
    right = changed["problem"]["statements"][0][1]
    if right[1]:
        number = right[1][0][0]
        right[1][0][0] = number[1:] if number.startswith("-") else f"-{number}"
        return changed
    if changed["problem"]["statements"][0][0][1]:
        right[1].append(["1", 0, [], []])
        return changed
    return None


# Random changes.


def mutated(trace: Trace, rng: random.Random, others: list[Any]) -> Trace:
    """One to three changes of what is declared and of the theorems: the problem stays."""
    found = copy(trace)
    own = {"declared": found["declared"], "theorems": found["theorems"]}
    for _ in range(rng.randint(1, 3)):
        theorems, kind = own["theorems"], rng.random()
        if kind < 0.08 and len(theorems) > 1:
            a, b = rng.randrange(len(theorems)), rng.randrange(len(theorems))
            theorems[a], theorems[b] = theorems[b], theorems[a]
        elif kind < 0.14:
            theorems.insert(rng.randrange(len(theorems) + 1), copy(rng.choice(others)))
        elif kind < 0.2:
            _declare_more(own["declared"], found["problem"], rng)
        else:
            _change(own, rng)
    return {**found, **own}


def _declare_more(declared: Any, problem: Any, rng: random.Random) -> None:
    """A declaration of the problem once more, perhaps changed."""
    kind = rng.choice([k for k in problem if problem[k] and k in declared] or ["positions"])
    if problem.get(kind):
        more = copy(rng.choice(problem[kind]))
        if rng.random() < 0.7:
            _change(more, rng)
        declared[kind].append(more)


def _change(place: Any, rng: random.Random) -> None:
    while place:
        n = rng.choice(list(place)) if isinstance(place, dict) else rng.randrange(len(place))
        inner = isinstance(place[n], list | dict)
        if isinstance(place, dict) or (inner and place[n] and rng.random() < 0.9):
            if not inner:
                place[n] = rng.choice((0, "", None))
                return
            place = place[n]
            continue
        _replace(place, n, rng)
        return


def _replace(place: list[Any], n: int, rng: random.Random) -> None:
    old, kind = place[n], rng.random()
    if isinstance(old, int) and kind < 0.9:
        place[n] = old + rng.choice((-2, -1, 1, 2)) if kind < 0.7 else rng.choice((0, 1, -1, 7))
    elif isinstance(old, str) and kind < 0.6:
        place[n] = rng.choice(
            (old[::-1], "1", "0", "-1", "2", "1/2", f"-{old}", old.split("'")[0], "believe")
        )
    elif kind < 0.8:
        del place[n]
    else:
        place.insert(n, rng.choice((old, 0, 1, "1", "2", [], [0, []], [1, []], None, "clear")))


def batch(seed: str, count: int) -> list[str]:
    """So many changed proofs, each against its own problem and a false one; those that came to more than they may."""
    rng, wrong = random.Random(seed), []
    every = [line for id in VARIED for line in real(id)["theorems"]]
    for _ in range(count):
        id = rng.choice(VARIED)
        changed = mutated(real(id), rng, every)
        false = of_a_false_problem(changed)
        for which, one in (("its own", changed), ("a false one", false)):
            if one is None:
                continue
            try:
                proved = check(one)
            except Refused:
                continue
            except Exception as error:
                wrong.append(f"{id}, {which}: {error!r}: {json.dumps(one)}")
                continue
            if which != "its own" or not shows(proved, real(id)):
                wrong.append(f"{id}, {which}: {json.dumps(one)}")
    return wrong
