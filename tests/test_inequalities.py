"""Certificates of bounds: those that are found are checked, from JSON too; what was tampered with is refused."""

from __future__ import annotations

import ast
import json
import random
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from test_bound_engine import (
    ATTENDED,
    ATTENTION,
    CONTRACTION,
    DEPTHS,
    LAYERS,
    MATRIX,
    STATE,
    attention,
    claim,
    contraction,
    drift,
    geometric,
    scaled,
    trace,
)

from scanproof import at_most
from scanproof.constructs.norms import norm
from scanproof.proofs import inequalities
from scanproof.proofs.check.all_sizes import EFFORT, Proof, prove
from scanproof.proofs.decide.ledger import built_in
from scanproof.proofs.inequalities.check import Shown, check
from scanproof.proofs.inequalities.reading import read
from scanproof.proofs.interpret import claims
from scanproof.proofs.interpret.claims import FOR_NUMBERS
from scanproof.proofs.interpret.session import Session
from scanproof.proofs.kernel.errors import KernelError
from scanproof.proofs.kernel.theorem import Theorem
from scanproof.proofs.language.claim import Claim
from scanproof.proofs.language.statements import AtMost
from scanproof.proofs.search.bounds.finding import find
from scanproof.proofs.search.bounds.problems import goal_of, problem_of
from scanproof.proofs.search.bounds.told import told
from scanproof.proofs.search.bounds.written import written
from scanproof.proofs.search.lemmas import show
from scanproof.proofs.search.proving import proving

GEOMETRIC: dict[str, Any] = {
    "‖v‖ ≤ D": lambda v, D: at_most(norm(v), D),
    "0 ≤ q ≤ 1": lambda q: [at_most(0, q), at_most(q, 1)],
}
CLAIMS: dict[str, Claim] = {
    "trace": claim(scaled(trace, 1), {"B": "d d", "b": ""}, assuming=MATRIX),
    "twice": claim(scaled(trace, 2), {"B": "d d", "b": ""}, assuming=MATRIX),
    "attention": claim(scaled(attention, 1), ATTENTION, assuming=ATTENDED),
    "squares": claim(contraction, STATE, assuming=CONTRACTION),
    "layers": claim(drift, STATE, sizes=DEPTHS, assuming=LAYERS),
    "series": claim(
        geometric,
        {"v": "T d", "q": "", "D": ""},
        sizes={"T": (1, 2), "d": (1, 2)},
        assuming=GEOMETRIC,
    ),
}


def problem_in(one: Claim, current: Session):
    """The problem of a claim, and what is needed to look for its certificate."""
    reading = claims.read(one, current).once()
    goals = [goal_of(part) for part in reading.parts if part.kind is AtMost]
    return problem_of(reading.conditions, goals), goals, reading.conditions


def found_for(one: Claim) -> Any:
    """A certificate as JSON, found in a session of its own."""
    with proving() as current:
        return json.loads(json.dumps(written(find(*problem_in(one, current)), current.recursions)))


@cache
def found(name: str) -> Any:
    return found_for(CLAIMS[name])


def checked(one: Claim, value: Any) -> Shown:
    """What a certificate shows of a claim, in a session of its own."""
    with proving() as current:
        problem, _, _ = problem_in(one, current)
        return check(problem, read(value, current.recursions, current.add), show)


def said(shown: Shown) -> Any:
    return shown.hypotheses, [(one.gap, one.steps, one.squares, one.exact) for one in told(shown)]


@pytest.mark.parametrize("name", CLAIMS)
def test_a_certificate_that_is_found_is_checked(name: str):
    assert checked(CLAIMS[name], found(name)).problem.goals


BOUNDS = [
    one
    for row in built_in().rows
    for one in (row.claim, *row.amendments)
    if one.kind == "bound" and one.ranges
]


@pytest.mark.long_cases(
    "+epochs", "+step-error", "ssd.thm5.2-e2", "-e2+bound", "ssd.thm5.1+error", "ssd.thm5.1-i1"
)
@pytest.mark.parametrize("one", BOUNDS, ids=lambda one: one.id)
def test_a_row_s_certificate_goes_to_json_and_back_and_alone_shows_the_same(one: Claim):
    """The one read back is the same; with nothing but the file, in a registry without the claim, it shows the same."""
    with proving() as current:
        current.left = EFFORT
        try:
            certificate = find(*problem_in(one, current))
        except FOR_NUMBERS:
            assert not isinstance(prove(one), Proof)
            pytest.skip("no bound is proved for all sizes")
        value = json.loads(json.dumps(written(certificate, current.recursions)))
        assert read(value, current.recursions) == certificate
        expected = said(check(certificate.problem, certificate, show))
    with proving() as current:
        alone = read(value, {}, current.add)
        shown = check(alone.problem, alone, show)
        assert said(shown) == expected
        used = {alone.problem.names[n] for numbers in shown.hypotheses for n in numbers}
        assert used == {n for b in told(shown) for n in b.steps} & set(alone.problem.names)


