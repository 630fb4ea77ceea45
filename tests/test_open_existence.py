"""Theorem 5.1 as a statement of existence: stacks in the reverse order and in turn, their masks, and what is not so."""

import numpy as np
import pytest

from scanproof.constructs import tokens
from scanproof.constructs.arrays.scan import scan
from scanproof.constructs.constructions import reverse_sgd, sequential_sgd
from scanproof.constructs.constructions.hybrid import theorem5_1_layers
from scanproof.constructs.layers import hybrid, ssd
from scanproof.constructs.learners.descent import stochastic_gradient_descent
from scanproof.constructs.learners.losses import HALF_SUM
from scanproof.numeric import x64
from scanproof.numeric.run import running
from scanproof.proofs.check.instances.evaluate import in_symbols
from scanproof.proofs.claims.open import printed_form
from scanproof.proofs.decide.ledger import built_in
from scanproof.proofs.decide.verdict import decide
from scanproof.proofs.exact.engines import ENGINES, FLINT, holds
from scanproof.proofs.language.statements import Equal

CLAIMS = {c.id: c for row in built_in().rows for c in (row.claim, *row.amendments)}
THEOREM = "ssd.thm5.1"
ALL_SIZES = [
    f"{THEOREM}+reverse+sign",
    f"{THEOREM}+reverse-three",
    f"{THEOREM}+reverse-step",
    f"{THEOREM}+in-turn-error",
    f"{THEOREM}+mask-error",
    "open.ssd-adjoint",
    "open.ssd-stack-any-accuracy",
    "open.mask-decays-at-most-1",
]
FIXED = [
    f"{THEOREM}+reverse-mask",
    f"{THEOREM}+in-turn",
    f"{THEOREM}+in-turn-mask",
    "open.mask-product+column",
    "open.mask-decays-at-most-1+order",
    "open.mask-decays-at-most-1+last",
    "open.ssd-printed-sign+factors",
    "open.thm5.1-form+pieces",
]
FAILS = {
    "open.mask-product": "refuted",
    "open.ssd-printed-sign": "unknown",
    "open.thm5.1-form": "unknown",
}
"""The first part holds for all parameters, the last one does not; where the failing equation still has parameters in
it, that no others meet it is an argument in words, and the verdict is unknown."""


@pytest.mark.long
@pytest.mark.parametrize("id", ALL_SIZES)
def test_what_is_proved_for_all_sizes(id: str):
    found = decide(CLAIMS[id], ENGINES["all"])
    assert (found.verdict, found.scope) == ("proved", "all-sizes")


@pytest.mark.long
@pytest.mark.parametrize("id", FIXED)
def test_what_is_proved_at_fixed_sizes(id: str):
    assert decide(CLAIMS[id], ENGINES["all"]).verdict == "proved"


@pytest.mark.short(3)
@pytest.mark.parametrize("id", FAILS)
def test_what_no_parameters_do(id: str):
    claim = CLAIMS[id]
    assert claim.kind == "existence" and claim.over_all_parameters
    found = decide(claim, ENGINES["all"])
    assert found.verdict == FAILS[id]
    parts = in_symbols(FLINT, claim, claim.every_size[0])
    shown = [holds(part) for part in parts if isinstance(part, Equal)]
    assert shown[0] is True and shown[-1] is False


def test_two_layers_of_the_proofs_form_do_two_steps_with_the_other_sign():
    """So it is the sign that open.thm5.1-form is about: p with −η² as it comes from (1 − ηx_1²)(1 − ηx_2²)."""
    eta, x_1, x_2 = 0.7, 0.9, -1.3
    L = np.zeros((2, 3, 3))
    L[0, 1, 2] = L[1, 0, 2] = -eta  # the last layer does the first step
    p = printed_form.Layers(L, np.zeros(2), np.zeros(2))
    moved = 1 - eta * x_2**2
    found = moved * printed_form.response(p, x_1, x_2, np)
    steps = printed_form.steps_response(np.asarray(x_1), np.asarray(x_2), eta, np)
    assert abs(found - (2 - steps)) < 1e-12


def data(n: int, d: int, seed: int = 0):
    rng = np.random.default_rng(seed)
    return rng.uniform(-1, 1, (n + 1, d)), rng.uniform(-1, 1, n)


def sgd(x, y, eta, order):
    return stochastic_gradient_descent(HALF_SUM, np.zeros(x.shape[1]), x[:-1], y, eta, order)


