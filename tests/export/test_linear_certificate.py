"""The bound of a neutral model's rounding: it holds, it is not vacuous, and models that are mutated leave it."""

import functools
from fractions import Fraction

import linear_cases as cases
import numpy as np
import pytest
from linear_cases import CASES, Case

from scanproof.constructs.layers import gril, ssd
from scanproof.constructs.layouts import neutral
from scanproof.constructs.tokens import windows
from scanproof.numeric import chunked, recurrent, x64
from scanproof.numeric.export.certificates import linear, stacks
from scanproof.numeric.export.certificates.counted import Counted, entering
from scanproof.numeric.export.certificates.domain import Domain
from scanproof.numeric.jax_backend import jax
from scanproof.numeric.rounding.arithmetic import FORMATS, Format

SINGLE, DOUBLE, HALF = (FORMATS[name] for name in ("float32", "float64", "float16"))
SMALL = [
    Case("gril.prop4.1", 3, 5, targets=2),
    Case("gd-ssm.prop1", 4, 6),
    Case("ssd.thm4.1", 3, 5),
    Case("gril.propA.1", 2, 4, steps=2, targets=2),
    Case("ssd.remark4.1-lsa", 1, 4, steps=3),
    Case("ssd.remark4.1-lsa-construction", 2, 4, steps=3),
]
"""A case of each family; small ones, since JAX compiles every token of these programs."""
ONE_STEP = [case for case in CASES if case.steps == 1]


def domain_of(made, given):
    x, y = given
    return linear.domain_of(x, y, made.W0.astype(float), made.eta, made.steps)


def bounded(made, given, dtype):
    return linear.bound(made.model, domain_of(made, given), dtype).prediction


def by_jax(model, given, dtype):
    """The predictions of all tasks in one program, in the dtype of the data."""
    jnp = jax().numpy
    model = neutral.mapped(functools.partial(jnp.asarray, dtype=dtype), model)

    def predict(layers, x, y):
        return neutral.predict(model._replace(layers=layers), x, y)

    with jax().default_matmul_precision("highest"):
        run = jax().jit(jax().vmap(predict, in_axes=(None, 0, 0)))
        x, y = (jnp.asarray(a, dtype=dtype) for a in given)
        return np.asarray(run(model.layers, x, y), dtype=np.float64)


@pytest.mark.long
@pytest.mark.parametrize("case", SMALL, ids=str)
def test_hundreds_of_tasks_stay_within_the_bound_in_numpy(case):
    made, given = cases.made(case, dyadic=False), cases.tasks(case, 300, seed=3)
    got = [neutral.predict(made.tensors, x, y) for x, y in zip(*given, strict=True)]
    errors = np.abs(got - cases.expected(made, given))
    assert 0 < errors.max() <= bounded(made, given, "float64")


@pytest.mark.long
@pytest.mark.parametrize(
    ("case", "dtype"),
    [
        *((case, "float32") for case in SMALL[::2]),
        (SMALL[1], "float64"),
    ],
    ids=str,
)
def test_a_thousand_tasks_stay_within_the_bound_in_jax(case, dtype):
    made, given = cases.made(case, dyadic=False), cases.tasks(case, 1000, seed=4)
    with x64(dtype == "float64"):
        got = by_jax(made.tensors, given, dtype)
    errors = np.abs(got - cases.expected(made, given))
    assert 0 < errors.max() <= bounded(made, given, dtype)
    for error, x, y in zip(errors[:20], *given, strict=False):
        assert (error <= linear.bound_at(made.model, x, y, dtype)).all()


@pytest.mark.long
@pytest.mark.parametrize("case", CASES[::3], ids=str)
def test_given_data_have_a_bound_of_their_own_that_is_no_larger(case):
    made, given = cases.made(case, dyadic=False), cases.tasks(case, 4, seed=5)
    for x, y, wanted in zip(*given, cases.expected(made, given), strict=True):
        bound = linear.bound_at(made.model, x, y, "float64")
        assert (np.abs(neutral.predict(made.tensors, x, y) - wanted) <= bound).all()
        assert bound.max() <= bounded(made, given, "float64")


@pytest.mark.parametrize("case", ONE_STEP, ids=str)
def test_one_step_is_off_by_a_rounding_for_each_addition_and_few_more(case):
    made = cases.made(case)
    found = linear.bound(made.model, Domain(case.examples, 1.0, 2.0), "float32")
    width = max(case.features, case.targets) + case.targets
    assert found.relative <= (case.examples + width + 20) * SINGLE.unit
    assert found.magnitude == pytest.approx(2 * case.features, rel=1e-5)