# What must be refused. A certificate is [schema, variables, arrays, recursions, problem, steps, goals].

VARIABLES, ARRAYS, RECURSIONS, PROBLEM, STEPS, GOALS = range(1, 7)
Edit = Callable[[Any], Any]


def of(kind: str, steps: Any) -> Any:
    """The first step of a kind, within inductions too."""
    for step in steps:
        if step[0] == kind:
            return step
        inner = of(kind, step[4]) if step[0] == "Induction" else None
        if inner is not None:
            return inner
    return None


def put(kind: str, *path: Any) -> Edit:
    """Another value, the last, at a path within the first step of a kind."""

    def edit(value: Any) -> None:
        *way, last, new = path
        place = of(kind, value[STEPS])
        for key in way:
            place = place[key]
        assert repr(place[last]) != repr(new)
        place[last] = new

    return edit


def at(*path: Any) -> Edit:
    """Another value, the last, at a path."""

    def edit(value: Any) -> None:
        *way, last, new = path
        for key in way:
            value = value[key]
        assert value[last] != new
        value[last] = new

    return edit


def without(kind: str) -> Edit:
    return lambda value: value[STEPS].remove(of(kind, value[STEPS]))


def swapped(value: Any) -> None:
    steps = value[STEPS]
    steps[0], steps[1] = steps[1], steps[0]


def appended(*steps: Any) -> Edit:
    """More steps, the last of which is to be the goal."""

    def edit(value: Any) -> None:
        value[STEPS] += steps
        value[GOALS] = [count(value[STEPS]) - 1]

    return edit


def count(steps: Any) -> int:
    return sum(len(step[2]) if step[0] == "Induction" else 1 for step in steps)


def hypothesis_as_conclusion(value: Any) -> None:
    """The induction's step is its own hypothesis."""
    step = of("Induction", value[STEPS])
    before = count(value[STEPS][: value[STEPS].index(step)])
    step[5] = [before + k for k in range(len(step[5]))]


def hypothesis_at_the_next_time(value: Any) -> None:
    """The induction's hypothesis with time + 1 for the time."""
    step = of("Induction", value[STEPS])
    hypothesis = count(value[STEPS][: value[STEPS].index(step)])
    step[4] = [["Placed", hypothesis, [[step[1], [1, step[1], 1]]]]]
    step[5] = [hypothesis + len(step[2])] * len(step[2])


def hypothesis_outside(value: Any) -> None:
    """A goal is what only an induction's hypothesis says."""
    value[GOALS] = [count(value[STEPS])]


def another_definition(value: Any) -> None:
    """The state's step is its start."""
    value[RECURSIONS][0][3] = value[RECURSIONS][0][2]


