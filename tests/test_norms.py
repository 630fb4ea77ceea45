"""Norms on every backend, conditions that are bounds, and what becomes of claims that say ‖…‖ ≤ …."""

import subprocess
import sys
from dataclasses import replace
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import sympy
from claims import claim
from formulas_at_numbers import disagreement

from scanproof import absolute, at_most, definition, determines, equal, norm, operator_norm
from scanproof.proofs.check.formulas import formulas
from scanproof.proofs.check.instances.at_point import nested, statements_at
from scanproof.proofs.check.instances.enclosed import enclosed
from scanproof.proofs.check.instances.hypotheses import meets_hypotheses
from scanproof.proofs.check.instances.points import candidates
from scanproof.proofs.check.instances.tight import STEPS, fitting
from scanproof.proofs.decide.ledger import built_in
from scanproof.proofs.decide.verdict import decide
from scanproof.proofs.doors.record.exactly import exactly
from scanproof.proofs.exact.engines import ENGINES, FIXED
from scanproof.proofs.exact.roots import RootsField
from scanproof.proofs.interpret.questions import Unreadable
from scanproof.proofs.report.script import script
from scanproof.proofs.search.proving import proving

ALL = ENGINES["all"]
EPS = float(np.finfo(float).eps)


@definition
def without(x, u, eta):
    """x less η times what it has of u: (d,), (d,), () -> (d,)."""
    return x - eta * (x @ u) * u


WITHIN = {
    "‖x‖ ≤ C": lambda x, C: at_most(norm(x), C),
    "‖u‖ ≤ C": lambda u, C: at_most(norm(u), C),
    "η ≥ 0": lambda eta: at_most(0, eta),
}
VECTORS = {"x": "d", "u": "d", "eta": "", "C": ""}


def drift(factor: int | Fraction = 1, conditions=WITHIN, power=2):
    def body(x, u, eta, C):
        return at_most(norm(without(x, u, eta)), (1 + eta * C**power) * C * factor)

    return claim(body, VECTORS, assuming=conditions)


@pytest.mark.long
@pytest.mark.parametrize("shape", [(1, 1), (2, 1), (1, 3), (2, 2), (3, 2), (3, 3), (2, 3, 3)])
def test_exact_numbers_numpy_and_jax_agree_on_norms(shape):
    rng = np.random.default_rng(len(shape) * 7 + shape[-1])
    numbers = rng.integers(-6, 7, shape)
    floats = numbers / 4
    for taken in (norm, operator_norm, absolute):
        exact = exactly(RootsField(), lambda xp, x, taken=taken: taken(x / 4), numbers)
        value = exact.astype(float)
        np.testing.assert_allclose(taken(floats), value, rtol=32 * EPS)
        traced = jax.jit(taken)(jnp.asarray(floats))
        np.testing.assert_allclose(traced, value, rtol=64 * float(np.finfo(traced.dtype).eps))


def test_norms_of_exact_numbers_are_exact():
    def exact(taken, of):
        return exactly(RootsField(), lambda xp, x: taken(x), np.array(of))

    assert exact(norm, [3, 4]).item() == 5
    assert exact(norm, [[1, 1], [0, 2]]).tolist() == [sympy.sqrt(2), 2]
    assert exact(operator_norm, np.eye(3, dtype=int)).item() == 1
    assert exact(operator_norm, [[1, 1], [0, 1]]).item() ** 2 == (3 + sympy.sqrt(5)) / 2
    assert exact(operator_norm, np.zeros((0, 2), dtype=int)).item() == 0
    assert absolute(Fraction(-1, 2)) == Fraction(1, 2)


@pytest.mark.parametrize(
    ("taken", "of", "complaint"),
    [
        (norm, np.float64(1), "a number has absolute"),
        (operator_norm, np.zeros(2), "a vector has norm"),
        (norm, np.array([Fraction(1)]), "return at_most"),
    ],
)
def test_a_norm_of_something_else_says_what_to_do(taken, of, complaint):
    with pytest.raises(TypeError, match=complaint):
        taken(of)


def met(conditions, given, **numbers):
    asked = claim(lambda: equal(0, 0), {}, sizes={})
    asked = replace(asked, given=given, assuming=conditions)
    point = {name: np.array(value, dtype=object) for name, value in numbers.items()}
    return meets_hypotheses(asked, {"d": 2}, point)


def test_a_condition_that_is_a_bound_is_judged_exactly():
    inside = {"‖x‖ ≤ C": WITHIN["‖x‖ ≤ C"]}
    given = {"x": "d", "C": ""}
    assert met(inside, given, x=[1, 1], C=Fraction(1414213563, 10**9))
    assert not met(inside, given, x=[1, 1], C=Fraction(1414213562, 10**9))
    several = {"|x_i| ≤ C": lambda x, C: [at_most(absolute(x), C), at_most(0, C)]}
    assert met(several, given, x=[1, -2], C=2)
    assert not met(several, given, x=[1, -3], C=2)
    assert met({"d ≤ 2": lambda d: at_most(d, 2)}, given, x=[0, 0], C=0)