@pytest.mark.long
def test_several_steps_are_far_better_bounded_layer_by_layer():
    case = Case("gril.propA.1", 16, 64, steps=6)
    made, given = cases.made(case), cases.tasks(case, 1)
    x, y = given.x[0], given.y[0]
    assert stacks.recognised(made.model, 64) is not None
    step_by_step = linear.bound_at(made.model, x, y)
    edited = made.model._replace(encode_bias=made.model.encode_bias + Fraction(0))
    assert (linear.bound_at(edited, x, y) == step_by_step).all()
    nearly = made.model.layers[0]._replace(ridge=np.asarray(Fraction(1, 10**9), dtype=object))
    whole = made.model._replace(layers=(nearly, *made.model.layers[1:]))
    assert stacks.recognised(whole, 64) is None
    assert (step_by_step * 100 <= linear.bound_at(whole, x, y)).all()
    assert step_by_step.max() <= 2e-3 * np.abs(cases.expected(made, given)).max()


@pytest.mark.long
def test_layers_that_move_labels_are_bounded_by_their_residuals():
    """Read as a whole, ten layers let errors grow by 1 + ηΣ|x||x|ᵀ, here up to 17, each."""
    case = Case("ssd.remark4.1-lsa-construction", 16, 24, steps=10)
    made, given = cases.made(case), cases.tasks(case, 8)
    nearly = np.array(made.model.layers[-1].PV)
    nearly[0, 0] = Fraction(1, 10**12)  # of a feature that no layer reads any more
    *others, last = made.model.layers
    whole = made.model._replace(layers=(*others, last._replace(PV=nearly)))
    assert stacks.recognised(made.model, 24) is not None and stacks.recognised(whole, 24) is None
    domain = Domain(24, 1.0, 4.0, curvature=48.0)
    by_residuals, as_a_whole = (linear.bound(each, domain) for each in (made.model, whole))
    assert by_residuals.relative < 1e-3
    assert as_a_whole.prediction > 1e6 * by_residuals.magnitude  # which says nothing
    single = neutral.mapped(np.float32, made.tensors)
    for x, y in zip(*given, strict=True):
        own = neutral.predict(single, *(a.astype(np.float32) for a in (x, y)))
        error = np.abs(own - cases.explicit(x, y, float(made.eta), made.W0.astype(float), 10))
        assert error <= linear.bound_at(made.model, x, y) <= by_residuals.prediction


def test_residuals_may_grow_where_steps_diverge():
    """With ηλ = 5 every step multiplies residuals along that direction by −4, and rounding with them."""
    case = Case("ssd.remark4.1-lsa-construction", 2, 6, steps=4)
    made = cases.made(case)
    x, y = np.random.default_rng(2).uniform(-1, 1, (7, 2)), np.ones((6, 1))
    x *= np.sqrt(5 * 6) / np.linalg.norm(x[:-1], ord=2)
    got = neutral.predict(neutral.mapped(np.float32, made.tensors), np.float32(x), np.float32(y))
    wanted = cases.explicit(x, y, float(made.eta), made.W0.astype(float), 4)
    bound = linear.bound_at(made.model, x, y)
    assert np.abs(got - wanted) <= bound < 1e-2 * np.abs(wanted)


def test_the_bound_grows_with_the_unit_roundoff():
    made, domain = cases.made(CASES[1]), Domain(13, 1.0, 2.0)
    coarse = Format(2 * SINGLE.unit, SINGLE.tiny, SINGLE.largest)
    ratio = linear.bound(made.model, domain, coarse).prediction
    assert 2 <= ratio / linear.bound(made.model, domain, SINGLE).prediction <= 2.001


def mutants(model: neutral.Model):
    """Every tensor with one entry moved by 2⁻¹⁰, as names and models."""
    for index, layer in enumerate(model.layers):
        for field, array in layer._asdict().items():
            for place in np.ndindex(array.shape):
                moved = array.copy()
                moved[place] += 2.0**-10
                layers = list(model.layers)
                layers[index] = layer._replace(**{field: moved})
                yield f"layers.{index}.{field}{place}", model._replace(layers=tuple(layers))


INERT = {
    "gril.prop4.1": {"gate", "mixing", "query"},
    "gd-ssm.prop1": set(),
    "ssd.thm4.1": {"decays", "S_B", "S_C"},
    "gril.propA.1": {"query"},
    "ssd.remark4.1-lsa": {"P"},
    "ssd.remark4.1-lsa-construction": {"PV"},
}
"""Fields with entries that do nothing here: they meet zeros, decay an empty state, or make what is not read."""


@pytest.mark.long
@pytest.mark.parametrize(
    "case",
    [
        Case("gril.prop4.1", 2, 4),
        Case("gd-ssm.prop1", 2, 4),
        Case("ssd.thm4.1", 2, 4),
        Case("gril.propA.1", 2, 4, steps=2, targets=2),
        Case("ssd.remark4.1-lsa", 1, 4, steps=2),
        Case("ssd.remark4.1-lsa-construction", 2, 4, steps=2),
    ],
    ids=str,
)
def test_a_mutated_entry_leaves_the_bound_or_changes_nothing(case):
    made, given = cases.made(case), cases.tasks(case, 5)
    limit, wanted = bounded(made, given, "float32"), cases.expected(made, given)
    kept = set()
    for name, mutant in mutants(made.tensors):
        got = np.stack([neutral.predict(mutant, x, y) for x, y in zip(*given, strict=True)])
        error = np.abs(got - wanted).max()
        if error <= bounded(made, given, "float64"):
            kept.add(name.split(".")[2].split("(")[0])
        else:
            assert error > limit, name
    assert kept == INERT[case.id]


