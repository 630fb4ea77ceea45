"""Theorem 5.1 with the printed sign: refuted by an argument about limits, which takes no false step."""

import inspect
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from scanproof.constructs import tokens
from scanproof.constructs.arrays.gradient import gradient
from scanproof.constructs.constructions import two_examples
from scanproof.constructs.layers import hybrid, lsa, ssd
from scanproof.constructs.learners.descent import stochastic_gradient_descent
from scanproof.constructs.learners.losses import HALF_SUM
from scanproof.proofs import report as reports
from scanproof.proofs.check.instances.evaluate import in_symbols
from scanproof.proofs.check.limits import BY_THE_RULES, Near, refute
from scanproof.proofs.claims.ssd import printed_sign
from scanproof.proofs.decide.dependence import tainted
from scanproof.proofs.decide.ledger import built_in
from scanproof.proofs.decide.verdict import Result, decide
from scanproof.proofs.exact.engines import ENGINES, FLINT, SYMPY, holds
from scanproof.proofs.language.source import Source
from scanproof.proofs.language.statements import Part, approached, equal
from scanproof.proofs.report.script import script

CLAIMS = {c.id: c for row in built_in().rows for c in (row.claim, *row.amendments)}
THEOREM = CLAIMS["ssd.thm5.1"]
SIZES = {"l": 2, "n": 3, "d": 8}


@pytest.mark.long
def test_the_theorem_with_the_printed_sign_is_refuted_for_all_parameters(tmp_path):
    found = decide(THEOREM, ENGINES["flint"])
    assert (found.verdict, found.scope) == ("refuted", None)
    assert found.counterexample is not None
    shown = found.counterexample
    assert (shown.sizes, shown.claimed, shown.actual) == (SIZES, "0", "-7/4")
    (entry,) = found.evidence
    assert entry["method"] == "limit" and entry["steps"][-1].endswith("and → -7/4*eta^3")
    schema = json.loads(Path(reports.__path__[0], "report.schema.json").read_text("utf-8"))
    jsonschema.validate(entry, {**schema, **schema["$defs"]["evidence"]})
    jsonschema.validate(shown.as_json(), {**schema, **schema["$defs"]["counterexample"]})
    path = tmp_path / "limit.py"
    path.write_text(script(THEOREM, shown), encoding="utf-8")
    done = subprocess.run([sys.executable, "-I", "-S", str(path)], capture_output=True, text=True)
    assert done.returncode == 0 and "-7/4" in done.stdout


def test_what_it_rests_on_is_proved(report):
    scopes = {
        f"ssd.thm5.1+{name}": scope
        for name, scope in (
            ("two-examples", "fixed-size"),
            ("printed-line", "all-sizes"),
            ("printed-zeros", "all-sizes"),
            ("printed-query", "fixed-size"),
        )
    }
    (row,) = (claim for claim in report["claims"] if claim["id"] == THEOREM.id)
    found = {a["id"]: (a["verdict"], a["scope"]) for a in row["amended"]}
    assert {id: found[id] for id in scopes} == {id: ("proved", s) for id, s in scopes.items()}
    assert found["ssd.thm5.1+printed-coefficients"][0] == "proved"


@pytest.mark.long
@pytest.mark.parametrize(
    ("order", "mask"),
    [((2, 0), lsa.causal_mask), ((0, 1), lsa.examples_mask)],
)
def test_the_order_of_the_two_examples_and_the_mask_of_attention_do_not_matter(order, mask):
    found = refute(stated(order=order, mask=mask), SIZES, 0)
    assert not isinstance(found, str)
    assert found[0].actual == "-7/4"