@pytest.mark.parametrize(
    "answer", [lambda x: x > 0, lambda x: equal(x, x), lambda x: [at_most(x, 1), True], lambda x: 1]
)
def test_a_condition_that_answers_with_something_else_is_refused(answer):
    result = decide(claim(lambda x: equal(x, x), {"x": "d"}, assuming={"odd": answer}), ALL)
    assert result.verdict == "error"
    assert "answered with a" in (result.reason or "") and "at_most(norm(x), C)" in (
        result.reason or ""
    )


def test_sizes_that_a_bound_on_sizes_excludes_are_not_checked():
    few = claim(
        lambda x: equal(without(x, x, 0), x),
        {"x": "d"},
        assuming={"d ≤ 2": lambda d: at_most(d, 2)},
    )
    assert few.every_size == [{"d": 1}, {"d": 2}]


@pytest.mark.parametrize("sizes", [{"d": 1}, {"d": 2}, {"d": 3}])
def test_bounding_symbols_are_tried_at_their_least_values(sizes):
    row = drift()
    tight = 0
    for point in candidates(row, sizes, 3):
        largest = max(sum(v * v for v in point[name].flat) for name in ("x", "u"))
        C = point["C"].item()
        tight += 0 < largest <= C**2 and (C - Fraction(1, STEPS)) ** 2 < largest
    assert tight >= 10


def test_small_step_sizes_are_found_where_a_condition_asks_for_them():
    small = {**WITHIN, "ηC² ≤ 1/9": lambda eta, C: at_most(9 * eta * C**2, 1)}
    row = drift(conditions=small)
    found = [p for p in candidates(row, {"d": 2}, 3) if statements_at(row, {"d": 2}, p)]
    assert sum(1 for p in found if p["eta"].item() and p["C"].item()) >= 6
    point = {**found[0], "eta": np.array(Fraction(2)), "C": np.array(Fraction(3))}
    assert fitting(row, {"d": 2}, point) is not None


@pytest.mark.short("false0")
@pytest.mark.parametrize(
    "false",
    [
        drift(factor=Fraction(99, 100)),
        drift(power=1),
        drift(conditions={k: c for k, c in WITHIN.items() if k != "η ≥ 0"}),
        drift(conditions={k: c for k, c in WITHIN.items() if k != "‖u‖ ≤ C"}),
    ],
)
def test_a_false_bound_is_refuted_and_its_script_shows_it(false, tmp_path):
    result = decide(false, ALL)
    assert result.verdict == "refuted" and result.counterexample is not None
    path = tmp_path / "shown.py"
    path.write_text(script(false, result.counterexample), encoding="utf-8")
    assert subprocess.run([sys.executable, "-I", "-S", path], check=False).returncode == 0


def test_a_bound_with_roots_fails_with_the_roots_in_its_counterexample():
    def body(x, B, b):
        return at_most(norm(without(B @ x, x, 0)), b * absolute(x).sum() / 2)

    below = {"‖B‖ ≤ b": lambda B, b: at_most(operator_norm(B), b), "d = 3": lambda d: d == 3}
    result = decide(claim(body, {"x": "d", "B": "d d", "b": ""}, assuming=below), ALL)
    assert result.verdict == "refuted" and result.counterexample is not None
    assert "b" in result.counterexample.inputs


@pytest.mark.long
def test_a_bound_that_was_not_put_to_the_kernel_is_unknown():
    result = decide(drift(), FIXED)
    assert result.verdict == "unknown"
    assert "by the kernel, which was not asked" in (result.reason or "")


@pytest.mark.long
@pytest.mark.parametrize("engine", ["all", "kernel"])
def test_a_bound_is_proved_for_all_sizes_by_the_kernel(engine):
    result = decide(drift(), ENGINES[engine])
    assert (result.verdict, result.scope) == ("proved", "all-sizes")
    assert [e["engine"] for e in result.evidence] == ["kernel", "balls"]


@pytest.mark.long
@pytest.mark.parametrize("equation", [True, False])
def test_every_statement_of_a_claim_with_a_bound_must_be_shown(equation):
    def body(x, u, eta, C):
        yield at_most(norm(without(x, u, eta)), (1 + eta * C**2) * C)
        if equation:
            yield equal(without(x, u, eta) @ u, (x @ u) * (1 - eta * (u @ u)))
        else:  # true, and not proved by anything here
            yield determines(x + u, u + x)

    result = decide(claim(body, VECTORS, assuming=WITHIN), ALL)
    assert result.verdict == ("proved" if equation else "unknown")


@pytest.mark.long
def test_an_unknown_bound_names_the_conditions_that_no_proof_can_use():
    plain = {**WITHIN, "η ≥ 0": lambda eta: eta >= 0}
    result = decide(drift(conditions=plain), ALL)
    assert result.verdict == "unknown"
    assert (result.reason or "").endswith("instead of at_most(…): η ≥ 0")


