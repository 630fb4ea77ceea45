"""The rows of `open`, and what their arguments rest on: each condition is needed, and one step is never excluded."""

from dataclasses import replace

import numpy as np
import pytest

from scanproof.constructs import tokens
from scanproof.constructs.arrays.array_api import outer, unit
from scanproof.constructs.arrays.gradient import gradient
from scanproof.constructs.arrays.norms import absolute, operator_norm
from scanproof.constructs.constructions.gram_polynomial import (
    gram_layer,
    gram_polynomial,
    selecting_last,
)
from scanproof.constructs.constructions.value_projection import label_value, selecting_decays
from scanproof.constructs.layers import hybrid, lsa, ssd
from scanproof.constructs.layers.hybrid_terms import half_step_term
from scanproof.constructs.learners.descent import gradient_descent, stochastic_gradient_descent
from scanproof.constructs.learners.losses import HALF_SUM, MEAN
from scanproof.constructs.learners.operators import batch_gram, steps_polynomial
from scanproof.proofs.check.instances.evaluate import in_symbols
from scanproof.proofs.claims.open import batch_steps, first_order, two_layers
from scanproof.proofs.claims.ssd import single_example
from scanproof.proofs.decide.ledger import built_in
from scanproof.proofs.decide.verdict import decide
from scanproof.proofs.exact.engines import ENGINES, FIXED, FLINT, holds
from scanproof.proofs.language.source import Source
from scanproof.proofs.language.statements import Equal, at_most, equal

LEDGER = {c.id: c for row in built_in().rows for c in (row.claim, *row.amendments)}
EXISTENCE = (
    "ssd.remark4.1-lsa",
    "open.lsa-causal-stack",
    "open.eq5-two-layers",
    "open.first-order-select",
    "open.thm5.2-context-free",
    "open.window-two",
    "open.mask-product",
    "ssd.thm5.2",
)
"""Refuted for all parameters: the last part fails and every other one holds."""


def verdict(body, given, sizes):
    source = Source("test", title="claims of known truth")
    row = source.claim("test.row", says="…", given=given, sizes=sizes)(body)
    return decide(row.claim, ENGINES["flint"]).verdict


def parts(id):
    claim = LEDGER[id]
    return in_symbols(FLINT, claim, claim.every_size[0])


@pytest.mark.short("open.mask-product")
@pytest.mark.long_cases("context-free")
@pytest.mark.parametrize("id", EXISTENCE)
def test_only_what_the_parameters_would_have_to_do_fails(id):
    claim = LEDGER[id]
    result = decide(claim, FIXED)
    assert (claim.kind, result.verdict) == ("existence", "refuted")
    assert claim.over_all_parameters
    shown = [holds(statement) for statement in parts(id) if isinstance(statement, Equal)]
    assert shown[0] is True and shown[-1] is False


@pytest.mark.long
def test_exchanging_example_and_query_changes_layers_that_read_the_features():
    def swapped(value, Q, x, alpha, gamma, xp):
        output = single_example.label_layers(value, Q, xp, 1)

        def slope(a, b):
            return gradient(lambda y: output(a * x, y, b * x), xp.asarray(0))

        return equal(slope(alpha, gamma), slope(gamma, alpha))

    given = {"value": "2 d+1", "Q": "2 d+1 d+1", "x": "d", "alpha": "", "gamma": ""}
    assert verdict(swapped, given, {"d": (2,)}) == "refuted"


@pytest.mark.long
def test_neither_exchange_nor_relation_excludes_one_step():
    def one_step(x, alpha, gamma, eta, rate, xp):
        yield equal(*single_example.steps_exchanged(x, alpha, gamma, eta, xp, 1, 1))
        yield equal(batch_steps.steps_relation(rate, xp, 1), 0 * rate)

    given = {"x": "d", "alpha": "", "gamma": "", "eta": "", "rate": ""}
    assert verdict(one_step, given, {"d": (1, 2)}) == "proved"


def test_over_the_complex_numbers_two_features_and_one_example_do_two_steps():
    rng = np.random.default_rng(0)
    rate = 0.7
    p_1, b = np.array([1, 1j, 0]) * (-rate / 2), np.array([1, -1j])
    Q_1 = np.zeros((3, 3), complex)
    Q_1[:2, 2] = b
    value = np.stack([p_1, np.array([0, 0, 1])])
    Q = np.stack([Q_1, np.diag([2 * rate, 2 * rate, 0])])
    output = single_example.label_layers(value, Q, np, 1)
    for _ in range(3):
        x_1, x_q, y_1 = rng.normal(size=2), rng.normal(size=2), rng.normal()
        Z = single_example.example_and_query(x_1, np.asarray(y_1), x_q, np, 1)
        two_steps = single_example.steps_at_the_query(Z, rate / 2, np, 2)
        np.testing.assert_allclose(output(x_1, y_1, x_q), two_steps, rtol=1e-12)


@pytest.mark.long
def test_the_relation_needs_a_label_row_or_a_form_that_vanishes_on_the_feature():
    def any_layer(a, S, P, Q, rate, xp):
        output = batch_steps.layer_output(a, S, P, Q, xp)

        def slope(k, l):
            return gradient(lambda y: output(k, y, l), xp.asarray(0))

        return equal(batch_steps.relation(slope), 0 * rate)

    assert verdict(any_layer, {**batch_steps.LINE, "rate": ""}, {}) == "refuted"