def stated(argument: Any = None, n=3, l=2, **options):
    """The theorem's claim, with other readings or another argument."""

    def body(L, S, Q, rho, g, b, s, eta, xp, l, d):
        p = printed_sign.Line(L, S, Q, rho, g, b)
        order = options.get("order", tuple(range(l)))
        found = printed_sign.approaches(p, s, eta, xp, **{"order": order, **options})
        if argument is None:
            return found
        c = printed_sign.scalars(p)
        return replace(found, refutation=lambda facts: argument(facts, c, s, eta))

    return replace(THEOREM, body=body, options={}, sizes={"l": (l,), "n": (n,), "d": (8,)})


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"sign": -1}, "no common factor"),  # +reverse+sign
        ({"n": 2}, "without a contradiction"),  # +two-examples
        ({"l": 1}, "without a contradiction"),  # +one-layer
    ],
)
def test_what_some_parameters_do_is_not_refuted(changes, says):
    claim = stated(**changes)
    found = decide(claim, ENGINES["flint"])
    assert found.verdict == "unknown" and says in (found.reason or "")


def test_the_row_s_own_reading_of_the_sign_is_the_one_that_decides():
    found = decide(replace(THEOREM, options={"sign": -1}), ENGINES["flint"])
    assert found.verdict == "unknown"


def test_too_few_features_are_an_error():
    found = decide(replace(THEOREM, sizes={**THEOREM.sizes, "d": (7,)}), ENGINES["flint"])
    assert found.verdict == "error" and "more features" in (found.reason or "")


def with_two(facts, c, s, eta):
    """The argument with the unused example left out, as if it were one of two."""
    one = 1 + 0 * eta
    Q = facts.is_one("all examples", 0, (1, 1), 0, ("s[1]", eta, one))
    grown = [facts.near(f"[y_{j + 1} s_{j + 1}]") - Q((1, 0)) for j in range(2)]
    return facts.contradiction("y_j s_j", grown[0], grown[1])


def test_two_examples_give_no_contradiction_by_two_expressions():
    assert "two expressions" in refute(stated(with_two, n=2), {**SIZES, "n": 2}, 0)


def F_1(facts, c, s, eta, at=(1, 0, 0)):
    one = 1 + 0 * eta
    Q = facts.is_one("all examples", 0, (1, 1, 0), 0, ("s[1]", eta, one))
    F = facts.all_one("example 3 alone")
    kappa = facts.near("[y_3 s_3]") - Q((0, 0, 1)) - F(1, (0, 0, 1))
    gamma = facts.near("[y_1 s_1]") - Q((1, 0, 0)) - kappa
    return facts.is_whole("example 1 alone", 1, at, gamma, ("s[0]", one, 0 * eta)), gamma


WRONG = {
    "two expressions": lambda f, c, s, eta: f.contradiction("", f.near("[y_1 s_1]"), f.as_fact(0)),
    "may be equal": lambda f, c, s, eta: f.contradiction(
        "", f.near("[y_1 s_1]"), f.near("[y_1 s_1]")
    ),
    "no common factor": lambda f, c, s, eta: f.is_one(
        "all examples", 0, (1, 1, 0), 0, ("s[1]", eta, 0 * eta)
    ),
    "may be all of": lambda f, c, s, eta: f.is_one(
        "all examples", 0, (0, 1, 1), 0, ("s[1]", eta, 1 + 0 * eta)
    ),
    "differ": lambda f, c, s, eta: F_1(f, c, s, eta, at=(2, 0, 0)),
    "not 1": lambda f, c, s, eta: f.all_one("example 1 alone"),
    "may be ~ 0": lambda f, c, s, eta: f.quotient(0, f.as_fact(0), f.near("[y_3 s_3]")),
    "another expression": lambda f, c, s, eta: f.quotient(c.alpha[0], *2 * [f.near("[y_1 s_1]")]),
    "parameters or data": lambda f, c, s, eta: f.as_fact(c.alpha[0]),
    "no single": lambda f, c, s, eta: f.near("example 1 alone"),
    "first degree": lambda f, c, s, eta: f.is_one(
        "all examples", 0, (1, 1, 0), 0, ("s[1]", s[1] * s[1], 1 + 0 * eta)
    ),
    "does not occur": lambda f, c, s, eta: f.is_one(
        "all examples", 0, (1, 1, 0), 0, ("s[2]", eta, 1 + 0 * eta)
    ),
    "rules only": lambda f, c, s, eta: Near(f, 0, f.as_fact(1).r, "1"),
    "another argument": lambda f, c, s, eta: f.as_fact(Near(None, 0, None, "", BY_THE_RULES)),  # type: ignore[arg-type]
    "without a contradiction": lambda f, c, s, eta: "refuted",
}


