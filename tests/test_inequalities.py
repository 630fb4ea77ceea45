"""Certificates of bounds: those that are found are checked without a search; what was tampered with is refused."""

import ast
import json
import random
from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from certificates import CLAIMS as ROWS
from certificates import recorded
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
    geometric,
    layered,
    scaled,
    trace,
)

from scanproof import at_most
from scanproof.constructs.arrays.norms import norm
from scanproof.proofs import inequalities
from scanproof.proofs.check import bounds as of_bounds
from scanproof.proofs.check.all_sizes import Stale
from scanproof.proofs.check.bounds import Bounded
from scanproof.proofs.check.certificate import AllSizes
from scanproof.proofs.check.formulas import formulas, hash_of
from scanproof.proofs.check.traces import OtherProblem, places_of
from scanproof.proofs.decide.ledger import built_in
from scanproof.proofs.inequalities.check import check
from scanproof.proofs.inequalities.schemas import facts_of, schemas
from scanproof.proofs.inequalities.written import check_written
from scanproof.proofs.interpret.bounds import Request, request_of
from scanproof.proofs.interpret.session import Session
from scanproof.proofs.interpret.writing import inequality_to
from scanproof.proofs.kernel.checker import Refused
from scanproof.proofs.kernel.errors import KernelError
from scanproof.proofs.kernel.theorem import Theorem
from scanproof.proofs.language.claim import Claim
from scanproof.proofs.search import all_sizes
from scanproof.proofs.search.all_sizes import Found
from scanproof.proofs.search.bounds.finding import find
from scanproof.proofs.search.lemmas import show
from scanproof.proofs.search.proving import proving

GEOMETRIC: dict[str, Any] = {
    "‖v‖ ≤ D": lambda v, D: at_most(norm(v), D),
    "0 ≤ q ≤ 1": lambda q: [at_most(0, q), at_most(q, 1)],
}


def drift(x, u, eta, C, l):
    return at_most(norm(layered(x, u, eta, l) - x), C * ((1 + eta * C**2) ** l - 1))


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


def asked_in(one: Claim, current: Session) -> tuple[Request, Any]:
    """What a claim says, and what it divides by."""
    interpretation = formulas(one, current)
    places = places_of(current.partial)
    found = request_of(interpretation, places)
    assert found is not None
    return found, places


@cache
def _found(name: str) -> str:
    found = all_sizes.find(CLAIMS[name])
    assert isinstance(found, Found), found
    return json.dumps(found.certificate.bounds)


def found(name: str) -> Any:
    """A certificate as JSON, found in a session of its own."""
    return json.loads(_found(name))


def checked(one: Claim, value: Any) -> Bounded:
    """What a certificate shows of a claim, in a session of its own."""
    with proving() as current:
        return of_bounds.shown(*asked_in(one, current), value)


@pytest.mark.short(5)
@pytest.mark.parametrize("name", CLAIMS)
def test_a_certificate_that_is_found_is_checked(name: str):
    assert checked(CLAIMS[name], found(name)).steps


PROVED = (Path(__file__).parent / "all_sizes.txt").read_text().split()
BOUNDS = [
    one
    for row in built_in().rows
    for one in (row.claim, *row.amendments)
    if one.kind == "bound" and one.id in PROVED
]


@pytest.mark.long
@pytest.mark.parametrize("one", BOUNDS, ids=lambda one: one.id)
def test_a_row_s_certificate_alone_names_the_hypotheses_that_it_uses(one: Claim):
    """That it shows the row is the ledger's test."""
    proof = recorded(one.id)
    if proof.bounds is None:
        pytest.skip("its two sides are equal")
    shown = check_written(proof.bounds).shown
    used = {shown.problem.names[n] for numbers in shown.hypotheses for n in numbers}
    steps = {n for fact in facts_of(shown) for n in schemas(fact, shown.problem)}
    assert used == steps & set(shown.problem.names)


# What must be refused.

SPOKEN = ("equations", "problem")
STEPS, GOALS = "steps", "shown"
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
    step[4] = [["Placed", hypothesis, [[step[1], [1, [[step[1], 1]]]]]]]
    step[5] = [hypothesis + len(step[2])] * len(step[2])


def hypothesis_outside(value: Any) -> None:
    """A goal is what only an induction's hypothesis says."""
    value[GOALS] = [count(value[STEPS])]


def another_definition(value: Any) -> None:
    """The state's step is its start."""
    recursion = value["equations"]["problem"]["recursions"][0]
    recursion[3] = recursion[2]


def said(value: Any) -> Any:
    """The equations that it lists."""
    return value["equations"]["problem"]["statements"]


def equation_left_out(value: Any) -> None:
    """With its proof: the last theorem is that of the last equation."""
    said(value).pop()
    value["equations"]["theorems"].pop()