def reverse_label(x, y, eta, order, eps):
    """The query's label after SSD layers of Def. 3.2, with S = ε² diag(I, 0) and masks of decays."""
    n, d = len(y), x.shape[1]
    S = eps**2 * np.diag([1.0] * d + [0.0])
    Z = tokens.labelled(x, y).T
    for t in order[::-1]:
        decays = reverse_sgd.decays(np.eye(n)[t], np.asarray(eta), np.asarray(eps))
        Z = ssd.layer(Z, ssd.decay_mask(decays), S)
    return Z[d, n]


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 0, 2, 1, 0, 1], [1]])
def test_layers_of_decays_do_sgd_backwards_up_to_an_error_of_first_order_in_eps(order):
    x, y = data(3, 2)
    wanted = -(sgd(x, y, 0.7, order) @ x[-1])
    errors = [abs(reverse_label(x, y, 0.7, order, eps) - wanted) for eps in (2e-4, 1e-4)]
    assert errors[1] < 1e-3
    assert 1.9 < errors[0] / errors[1] < 2.1


def test_layers_in_the_order_of_the_steps_do_other_steps():
    x, y = data(3, 2)
    forwards = reverse_label(x, y, 0.7, [2, 1, 0], 1e-5)
    assert abs(forwards + sgd(x, y, 0.7, [0, 1, 2]) @ x[-1]) > 0.01


def in_turn_error(eta: float, l: int) -> float:
    x, y = data(3, 2)
    p = sequential_sgd.sequential(np, 3, 2, eta, l)
    Z = scan(reverse_sgd.layer_step, p, tokens.labelled(x, y).T, p.ssd_mask).final_state
    return float(Z[2, 3] - sgd(x, y, eta, list(range(l))) @ x[-1])


def printed_error(eta: float, l: int) -> float:
    """Of the printed construction with its scale mended, whose label has the other sign."""
    x, y = data(3, 2)
    Z = theorem5_1_layers(tokens.labelled(x, y).T, np.eye(4)[:l], eta, 0, ("scale", "sign")).states
    return float(Z[-1][2, 3] + sgd(x, y, eta, list(range(l))) @ x[-1])


@pytest.mark.parametrize("l", [2, 3])
def test_the_error_in_turn_is_cubic_in_the_step_size_and_that_of_the_printed_masks_quadratic(
    l: int,
):
    for error, order in ((in_turn_error, 3), (printed_error, 2)):
        slope = np.log2(abs(error(2e-3, l)) / abs(error(1e-3, l)))
        assert abs(slope - order) < 0.05
    assert abs(in_turn_error(0.1, l)) < abs(printed_error(0.1, l)) / 5


def test_in_turn_every_layer_holds_its_prediction():
    assert max(abs(in_turn_error(1e-3, l)) for l in (1, 2, 3)) < 2 * 1e-3**3


@pytest.mark.parametrize("construction", [reverse_sgd, sequential_sgd])
def test_the_small_mask_is_that_of_the_decays(construction):
    eta, eps = np.asarray(0.7), np.asarray(0.1)
    for chosen in np.eye(3):
        mask = ssd.decay_mask(construction.decays(chosen, eta, eps))
        small = construction.small_mask(chosen, eta, eps)
        np.testing.assert_allclose(eps * eps * mask, small, rtol=1e-13, atol=1e-15)


def test_decays_in_the_unit_interval_give_no_example_more_weight_than_a_later_one():
    rng = np.random.default_rng(0)
    for _ in range(50):
        column = ssd.decay_mask(rng.uniform(0, 1, 6))[:, -1]
        assert (np.diff(column) >= 0).all()


@pytest.mark.short("options1")
@pytest.mark.parametrize(
    ("id", "options"),
    [
        (f"{THEOREM}+reverse+sign", {"layers": 7, "dtype": "float64"}),
        ("open.ssd-stack-any-accuracy", {"layers": 3}),
        ("open.ssd-stack-any-accuracy", {"layers": 2, "dtype": "bfloat16"}),
    ],
)
def test_the_stacks_are_their_learners_within_the_promised_bound(id: str, options: dict):
    found = running.run(id, features=3, examples=5, heads=2, chunk=2, progress=False, **options)
    assert found.verdict == "proved"
    assert found.ratio is not None and found.ratio <= 1
    assert found.bound is not None and found.bound < 1


@pytest.mark.long
def test_a_stack_of_full_batches_is_its_masked_form():
    with x64():
        run = running.prepared(
            "open.ssd-stack-any-accuracy", features=3, examples=5, layers=3, dtype="float64"
        )
        found = np.asarray(run.compute(*run.arrays))
    p = CLAIMS["open.ssd-stack-any-accuracy"].construct({"xp": np, "n": 5, "d": 3, "eta": run.eta})
    Z = tokens.labelled(run.problem.x[0], run.problem.y[0]).T
    for _ in range(3):
        Z = hybrid.layer(p, Z)
    assert abs(found[0] - Z[-1, -1]) < 1e-12
