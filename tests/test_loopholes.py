"""Ways in which an empty or false claim might pass for proved, or a true one for refuted: each is closed."""

import pytest
from claims import claim, decided, verdict

from scanproof.constructs.arrays.definition import definition
from scanproof.constructs.arrays.gradient import gradient
from scanproof.constructs.errors import UsageError
from scanproof.proofs.decide.verdict import decide
from scanproof.proofs.exact.engines import ENGINES
from scanproof.proofs.language.source import Source
from scanproof.proofs.language.statements import at_most, differs, equal


@definition
def same(x):
    return x


@pytest.mark.parametrize("statement", [equal, differs, at_most])
def test_a_comparison_of_empty_arrays_is_an_error(statement):
    assert verdict(lambda x, N: statement(same(x)[N:], -x[N:]), {"x": "N"}) == "error"


def test_size_zero_alone_proves_nothing():
    assert verdict(lambda x: equal(same(x), -x), {"x": "N"}, sizes={"N": (0,)}) == "error"


@pytest.mark.long
def test_sizes_that_no_engine_gets_through_are_refused_at_once():
    result = decided(lambda x: equal(same(x), x), {"x": "N f"}, sizes={"N": (400,), "f": (400,)})
    assert result.verdict == "error"
    assert "160000 symbols" in (result.reason or "")


def test_a_part_that_is_empty_only_at_some_sizes_is_allowed():
    body = lambda x, N: equal(same(x)[1:], x[1:])  # noqa: E731
    assert verdict(body, {"x": "N"}) == "proved"


@pytest.mark.parametrize("engine", ["all", "sympy"])
def test_a_claim_with_exponentials_is_checked_at_every_declared_size(engine):
    def body(x, N, xp):
        return equal((N - 1) * (N - 2) * xp.exp(same(x)), 0 * x)

    assert verdict(body, {"x": "N"}, engine) == "refuted"


def test_sympy_alone_checks_every_declared_size():
    body = lambda x, N: equal((N - 1) * (N - 2) * same(x), 0 * x)  # noqa: E731
    assert verdict(body, {"x": "N"}, "sympy") == "refuted"


def test_a_reading_may_not_hide_a_symbol():
    with pytest.raises(UsageError, match="name of a symbol"):
        claim(lambda x, *, eta=1: equal(eta * same(x), x), {"x": "N", "eta": ""})


@pytest.mark.parametrize("name", ["N", "p", "xp", "corrections", "not a name"])
def test_a_symbol_may_not_have_the_name_of_a_size_or_of_what_bodies_are_given(name):
    with pytest.raises(UsageError, match="rename it"):
        claim(lambda x: equal(same(x), x), {"x": "N", name: ""})


@pytest.mark.long
def test_entries_and_scalars_never_share_a_symbol():
    given = {"x": "N", "x_0": ""}
    assert verdict(lambda x, x_0: differs(same(x)[0], x_0), given) == "proved"
    assert verdict(lambda x, x_0: equal(same(x)[0], x_0), given) == "refuted"


def test_a_body_may_not_change_its_arrays():
    def body(x):
        doubled = 2 * same(x)
        x.entries[...] = doubled.entries
        return equal(x, doubled)

    assert verdict(body, {"x": "N"}) == "error"


def test_a_gradient_through_an_unsupported_transpose_or_a_branch_is_an_error():
    cube = {"W": "n n n", "C": "n n n"}
    body = lambda W, C: equal(gradient(lambda V: (same(V).T * C).sum(), W), C)  # noqa: E731
    assert verdict(body, cube, sizes={"n": (2,)}) == "error"

    def branching(W):
        return equal(gradient(lambda V: V.sum() if same(V) == V[0] else 2 * V.sum(), W), 2 + 0 * W)

    assert verdict(branching, {"W": "n"}) == "error"


def test_roots_and_logarithms_are_real():
    def roots(x, y, xp):
        return equal(xp.sqrt(same(x)) * xp.sqrt(y), xp.sqrt(x * y))

    def logs(x, y, xp):
        return equal(xp.log(same(x)) + xp.log(y), xp.log(x * y))

    assert verdict(roots, {"x": "", "y": ""}) == "unknown"
    assert verdict(logs, {"x": "", "y": ""}) == "unknown"
    difference = lambda x, y, xp: differs(xp.sqrt(same(x)) * xp.sqrt(y), xp.sqrt(x * y))  # noqa: E731
    assert verdict(difference, {"x": "", "y": ""}) != "proved"