@pytest.mark.long_cases("differ", "not 1", "no single")
@pytest.mark.parametrize("says", WRONG)
def test_a_false_step_is_refused(says: str):
    found = refute(stated(WRONG[says]), SIZES, 0)
    assert isinstance(found, str) and says in found


@pytest.mark.long
def test_the_argument_s_first_part_is_accepted_where_its_steps_are_the_rules():
    def argument(facts, c, s, eta):
        F, gamma = F_1(facts, c, s, eta)
        return facts.contradiction("", F((1, 0, 0)), gamma)

    assert "may be equal" in refute(stated(argument), SIZES, 0)


def small(parts, refutation: Any = None, **fields):
    """A claim of its own: parameters a, b, the number eta and the datum t."""
    source = Source("small", "small")
    given = {"a": "", "b": "", "eta": "", "t": ""}
    known = {
        "kind": "existence",
        "given": given,
        "over_all_parameters": ("a", "b"),
        "assuming": {"η ≠ 0": lambda eta: eta != 0},
    }

    @source.claim("small.one", says="…", **{**known, **fields})
    def one(a, b, eta, t, xp):
        lsa.causal_mask(xp, 2)  # some definition has to run
        return approached(
            {name: (lambda part=part: part) for name, part in parts(a, b, eta, t).items()},
            numbers=("eta",),
            data=("t",),
            refutation=refutation and (lambda facts: refutation(facts, a, b, eta, t)),
        )

    return one.claim


def test_what_grows_without_bound_may_come_near():
    """a b → 1 and b → 0 have no contradiction, though no two numbers a and b do it."""

    def parts(a, b, eta, t):
        return {"a b": Part(a * b, 1 + 0 * eta), "b": Part(b, 0 * eta)}

    def divided(facts, a, b, eta, t):
        return facts.quotient(a, facts.near("a b"), facts.near("b"))

    assert "may be ~ 0" in refute(small(parts, divided), {}, 0)


def test_factors_must_have_the_product_and_the_constant_term_that_are_said():
    def one(facts, a, b, eta, t):
        return facts.all_one("f")

    wrong = small(lambda a, b, eta, t: {"f": Part(1 + a * t, 1 + 0 * t, (1 + b * t,))}, one)
    assert "not the product" in refute(wrong, {}, 0)
    wrong = small(lambda a, b, eta, t: {"f": Part(a + t, 1 + 0 * t, (a + t,))}, one)
    assert "not 1" in refute(wrong, {}, 0)
    wrong = small(lambda a, b, eta, t: {"f": Part(1 + a * t, 1 + b * t)}, one)
    assert "parameters in what is wanted" in refute(wrong, {}, 0)


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"assuming": {}}, "≠ 0"),
        ({"assuming": {"η ≥ 0": lambda eta: eta >= 0}}, "≠ 0"),
        (
            {"assuming": {"η ≠ 0": lambda eta: eta != 0, "a > 0": lambda a: a > 0}},
            "more than the numbers",
        ),
        ({"over_all_parameters": ("a",)}, "neither a number nor data nor a parameter"),
        ({"over_all_parameters": ("a", "b", "t")}, "kept apart"),
    ],
)
def test_the_numbers_parameters_and_data_must_be_what_the_claim_says(fields, says):
    claim = small(lambda a, b, eta, t: {}, lambda facts, *_: None, **fields)
    assert says in refute(claim, {}, 0)