def listed_only(value: Any) -> None:
    """The last multiplier is another, and the equation that this needs is listed."""
    put("Concluded", 3, 1, 0, 0, "2")(value)
    said(value).append(deepcopy(said(value)[-1]))


def other_variables(value: Any) -> None:
    """They hold where a vector that has no entries has one."""
    declared = value["equations"]["declared"]["positions"]
    n = 1 + max(one[0] for one in (*declared, *value["equations"]["problem"]["positions"]))
    declared.append([n, "none", [0, []], [0, []]])
    for left, _ in said(value):
        left[0].append(n)


def another_absolute_value(value: Any) -> None:
    functions = value["equations"]["declared"]["functions"]
    next(one for one in functions if one[1] == "abs")[3][0][0] = "2"


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
    "an infinite sum": ("squares", put("Combined", 1, 1, 1, [1, [], [["eta", []]]])),
    "a sum from a number on": ("squares", put("Combined", 1, 1, 1, [1, [[0, [[-1, 1]]]], [["eta", []]]])),
    "a captured index": ("squares", put("Combined", 1, 1, 3, 0, 1, 0, 3, 0, ["u", [[0, [[-2, 1]]]]])),
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
    "a multiple 0": ("trace", appended(["Scaled", 4, "0"])),
    "a negative multiple": ("squares", appended(["Scaled", 14, "-1"])),
    "twice what is wanted": ("trace", appended(["Scaled", 4, "2"])),
    "another left side": ("trace", appended(["Rewritten", 4, [[[1], []], 0, 0], None, []])),
    "a size replaced": ("trace", appended(["Placed", 4, [[1, [1, []]]]])),
    "an end replaced": ("trace", appended(["Placed", 0, [[2, [0, []]]]])),
    # norms
    "a trace without its dimension": ("trace", put("Majorised", 4, 0, 4, [])),
    "a dimension of no end": ("trace", put("Majorised", 4, 0, 4, [[0, 1]])),
    "a dimension twice": ("trace", put("Majorised", 4, 0, 4, [[0, 2], [0, 2]])),
    "a coordinate forgotten": ("trace", put("Majorised", 4, 0, 1, [])),
    "a coordinate that is not there": ("trace", put("Majorised", 4, 0, 1, [-2])),
    "a diagonal of no matrix": ("trace", put("Majorised", 4, 0, 0, True)),
    "an index out of range": ("trace", put("Majorised", 4, 0, 2, 0, 1, 0, 1, [1, [[-1, 1]]])),
    "an index in steps of two": ("trace", put("Majorised", 4, 0, 2, 0, 1, 0, 1, [0, [[-1, 2]]])),
    "an index for one end only": ("trace", put("Majorised", 4, 0, 2, 0, 1, [[2, [0, [[-1, 1]]]]])),
    "an index that is bound elsewhere": ("trace", put("Majorised", 4, 0, 2, 0, 1, 0, 1, [0, [[-2, 1]]])),
    "an index for what is no variable": ("trace", put("Majorised", 4, 0, 2, 0, 1, 0, 0, 1)),
    "a region that depends on a coordinate": ("trace", put("Majorised", 4, 0, 3, [[0, [[-1, 1]]]])),
    "a region that leaves something out": ("attention", put("Majorised", 4, 0, 3, [[-5, [[-1, 1]]]])),
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
    # equations
    "an equation left out": ("trace", equation_left_out),
    "an equation whose proof is left out": ("trace", lambda value: value["equations"]["theorems"].pop()),
    "no proof of any equation": ("trace", at("equations", "theorems", [])),
    "an equation without a proof": ("trace", at("equations", "theorems", -1, 1, [])),
    "an equation that is listed and not proved": ("squares", listed_only),
    "an equation that does not hold, listed": ("squares", at(*SPOKEN, "statements", 0, 0, 1, 0, 0, "2")),
    "an equation of other variables": ("attention", other_variables),
    "an equation the other way round": ("trace", lambda value: said(value)[0].reverse()),
    "no equations": ("trace", at("equations", None)),
    "the equations of another claim": ("trace", lambda value: value.update(
        equations=found("squares")["equations"]
    )),
    "a rule of no name": ("trace", at("equations", "theorems", 0, 0, "believed")),
    "a denominator of its own": ("squares", lambda value: value["equations"]["problem"]["places"].append(
        ["abs'7", []]
    )),
    # other files
    "a goal that is half of it": ("trace", at("goals", 0, 3, 1, 0, 0, "1/2")),
    "a hypothesis of twice as much": ("trace", at("hypotheses", 0, 4, 1, 0, 0, "2")),
    "a hypothesis more": ("trace", lambda value: value["hypotheses"].append(
        ["the goal", *value["goals"][0]]
    )),
    "hypotheses exchanged": ("squares", lambda value: value["hypotheses"].reverse()),
    "a hypothesis left out": ("squares", lambda value: value["hypotheses"].pop()),
    "a hypothesis of another measure": ("trace", at("hypotheses", 0, 1, "norm")),
    "another name of a hypothesis": ("trace", at("hypotheses", 0, 0, "‖B‖ ≤ 0")),
    "sizes from 7 on": ("trace", at(*SPOKEN, "sizes", 0, 2, 7)),
    "a size from 0 on": ("trace", at(*SPOKEN, "sizes", 0, 2, 0)),
    "a longer range": ("trace", at(*SPOKEN, "positions", 0, 3, [1, [[1, 1]]])),
    "an absolute value of something else": ("squares", another_absolute_value),
    "another schema of files": ("trace", at("format", "scanproof.bounds/0")),
    "a field less": ("trace", lambda value: value.pop("shown")),
    "a field more": ("trace", lambda value: value.update(believed=True)),
    "no list": ("trace", at(STEPS, {})),
    "a number too large": ("trace", put("Majorised", 4, 0, 3, [[10**16, [[-1, 1]]]])),
    "a huge number of a step": ("trace", at(GOALS, 0, 10**15)),
    "a thousand digits": ("squares", put("Combined", 1, 0, 0, "1" * 1000)),
    "a product of a thousand": ("squares", put("Combined", 1, 0, 2, [[4, []]] * 1000)),
    "a number that grows": ("squares", appended(*(["Scaled", 14 + k, "9" * 400] for k in range(40)))),
    "a million bound indices": ("squares", put("Combined", 1, 1, 1, [10**6, [], []])),
    "a number that is none": ("trace", put("Given", 1, 0.0)),
    "a text for a number": ("trace", put("Given", 1, "0")),
    "too many variables": ("trace", lambda value: value["equations"]["declared"]["positions"].append(
        [10**7, "i", [0, []]]
    )),
}  # fmt: skip