def test_a_free_mask_escapes_the_relation_and_does_two_steps():
    """The query's column alone in the SSD sublayer, and LSA with a mask that hides the query from itself."""
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(4, 2)), rng.normal(size=3)
    rate, root = 2 * 0.1 / 3, np.sqrt(2)
    seen = np.outer([1, 1, 1, 0], [0, 0, 0, 1])
    first = ssd.layer(tokens.labelled(x, y).T, seen, 3 * rate * (1 + root) * np.diag([1, 1, 0]))
    value = np.diag([0, 0, 1])
    second = lsa.layer(first, seen, value, 3 * rate * (1 - root) * np.diag([1, 1, 0]))
    w_2 = gradient_descent(MEAN, np.zeros(2), x[:3], y, 0.1, 2)
    np.testing.assert_allclose(second[2, 3], w_2 @ x[3], rtol=1e-12)


@pytest.mark.long
def test_the_two_layer_relation_needs_the_diagonal_of_a_mask_of_decays():
    def free_diagonal(a, S, g, xp):
        one = xp.ones((1,))

        def output(x_1, y_1, x_2):
            Z = single_example.example_and_query(x_1 * one, y_1, x_2 * one, xp, 1)
            for layer in range(2):
                own = g[layer] * outer(unit(xp, 2, 0), unit(xp, 2, 0))
                Z = ssd.layer(Z, ssd.decay_mask(a[layer]) + own, S[layer])
            return Z[1, 1]

        _, c_1, c_2, c_3 = two_layers.responses(output, xp)
        _, (u, v) = two_layers.layers_responses(a, S, xp)
        return equal(c_1**3, u * c_2 + v * c_3)

    assert verdict(free_diagonal, {**two_layers.LAYERS, "g": "2"}, {}) == "refuted"


@pytest.mark.long
def test_what_selects_for_the_label_moves_the_features_too():
    def label_alone(L, S, P, Q, z, x_q, xp, t, gap, d):
        changes = (first_order.first_order(L, S, P, Q, z, x_q, j, xp) for j in (t - 1, t + gap))
        selected, other = changes
        return equal((selected - other)[:d], 0 * z[:d])

    given = {**first_order.PARAMETERS, **first_order.DATA}
    sizes = {"t": (1,), "gap": (0,), "after": (0,), "d": (1,)}
    assert verdict(label_alone, given, sizes) == "refuted"


@pytest.mark.parametrize("eps", [1e-2, 1e-4])
def test_decays_come_as_near_to_an_epoch_of_sgd_as_their_eps(eps):
    rng = np.random.default_rng(2)
    n, d, eta = 4, 3, 0.2
    x, y = rng.normal(size=(n + 1, d)), rng.normal(size=n)
    Z = tokens.labelled(x, y).T
    p = label_value(np, d, -eta * n * eps)
    for t in range(1, n + 1):
        mask = ssd.decay_mask(selecting_decays(np, t, n + 1 - t, eps))
        Z = lsa.layer(Z, mask, p.V, p.S)
    w = stochastic_gradient_descent(HALF_SUM, np.zeros(d), x[:n], y, eta)
    error = abs(Z[d, n] + w @ x[n])
    assert 0 < error < 100 * eps
    np.testing.assert_array_equal(Z[:d], x.T)


def test_parameters_for_k_steps_depend_on_the_inputs_through_their_gram_matrix_alone():
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(6, 2)), rng.normal(size=5)
    rotation, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    other = np.concatenate([rotation @ x[:3], x[3:]])
    one, two = (gram_polynomial(inputs, 3, 0.1, 4) for inputs in (x, other))
    np.testing.assert_allclose(one.S, two.S, rtol=1e-12, atol=1e-12)
    for inputs, p in ((x, one), (other, two)):
        w = gradient_descent(MEAN, np.zeros(2), inputs[:3], y[:3], 0.1, 4)
        after = hybrid.layer(p, tokens.labelled(inputs, y).T)
        np.testing.assert_allclose(after[2, 5], w @ inputs[5], rtol=1e-10)


@pytest.mark.parametrize("m", [2, 5])
def test_decays_in_the_unit_interval_do_k_steps_exactly_on_the_last_examples(m):
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(6, 2)), rng.normal(size=5)
    decays = selecting_last(np, 5 - m, m)
    assert set(decays) <= {0, 1}
    p = gram_layer(x, m, 0.1, 4, decays)
    w = gradient_descent(MEAN, np.zeros(2), x[5 - m : 5], y[5 - m :], 0.1, 4)
    after = hybrid.layer(p, tokens.labelled(x, y).T)
    np.testing.assert_allclose(after[2, 5], w @ x[5], rtol=1e-10)
    other = gram_layer(x, m, 0.1, 3, decays)
    assert abs(hybrid.layer(other, tokens.labelled(x, y).T)[2, 5] - w @ x[5]) > 1e-4


@pytest.mark.long
def test_the_bounds_on_theorem_5_2_need_their_factors():
    """Without its power the one is false, and with a sixth of its leading term the other."""

    def no_power(x, eta, C, xp, m, K):
        Q = steps_polynomial(batch_gram(x, m), m, eta, K)
        return at_most(operator_norm(Q), K * absolute(eta) / m)

    def halved(p, x, y, b, C, D, xp, m, r, d):
        n = m + r
        error = absolute(half_step_term(p, tokens.labelled(x, y).T, p.Q)[d])
        return at_most(error, m * b**2 * C**4 * D / (2 * n) * xp.ones((n + 1,)))

    for id, body in (("ssd.thm5.2-qsmall+uniform", no_power), ("ssd.thm5.2-e2+with-B", halved)):
        claim = LEDGER[id]
        assert decide(replace(claim, body=body), ENGINES["all"]).verdict == "refuted"