def test_a_simple_row_is_refuted_and_only_if_it_says_that_parameters_exist():
    """(1 + a t)(1 + b t) → 1 + η t, a → η and b → η."""

    def parts(a, b, eta, t):
        factors = 1 + a * t, 1 + b * t
        one = {"f": Part(factors[0] * factors[1], 1 + eta * t, factors)}
        return {**one, "a": Part(a, eta), "b": Part(b, eta)}

    def argument(facts, a, b, eta, t):
        # The squares stand for t where only they occur; here the powers themselves count.
        whole = facts.is_whole("f", 0, (1,), facts.near("a"), ("t", 1 + 0 * eta, 0 * eta))
        assert whole((1,)).r == facts.near("a").r
        other = facts.is_one("f", 1, (2,), 0, ("t", 1 + 0 * eta, 0 * eta))
        return other

    assert "may be all of" in refute(small(parts, argument), {}, 0)

    def given(a, b, eta, t):
        return {"a": Part(a, eta), "a again": Part(a, 2 * eta)}

    def twice(facts, a, b, eta, t):
        return facts.contradiction("a", facts.near("a"), facts.near("a again"))

    assert decide(small(given, twice), ENGINES["flint"]).verdict == "refuted"
    assert decide(small(given, twice), ENGINES["sympy"]).verdict == "refuted"
    assert decide(small(given, twice, kind="remark"), ENGINES["flint"]).verdict == "unknown"
    assert decide(small(given), ENGINES["flint"]).verdict == "unknown"


def test_a_contradiction_of_another_argument_is_none():
    kept = []

    def parts(a, b, eta, t):
        return {"a": Part(a, eta), "a again": Part(a, 2 * eta)}

    def argument(facts, *_):
        kept.append(facts.contradiction("a", facts.near("a"), facts.near("a again")))
        return kept[0]

    claim = small(parts, argument)
    assert not isinstance(refute(claim, {}, 0), str)
    assert "without a contradiction" in refute(claim, {}, 0)


def random_layers(rng, d: int, n: int):
    """Two layers with all entries free, and a unit vector orthogonal to the seven."""
    made = [
        hybrid.Parameters(
            ssd_mask=rng.normal(size=(n + 1, n + 1)) * lsa.causal_mask(np, n + 1),
            S=rng.normal(size=(d + 1, d + 1)),
            lsa_mask=lsa.causal_mask(np, n + 1),
            P=rng.normal(size=(d + 1, d + 1)),
            Q=rng.normal(size=(d + 1, d + 1)),
        )
        for _ in range(2)
    ]
    one, two = made
    seven = [
        *(side for M in (one.S, one.Q) for side in (M[:d, d], M[d, :d])),
        one.P[d, :d],
        two.P[d, :d],
        two.P[d, :d] @ one.P[:d, :d],
    ]
    assert len(seven) == len(printed_sign.MIXING)
    return made, np.linalg.svd(np.stack(seven))[2][-1]


def on_a_line(made, v) -> printed_sign.Line:
    """The two layers in the four coordinates."""
    one, two = made
    d = len(v)
    G = np.zeros((d + 1, 4))
    G[:d, 0], G[:d, 1], G[:d, 2], G[d, 3] = v, one.P[:d, :d] @ v, one.P[:d, d], 1
    row = two.P[d] @ G
    return printed_sign.Line(
        L=np.stack([p.ssd_mask for p in made]),
        S=np.stack([G.T @ p.S @ G for p in made]),
        Q=np.stack([G.T @ p.Q @ G for p in made]),
        rho=one.P[d, d],
        g=row[2],
        b=row[3],
    )


@pytest.mark.parametrize("seed", range(3))
def test_layers_with_free_entries_respond_like_those_in_four_coordinates(seed: int):
    rng = np.random.default_rng(seed)
    made, v = random_layers(rng, 8, 3)
    s, y = rng.normal(size=3), rng.normal(size=3)
    zero = np.asarray(0.0)

    def label(t, q):
        x = np.stack([*(s[:, None] * v), 0 * v])
        Z = tokens.labelled(x, 0 * y).T
        Z = Z + t * np.outer(np.eye(9)[8], [*y, 0]) + q * np.outer([*v, 0], np.eye(4)[3])
        for p in made:
            Z = hybrid.layer(p, Z)
        return Z[8, 3]

    found = gradient(lambda t: gradient(lambda q: label(t, q), zero), zero)
    wanted = printed_sign.response(on_a_line(made, v), s, y, np)
    assert abs(found - wanted) <= 1e-9 * abs(wanted)
    assert abs(wanted) > 1e-6