@pytest.mark.long
def test_one_false_equation_refutes_a_claim_with_a_true_bound():
    def body(x, u, eta, C):
        yield at_most(norm(without(x, u, eta)), (1 + eta * C**2) * C)
        yield equal(without(x, u, eta), x)

    result = decide(claim(body, VECTORS, assuming=WITHIN), ALL)
    assert result.verdict == "refuted" and result.counterexample is not None
    assert result.counterexample.part == 1


def test_a_bound_on_empty_arrays_is_an_error():
    row = claim(lambda x, N: at_most(norm(without(x, x, 0)[N:]), 0), {"x": "N"})
    assert decide(claim(lambda x, N: at_most(norm(x[N:]), 0), {"x": "N d"}), ALL).verdict == "error"
    assert row.every_size


@pytest.mark.long
def test_a_reading_has_the_measures_and_the_hypotheses():
    def body(X, eta, C, B):
        yield at_most(norm(X @ B), C)
        yield at_most(absolute(X[:, 0]), absolute(eta) + C)
        yield at_most(operator_norm(B), C)

    conditions = {
        "rows": lambda X, C: at_most(norm(X), C),
        "η ≥ 0": lambda eta: [at_most(0, eta), at_most(eta, 1)],
        "numbers": lambda eta: eta < 3,
    }
    row = claim(body, {"X": "n d", "B": "d d", "eta": "", "C": ""}, assuming=conditions)
    with proving() as current:
        interpretation = formulas(row, current)
        assert [(p.measure, p.left.ndim, p.right.ndim) for p in interpretation.parts] == [
            ("norm", 2, 1),
            ("absolute", 1, 1),
            ("operator", 2, 0),
        ]
        assert [(p.condition, p.measure) for p in interpretation.conditions] == [
            ("rows", "norm"),
            ("η ≥ 0", ""),
            ("η ≥ 0", ""),
        ]
        assert disagreement(row, interpretation) is None
        wrong = replace(interpretation.conditions[0], left=interpretation.conditions[0].left * 2)
        forged = replace(interpretation, conditions=[wrong, *interpretation.conditions[1:]])
        assert "not the claim's own" in (disagreement(row, forged) or "")


def test_a_condition_that_is_another_one_on_symbols_is_no_hypothesis():
    def smuggled(x, u, eta, C):
        on_numbers = type(C).__name__ != "Recorded"
        return at_most(0, 1) if on_numbers else at_most(norm(without(x, u, eta)), C)

    def body(x, u, eta, C):
        return at_most(norm(without(x, u, eta)), C)

    row = claim(body, VECTORS, assuming={"smuggled": smuggled})
    result = decide(row, ENGINES["kernel"])
    assert "not the claim's own" in (result.reason or "")


@pytest.mark.parametrize(
    "body",
    [
        lambda x, C: at_most(norm(x) + norm(x), 2 * C),
        lambda x, C: at_most(norm(x), norm(x)),
        lambda x, C: equal(norm(x), C),
        lambda x, C: at_most(norm(x) - norm(x), C),
    ],
)
def test_a_norm_elsewhere_than_alone_on_the_left_is_not_read(body):
    with proving() as current, pytest.raises(Unreadable, match="elsewhere than alone"):
        formulas(claim(body, {"x": "d", "C": ""}), current)


@pytest.mark.long
def test_enclosures_certify_a_true_bound_and_refute_a_false_one():
    true, false = drift(), drift(factor=Fraction(1, 2))
    found = {}
    for row in (true, false):
        found[row] = [
            one
            for sizes in row.every_size
            for point in candidates(row, sizes, 2)
            if statements_at(row, sizes, point)
            for one in enclosed(row, sizes, point)
        ]
    assert all(one.holds is not False for one in found[true])
    assert sum(one.holds is True for one in found[true]) > len(found[true]) / 2
    assert any(one.holds is False for one in found[false])
    assert max(one.radius for one in found[true]) < 1e-30


@pytest.mark.long
def test_enclosures_contradict_no_bound_of_the_ledger_that_is_not_refuted():
    tried = 0
    for row in (one for r in built_in().rows for one in (r.claim, *r.amendments)):
        if row.kind != "bound" or row.body is None:
            continue
        wrong = []
        for sizes in row.every_size[:3]:
            for point in candidates(row, sizes, 1):
                if statements_at(row, sizes, point):
                    found = enclosed(row, sizes, point)
                    tried += len(found)
                    wrong += [one for one in found if one.holds is False or one.radius > 1e-15]
        assert wrong == [] or decide(row, ENGINES["all"]).verdict == "refuted"
    assert tried > 20


def test_a_long_exact_number_is_written_as_a_sum_of_the_same_value():
    number = sum((sympy.exp(sympy.Rational(n, 7)) * n for n in range(1, 30)), sympy.Integer(0))
    (text,) = nested(np.array([number], dtype=object))
    assert sympy.sympify(text) == number