@pytest.mark.long
def test_the_lanes_run_the_exported_parameters_within_the_bound():
    for case, layer in ((CASES[1], "gril"), (CASES[6], "ssd")):
        made, given = cases.made(case), cases.tasks(case, 3)
        model, limit = made.tensors, bounded(made, given, "float32")
        for x, y, wanted in zip(*given, cases.expected(made, given), strict=True):
            rows = cases.raw(made, cases.Tasks(x[None], y[None]))[0] @ model.encode_weight.T
            parameters = model.layers[0]
            if layer == "gril":
                state = np.zeros(parameters.gate.shape)
                seen = windows(rows, 3, 2)
                run = recurrent(gril.step, parameters, state, seen, precision="float32")
                last = np.asarray(run.outputs)[-1]
            else:
                tokens = ssd.tokens(rows.T, *parameters)
                state = np.zeros((rows.shape[1], parameters.S_B.shape[0]))
                run = recurrent(ssd.step, None, state, tokens, precision="float32")
                fast = chunked(tokens.v, tokens.k, tokens.q, chunk=4, precision="float32")
                for outputs in (run.outputs, fast.outputs):
                    last = rows[-1] + np.asarray(outputs)[-1] / case.examples
                    assert np.abs(last @ model.readout.T - wanted).max() <= limit
            assert np.abs(last @ model.readout.T - wanted).max() <= limit


@pytest.mark.parametrize("form", [HALF, SINGLE], ids=["float16", "float32"])
@pytest.mark.parametrize("seed", range(4))
def test_random_programs_stay_within_their_count(form, seed):
    """Sums, products, quotients and indexing of random numbers of all sizes, some of them nearly subnormal."""
    rng = np.random.default_rng(seed)
    dtype = np.float16 if form is HALF else np.float32

    def numbers(*shape):
        scale = 2.0 ** rng.integers(-10 if form is HALF else -60, 3, shape)
        return rng.standard_normal(shape) * scale

    def program(A, b, c, d):
        state = A @ b + c * b
        for _ in range(3):
            state = (A * 2 - A.T) @ state - c * (state @ b) / (d + 1)
            state = state[::-1] + 0 * c
        return (A @ A).T @ state + (state * c).sum(axis=0)

    given = [numbers(4, 4), numbers(4), numbers(4), np.abs(numbers())]
    found = program(
        *(Counted(form, np.abs(a), 1, form.tiny, whole=i == 3) for i, a in enumerate(given))
    )
    with np.errstate(over="ignore", invalid="ignore"):
        computed = program(*(a.astype(dtype) for a in given))
    to_fraction = np.vectorize(Fraction, otypes=[object])
    exact = program(*map(to_fraction, given)).astype(float)
    assert computed.dtype == dtype
    if np.isfinite(found.error).all():
        assert (np.abs(computed - exact) <= found.error).all()
    else:
        assert form is HALF


def test_overflow_and_cancelling_divisors_have_no_bound():
    big = Counted(HALF, np.asarray([300.0]), 1)
    assert np.isfinite((big * 100).error).all()
    assert np.isinf((big * big).error).all()
    assert np.isinf((big * big * 0 + 1).error).all()
    one = entering(np.ones(1), SINGLE)
    assert np.isfinite((one / (one + one)).error).all()
    assert np.isinf((one / (one - one)).error).all()
    assert np.isinf((one / Counted(SINGLE, np.ones(1), 1)).error).all()
    model = cases.made(CASES[0]).model
    assert np.isinf(linear.bound(model, Domain(10, 1e30, 1e30)).prediction)
    assert np.isinf(linear.bound(model, Domain(10**9, 1.0, 1.0)).prediction)


def test_numbers_enter_with_the_roundings_that_they_need():
    thirds = np.asarray([Fraction(1, 3)], dtype=object)
    assert entering(thirds, DOUBLE).count == 1
    assert entering(thirds, SINGLE).count == 2
    assert entering(np.asarray([0.1]), SINGLE).count == 1
    assert entering(np.asarray([0.1]), DOUBLE).count == 0
    assert entering(np.asarray([2**24 + 1]), SINGLE).count == 1
    assert entering(np.asarray([257.0]), FORMATS["bfloat16"]).count == 1
    nearly = np.asarray([Fraction(2**60 + 1, 2**60)], dtype=object)
    assert entering(nearly, DOUBLE).count == 1
    halves = entering(np.asarray([0.5, 0.0, -4.0]), SINGLE)
    assert (halves.count, halves.scaling, halves.whole) == (0, True, False)


def test_data_that_are_not_rounded_and_numbers_that_are_exact_cost_nothing():
    ones = entering(np.ones((3, 3)), DOUBLE)
    assert (ones @ np.eye(3)).error.max() <= 3 * 9 * DOUBLE.tiny
    assert ((ones * 2 + 0) / 4).error.max() <= 9 * DOUBLE.tiny
    assert (ones + ones).count == 1