TAMPERED: dict[str, tuple[str, Edit]] = {
    # multipliers and pieces
    "another multiplier": ("squares", put("Combined", 1, 0, 0, "2")),
    "a negative multiplier": ("squares", put("Combined", 1, 0, 0, "-1")),
    "a multiplier 1/0": ("squares", put("Combined", 1, 0, 0, "1/0")),
    "a multiplier that is no text": ("squares", put("Combined", 1, 0, 0, 1)),
    "a multiplier not in lowest terms": ("squares", put("Combined", 1, 0, 0, "2/2")),
    "a piece less": ("squares", lambda value: of("Combined", value[STEPS])[1].pop()),
    "a piece twice": ("squares", lambda value: of("Combined", value[STEPS])[1].append(
        of("Combined", value[STEPS])[1][0]
    )),
    "a bound in place of another": ("squares", put("Combined", 1, 1, 2, 0, 0, 3)),
    "a square less": ("squares", lambda value: of("Combined", value[STEPS])[1][1][3].pop()),
    "a sign without a reason": ("squares", put("Combined", 3, [])),
    "a sign for another's reason": ("squares", put("Combined", 3, 0, 1, 0, 3)),
    "an infinite sum": ("squares", put("Combined", 1, 1, 1, [1, [], [["eta"]]])),
    "a sum from a number on": ("squares", put("Combined", 1, 1, 1, [1, [[0, -1, 1]], [["eta"]]])),
    "a captured index": ("squares", put("Combined", 1, 1, 3, 0, 1, 0, 3, 0, ["u", [0, -2, 1]])),
    "a scope of what is not there": ("squares", put("Combined", 2, [1, 99])),
    "an equation that does not hold": ("squares", put("Concluded", 3, 1, 0, 0, "2")),
    "no way to open absolute values": ("squares", put("Concluded", 4, 3)),
    # which inequalities
    "a hypothesis that is not given": ("trace", put("Given", 1, 1)),
    "a hypothesis of number −1": ("trace", put("Given", 1, -1)),
    "a hypothesis in place of another": ("squares", put("Given", 1, 0)),
    "true for a number": ("squares", put("Given", 1, True)),
    "a step dropped": ("trace", without("Given")),
    "a step twice": ("trace", lambda value: value[STEPS].insert(0, value[STEPS][0])),
    "steps in another order": ("trace", swapped),
    "truncated": ("trace", lambda value: value[STEPS].pop()),
    "without steps": ("trace", lambda value: value[STEPS].clear()),
    "another step for the goal": ("trace", at(GOALS, 0, 2)),
    "a goal less": ("trace", at(GOALS, [])),
    "a step that names itself": ("trace", put("Concluded", 1, 3)),
    "no such schema": ("trace", put("Given", 0, "Believed")),
    "another schema": ("trace", put("Concluded", 0, "Read")),
    "a schema with a field more": ("trace", lambda value: value[STEPS][0].append(0)),
    # readings
    "r + l ≥ 0 of l ≤ r": ("squares", put("Read", 2, "plus")),
    "r ≥ 0 of l ≤ r": ("squares", put("Read", 2, "right")),
    "squares of a matrix": ("trace", appended(["Read", 0, "square"])),
    "a multiple 0": ("trace", appended(["Scaled", 3, "0"])),
    "a negative multiple": ("squares", appended(["Scaled", 11, "-1"])),
    "twice what is wanted": ("trace", appended(["Scaled", 3, "2"])),
    "another left side": ("trace", appended(["Rewritten", 3, [[[1], []], 0, 0], None, []])),
    "a size replaced": ("trace", appended(["Placed", 3, [[1, [1]]]])),
    "an end replaced": ("trace", appended(["Placed", 0, [[2, [0]]]])),
    # norms
    "a trace without its dimension": ("trace", put("Majorised", 4, 0, 4, [])),
    "a dimension of no end": ("trace", put("Majorised", 4, 0, 4, [[0, 1]])),
    "a dimension twice": ("trace", put("Majorised", 4, 0, 4, [[0, 2], [0, 2]])),
    "a coordinate forgotten": ("trace", put("Majorised", 4, 0, 1, [])),
    "a coordinate that is not there": ("trace", put("Majorised", 4, 0, 1, [-2])),
    "a diagonal of no matrix": ("trace", put("Majorised", 4, 0, 0, True)),
    "an index out of range": ("trace", put("Majorised", 4, 0, 2, 0, 1, 0, 1, [1, -1, 1])),
    "an index in steps of two": ("trace", put("Majorised", 4, 0, 2, 0, 1, 0, 1, [0, -1, 2])),
    "an index for one end only": ("trace", put("Majorised", 4, 0, 2, 0, 1, [[2, [0, -1, 1]]])),
    "an index that is bound elsewhere": ("trace", put("Majorised", 4, 0, 2, 0, 1, 0, 1, [0, -2, 1])),
    "an index for what is no variable": ("trace", put("Majorised", 4, 0, 2, 0, 1, 0, 0, 1)),
    "a region that depends on a coordinate": ("trace", put("Majorised", 4, 0, 3, [[0, -1, 1]])),
    "a region that leaves something out": ("attention", put("Majorised", 4, 0, 3, [[-5, -1, 1]])),
    "a region without end": ("attention", put("Majorised", 4, 0, 3, [])),
    "a plan less": ("attention", put("Majorised", 4, [])),
    "a bound less": ("attention", lambda value: of("Majorised", value[STEPS])[4][0][2].pop()),
    "a measure that is none": ("trace", put("Majorised", 1, "nuclear")),
    "another measure": ("attention", put("Majorised", 1, "absolute")),
    "a monomial that is not measured": ("trace", put("Majorised", 4, [None])),
    # inductions
    "the hypothesis as the conclusion": ("layers", hypothesis_as_conclusion),
    "the hypothesis at another time": ("layers", hypothesis_at_the_next_time),
    "the hypothesis outside its induction": ("layers", hypothesis_outside),
    "another start": ("layers", put("Induction", 3, 0, 0)),
    "no start": ("layers", put("Induction", 3, [])),
    "no step": ("layers", put("Induction", 4, [])),
    "a length for a time": ("layers", put("Induction", 1, 1)),
    "the claim's own time": ("layers", lambda value: put(
        "Induction", 1, of("Induction", value[STEPS])[2][0][0]
    )(value)),
    "a claim at no time": ("layers", put("Induction", 2, 0, 0, 1)),
    "another definition": ("layers", another_definition),
    "a series without its step": ("series", put("Induction", 4, [])),
    # other files
    "a goal that is half of it": ("trace", at(PROBLEM, 2, 0, 3, 1, 0, 0, "1/2")),
    "a hypothesis of twice as much": ("trace", at(PROBLEM, 0, 0, 3, 1, 0, 0, "2")),
    "a hypothesis more": ("trace", lambda value: value[PROBLEM][0].append(value[PROBLEM][2][0])),
    "a hypothesis of another measure": ("trace", at(PROBLEM, 0, 0, 0, "norm")),
    "another name of a hypothesis": ("trace", at(PROBLEM, 1, 0, "‖B‖ ≤ 0")),
    "a size from 0 on": ("trace", at(VARIABLES, 0, 3, [0])),
    "a longer range": ("trace", at(VARIABLES, 1, 4, [1, 1, 1])),
    "an absolute value of something else": ("squares", at(ARRAYS, 2, 2, 0, 0, "2")),
    "another schema of files": ("trace", at(0, "scanproof.bounds/0")),
    "a file that ends": ("trace", lambda value: value.pop()),
    "no list": ("trace", at(STEPS, {})),
    "a number too large": ("trace", put("Majorised", 4, 0, 3, [[10**16, -1, 1]])),
    "a number that is none": ("trace", put("Given", 1, 0.0)),
    "a text for a number": ("trace", put("Given", 1, "0")),
    "too many variables": ("trace", lambda value: value[VARIABLES].append(
        [10**7, "i", False, [0], None]
    )),
}  # fmt: skip