@pytest.mark.long_cases(
    "a sign without a reason",
    "a hypothesis of number \\u22121",
    "a negative multiple",
    "a region without end",
    "another start",
)
@pytest.mark.short(9)
@pytest.mark.parametrize("name", TAMPERED)
def test_what_was_tampered_with_is_refused(name: str):
    of_claim, edit = TAMPERED[name]
    value = found(of_claim)
    edit(value)
    with pytest.raises((Refused, KernelError)):
        checked(CLAIMS[of_claim], value)
    answer = all_sizes.checked(
        CLAIMS[of_claim], AllSizes(None, (), value, hash_of(CLAIMS[of_claim]))
    )
    assert isinstance(answer, str) and "\n" not in answer and len(answer) < 400


@pytest.mark.short(2)
@pytest.mark.parametrize("name", TAMPERED)
def test_what_was_tampered_with_shows_what_it_says_or_is_refused_alone(name: str):
    """Where the problem was changed, the same steps may show the changed one, and nothing else."""
    of_claim, edit = TAMPERED[name]
    value = found(of_claim)
    edit(value)
    with suppress(Refused):
        problem = check_written(value).shown.problem
        assert [inequality_to(one) for one in problem.goals] == value["goals"]
        given = zip(problem.names, problem.hypotheses, strict=True)
        assert [[own, *inequality_to(one)] for own, one in given] == value["hypotheses"]


@pytest.mark.long
@pytest.mark.parametrize("name", ["trace", "squares", "layers"])
def test_random_changes_are_refused_or_show_the_same(name: str):
    """Nothing but a refusal is raised; what is taken is a certificate of the same problem."""
    rng, taken = random.Random(name), 0
    with proving() as current:
        of_claim, places = asked_in(CLAIMS[name], current)
    for _ in range(CHANGES):
        value = found(name)
        for _ in range(rng.choice([1, 1, 2])):
            change(rng, value)
        try:
            taken += bool(of_bounds.shown(of_claim, places, value).steps)
        except (Refused, KernelError):
            continue
    assert taken < CHANGES / 2


CHANGES = 200


def change(rng: random.Random, value: Any) -> None:
    """Another value, one less, or two exchanged, somewhere."""
    while type(value) in (list, dict) and value:
        if type(value) is dict:
            value = value[rng.choice(sorted(value))]
            continue
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


@pytest.mark.long
def test_a_certificate_of_another_claim_is_stale():
    with pytest.raises(OtherProblem, match="other bounds"):
        checked(CLAIMS["trace"], found("twice"))
    own = AllSizes(None, (), found("twice"), hash_of(CLAIMS["trace"]))
    assert isinstance(all_sizes.checked(CLAIMS["trace"], own), Stale)