@pytest.mark.parametrize("eta", [0.7, -0.4])
def test_two_layers_of_decays_do_two_steps_on_two_examples_up_to_eps(eta: float):
    rng = np.random.default_rng(0)
    x, y = rng.uniform(-1, 1, (3, 1)), rng.uniform(-1, 1, 2)
    wanted = stochastic_gradient_descent(HALF_SUM, np.zeros(1), x[:2], y, eta)[0] * x[2, 0]

    def error(eps):
        eps = np.asarray(eps)
        mask = ssd.decay_mask(two_examples.decays(np, eps))
        Z = tokens.labelled(x, y).T
        for p in two_examples.layers(np, mask, eps**3, eta, eps, eta**2 / eps):
            Z = hybrid.layer(p, Z)
        return abs(Z[1, 2] - wanted)

    errors = [error(eps) for eps in (2e-3, 1e-3)]
    assert errors[1] < 1e-2
    assert 1.9 < errors[0] / errors[1] < 2.1


def test_the_two_sides_of_the_limit_differ_in_the_third_coefficient():
    """U + pU² + qU³, U = X(1 + δX)², with 2δ + p = 0 and q = 0 has −7η²/4 at X³ for p = η."""
    eta = 1.0
    delta, p = -eta / 2, eta
    U = np.polynomial.Polynomial([0, 1, 2 * delta, delta**2])
    assert (U + p * U**2).coef[2] == 0
    assert (U + p * U**2).coef[3] == -7 / 4


@pytest.mark.long
def test_the_identity_of_the_skew_part_holds_by_both_engines():
    """D_12 − D_13, which the reading of +printed-coefficients gives."""

    def body(L, S, Q, rho, g, b, s, eta, xp, n):
        p = printed_sign.Line(L, S, Q, rho, g, b)
        c = printed_sign.scalars(p)

        def response(s, y):
            return printed_sign.response(p, s, y, xp)

        kappa = c.beta + c.b * c.C[0]
        grown = [kappa + c.gamma[j] * c.B[0] for j in range(n)]
        claimed = (kappa * c.B[0] - c.B[1]) * (c.gamma[1] - c.gamma[2])
        claimed = claimed + (c.alpha[1] - c.alpha[2]) * grown[0]
        claimed = claimed - c.alpha[0] * (grown[1] - grown[2])
        skew = [printed_sign.skew(response, 0, k, n, xp) for k in (1, 2)]
        return equal(skew[0] - skew[1], claimed)

    claim = replace(THEOREM, body=body, options={}, sizes={"l": (2,), "n": (3,)}, assuming={})
    for engine in (FLINT, SYMPY):
        (statement,) = in_symbols(engine, claim, {"l": 2, "n": 3})
        assert holds(statement)  # type: ignore[arg-type]


def test_a_failing_witness_says_nothing_of_other_parameters():
    claim = replace(THEOREM, parameters=lambda xp: (xp.zeros((1,)),))
    found = refute(claim, SIZES, 0)
    assert isinstance(found, str)
    assert "witness of its own" in found


def test_an_argument_about_limits_is_tainted_where_a_row_that_it_rests_on_falls():
    needed = [THEOREM, *(CLAIMS[id] for id in THEOREM.depends_on)]
    limit = {"method": "limit", "axioms": []}
    results = {c.id: Result("proved", "all-sizes") for c in needed[1:]}
    results[THEOREM.id] = Result("refuted", evidence=[limit])
    assert tainted(needed, results) == set()
    results[needed[-1].id] = Result("refuted")
    assert tainted(needed, results) == {THEOREM.id}


def test_names_that_are_more_than_a_line_are_refused():
    statement: Any = THEOREM.body

    def named(*arguments, **values):
        found = statement(*arguments, **values)
        return replace(
            found,
            refutation=lambda facts: facts.named(facts.as_fact(0), "a\nprint(1)"),
        )

    named.__signature__ = inspect.signature(statement)
    found = refute(replace(THEOREM, body=named), SIZES, 0)
    assert isinstance(found, str)
    assert "control characters" in found