@pytest.mark.parametrize("name", TAMPERED)
def test_what_was_tampered_with_is_refused(name: str):
    of_claim, edit = TAMPERED[name]
    value = deepcopy(found(of_claim))
    edit(value)
    with pytest.raises(KernelError):
        checked(CLAIMS[of_claim], value)


@pytest.mark.parametrize("name", ["trace", "squares", "layers"])
def test_random_changes_are_refused_or_show_the_same(name: str):
    """Nothing but a refusal is raised; what is taken is a certificate of the same problem."""
    rng, taken = random.Random(name), 0
    for _ in range(CHANGES):
        value = deepcopy(found(name))
        for _ in range(rng.choice([1, 1, 2])):
            change(rng, value)
        try:
            taken += len(checked(CLAIMS[name], value).problem.goals)
        except KernelError:
            continue
    assert taken < CHANGES / 2


CHANGES = 60


def change(rng: random.Random, value: Any) -> None:
    """Another value, one less, or two exchanged, somewhere."""
    while type(value) is list and value:
        place = rng.randrange(len(value))
        if type(value[place]) is list and value[place] and rng.random() < 0.85:
            value = value[place]
            continue
        kind = rng.randrange(4)
        if kind == 0:
            value.pop(place)
        elif kind == 1:
            other = rng.randrange(len(value))
            value[place], value[other] = value[other], value[place]
        elif kind == 2:
            value[place] = rng.choice([0, 1, -1, 2, "1", "-1", "x", None, True, [], [0]])
        else:
            value.insert(place, deepcopy(value[place]))
        return


def test_a_certificate_of_another_claim_is_refused():
    with pytest.raises(KernelError, match="another problem"):
        checked(CLAIMS["trace"], found("twice"))


@pytest.mark.parametrize("believed", [lambda left, right: None, lambda left, right: True])
def test_an_equation_is_believed_by_no_word(believed: Any):
    with proving() as current:
        problem, _, _ = problem_in(CLAIMS["layers"], current)
        certificate = read(found("layers"), current.recursions, current.add)
        with pytest.raises(KernelError, match="no theorem of the kernel"):
            check(problem, certificate, believed)


def test_a_theorem_about_other_terms_is_no_equation():
    def other(left: Any, right: Any) -> Theorem:
        return show(left, left)

    with proving() as current:
        problem, _, _ = problem_in(CLAIMS["layers"], current)
        certificate = read(found("layers"), current.recursions, current.add)
        with pytest.raises(KernelError, match="other terms"):
            check(problem, certificate, other)


def test_no_file_of_the_check_imports_what_searches():
    """Only the kernel, the standard library and its own files; and it raises, it does not assert."""
    for path in Path(inequalities.__path__[0]).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            assert not isinstance(node, ast.Assert)
            if isinstance(node, ast.ImportFrom) and node.level == 2:
                assert (node.module or "").split(".")[0] == "kernel"
            if isinstance(node, ast.Import) or (
                isinstance(node, ast.ImportFrom) and not node.level
            ):
                name = node.module if isinstance(node, ast.ImportFrom) else node.names[0].name
                assert name in {
                    *("__future__", "collections", "collections.abc", "dataclasses", "fractions"),
                    *("functools", "math", "re", "types", "typing"),
                }
            assert not (isinstance(node, ast.ImportFrom) and node.level > 2)