@pytest.mark.parametrize(
    "value", [None, {}, [], 7, {"equations": None}, {"equations": {"problem": 1}}]
)
def test_what_is_no_certificate_is_one_of_another_problem(value: Any):
    with pytest.raises(OtherProblem):
        checked(CLAIMS["trace"], value)


def test_a_claim_without_bounds_takes_none():
    one = ROWS["gril.eq10"]
    proved = all_sizes.find(one)
    assert isinstance(proved, Found)
    with_bounds = replace(proved.certificate, bounds=found("trace"))
    assert "says no bounds" in str(all_sizes.checked(one, with_bounds))


@pytest.mark.long
@pytest.mark.parametrize("believed", [lambda left, right: None, lambda left, right: True])
def test_an_equation_is_believed_by_no_word(believed: Any):
    with proving() as current:
        one, _ = asked_in(CLAIMS["layers"], current)
        with pytest.raises(KernelError, match="no theorem of the kernel"):
            check(one.problem, find(one), believed)


@pytest.mark.long
def test_a_theorem_about_other_terms_is_no_equation():
    def other(left: Any, right: Any) -> Theorem:
        return show(left, left)

    with proving() as current:
        one, _ = asked_in(CLAIMS["layers"], current)
        with pytest.raises(KernelError, match="other terms"):
            check(one.problem, find(one), other)


@pytest.mark.long
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
                    *("functools", "math", "sys", "types", "typing"),
                }
            assert not (isinstance(node, ast.ImportFrom) and node.level > 2)


# False ones, made by hand: 0 ≤ −1 − n, where something holds that never does, or is known that nothing shows.

N = [0, [[1, 1]]]
NONE, TIME, WHEN = [2, "none", N, N], [3, "t", [0, []]], [4, "t", [0, []]]
NEGATIVE = ["#", [[-1, [[1, -1]]]]]
BELOW_0 = [["1", 0, [], [NEGATIVE]]]
FALSE = ["", [], [[], []], [[1], BELOW_0]]


def nowhere(*scope: int) -> Any:
    """0 ≤ −1 − n where the variables of the scope are in range."""
    return ["Combined", [["1", [0, [], [NEGATIVE]], [], []]], [1, *scope], []]


FORGED_STEPS: dict[str, tuple[list[Any], int, str]] = {
    "where a variable without values has one": ([nowhere(2)], 0, "other variables"),
    "anywhere": ([nowhere()], 0, "may be negative"),
    "a value put where there is none": (
        [nowhere(2), ["Placed", 0, [[2, N]]]],
        1,
        "outside the range",
    ),
    "the variable forgotten by writing it anew": (
        [nowhere(2), ["Rewritten", 0, [[[], []], 0, 0], [[[1], BELOW_0], 0, 0], []]],
        1,
        "other variables",
    ),
    "used in a sum": (
        [nowhere(2), ["Combined", [["1", [0, [], []], [[0, []]], []]], [1], []]],
        1,
        "other variables",
    ),
    "added to what is measured": (
        [nowhere(2), ["Majorised", "", [], [[], []], [], []], ["Concluded", 1, 0, [[1], BELOW_0], 0, []]],
        2,
        "other variables",
    ),
    "by an induction whose start holds nowhere": (
        [nowhere(2), ["Induction", 3, [[4, ["", [], [[], []], [[1, 4], BELOW_0]]]], [0], [], [1]]],
        1,
        "other variables",
    ),
    "by its own hypothesis": (
        [nowhere(2), ["Induction", 3, [[4, ["", [], [[], []], [[1, 2, 4], BELOW_0]]]], [0], [], [1]]],
        1,
        "other variables",
    ),
    "a sign that nothing shows": ([nowhere(2), nowhere()], 1, "may be negative"),
    "a product with what is negative": (
        [["Combined", [["-1", [0, [], []], [], []]], [], []]],
        0,
        "may be negative",
    ),
    "a sum over too many": (
        [["Combined", [["1", [1, [[0, [[-1, 1]]]], [["#", [[0, [[-1, 1]]]]]]], [], []]], [], []]],
        0,
        "without a lower and an upper end",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FORGED_STEPS)
def test_0_is_not_at_most_what_is_negative(name: str):
    steps, goal, why = FORGED_STEPS[name]
    empty: dict[str, Any] = {"states": [], "functions": [], "recursions": []}
    problem = {"sizes": [[1, "n", 0]], "positions": [], **empty, "places": [], "statements": []}
    declared = {"positions": [NONE, TIME, WHEN], **empty, "formals": []}
    form = "scanproof.trace/1"
    value = {
        "format": "scanproof.bounds/2",
        "hypotheses": [],
        "goals": [FALSE],
        "equations": {"format": form, "problem": problem, "declared": declared, "theorems": []},
        "steps": steps,
        "shown": [goal],
    }
    with pytest.raises(Refused, match=why):
        check_written(value)