NOT_0 = {"S ≠ 0": lambda S: S != 0}
EXISTS = [
    (lambda x: equal(2 * same(x), x), {"x": ""}, (), {}, "unknown", "others might"),
    (lambda x: equal(2 * same(x), x), {"x": ""}, ("x",), {}, "unknown", "parameters x;"),
    (
        lambda x, S: equal(same(S) * x, x),
        {"x": "", "S": ""},
        ("S",),
        {},
        "unknown",
        "parameters S;",
    ),
    (lambda x, S: equal(S - S, same(x)), {"x": "", "S": ""}, ("S",), {}, "refuted", "false"),
    (
        lambda x, S: equal(same(S) * x / S, 0),
        {"x": "", "S": ""},
        ("S",),
        {},
        "unknown",
        "divided by",
    ),
    (lambda x, S: equal(same(S) * x / S, 0), {"x": "", "S": ""}, ("S",), NOT_0, "refuted", "false"),
    (
        lambda x, S, xp: equal(xp.abs(same(S)) + x, xp.abs(S)),
        {"x": "", "S": ""},
        ("S",),
        {},
        "unknown",
        "S",
    ),
    (
        lambda x, S: equal(same(x) + S - S, 0),
        {"x": "", "S": ""},
        ("S",),
        {"S = x": lambda S, x: x == S},
        "unknown",
        "'S = x' ties the data to the parameters",
    ),
    (lambda x, S: at_most(same(x) + S, S), {"x": "", "S": ""}, ("S",), {}, "refuted", "false"),
]


@pytest.mark.parametrize(("body", "given", "every", "assuming", "expected", "reason"), EXISTS)
def test_an_existence_claim_is_refuted_only_by_what_fails_for_all_parameters(
    body, given, every, assuming, expected, reason
):
    result = decided(body, given, kind="existence", over_all_parameters=every, assuming=assuming)
    assert result.verdict == expected
    assert reason in (result.reason or "")


def test_an_equation_with_parameters_in_it_refutes_no_existence():
    """It is even true, with irrational c: 1 + 2u − u² = (1 + (1 + √2)u)(1 + (1 − √2)u)."""

    def two(c, u):
        return equal((1 + same(c)[0] * u) * (1 + c[1] * u), 1 + 2 * u - u * u)

    given = {"c": "2", "u": ""}
    result = decided(two, given, kind="existence", over_all_parameters=("c",))
    assert result.verdict == "unknown"
    assert "the argument from them is not the machine's" in (result.reason or "")


def test_an_amendment_says_anew_what_its_parameters_are():
    row = Source("hole", title="loopholes").claim(
        "hole.row", says="…", given={"x": "", "S": ""}, kind="existence", over_all_parameters=("S",)
    )(lambda x, S: equal(S - S, same(x)))
    row.amend("other", "…")
    assert decide(row.amendments[0], ENGINES["all"]).verdict == "unknown"


@pytest.mark.parametrize(
    "answer", [lambda x: equal(x, x + 1), lambda x: None, lambda x: x > 0, lambda x: 1]
)
def test_a_side_condition_must_answer_with_true_or_false(answer):
    result = decided(
        lambda x: equal(same(x), x), {"x": "n"}, sizes={"n": (2,)}, assuming={"a condition": answer}
    )
    assert result.verdict == "error"
    assert "a condition" in (result.reason or "")


def test_a_side_condition_on_sizes_chooses_the_sizes():
    body = lambda x, N: equal((N - 1) * same(x), (N - 1) * x + (N == 1) * x)  # noqa: E731
    conditions = {"N ≥ 2": lambda N: N >= 2}
    assert verdict(body, {"x": "N"}) == "refuted"
    assert verdict(body, {"x": "N"}, assuming=conditions) == "proved"
    assert verdict(body, {"x": "N"}, assuming={"N > 3": lambda N: N > 3}) == "error"
