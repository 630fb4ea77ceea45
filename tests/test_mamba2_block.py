"""The released Mamba-2 block as a definition, and the models built of it: against loops, limits and their bound."""

import math

import mamba2_cases as cases
import mamba2_loops
import numpy as np
import pytest
from mamba2_cases import CASES, Case

from scanproof.constructs.constructions import mamba2_gd, mamba2_sizes
from scanproof.constructs.layers import mamba2_block
from scanproof.constructs.layers.mamba2_block import Parameters, Sizes
from scanproof.constructs.layouts import hf_mamba2
from scanproof.constructs.tokens import mamba2 as mamba2_tokens
from scanproof.numeric.export.certificates import mamba2

EPS = hf_mamba2.EPSILON


def random_block(rng, sizes: Sizes, width: int, taps: int) -> Parameters:
    inner = sizes.heads * sizes.head_dim
    channels = inner + 2 * sizes.groups * sizes.state
    shapes = [
        (width,),
        (inner + channels + sizes.heads, width),
        (channels, taps),
        (channels,),
        (sizes.heads,),
        (sizes.heads,),
        (sizes.heads,),
        (inner,),
        (width, inner),
    ]
    return Parameters(*(rng.standard_normal(shape) for shape in shapes))


@pytest.mark.parametrize("per_group", [True, False])
@pytest.mark.parametrize("sizes", [Sizes(4, 2, 3, 2), Sizes(1, 1, 1, 1), Sizes(3, 3, 2, 4)])
def test_the_block_is_its_loops(sizes, per_group):
    rng = np.random.default_rng(0)
    p, rows = random_block(rng, sizes, 5, 4), rng.standard_normal((6, 5))
    got = mamba2_block.block(p, sizes, rows, EPS, per_group=per_group)
    expected = np.array(mamba2_loops.block(p, sizes, rows, per_group=per_group), dtype=float)
    np.testing.assert_allclose(got, expected, rtol=1e-10, atol=1e-10 * np.abs(expected).max())


def predicted(made, given):
    """The readout of the model in float64, where the tokenisation is read for the query."""
    model, steps = made.model, made.steps
    return np.stack(
        [
            mamba2_gd.predictions(model, made.widths, made.layout.tokens(x, y), steps, EPS)[-1]
            for x, y in zip(*given, strict=True)
        ]
    )


@pytest.mark.short(
    "concatenated-one-block-d8-n40-L1-k2",
    "interleaved-one-block-d16-n33-L1-k1",
    "labelled-one-block-d1-n1-L1-k1",
)
@pytest.mark.long_cases("labelled-d16-n64-L6-k1", "interleaved-d8")
@pytest.mark.parametrize("case", CASES, ids=str)
def test_released_blocks_in_float64_predict_as_gradient_descent_within_their_bound(case):
    given = cases.tasks(case, 3)
    for channel in (2**12, 2**24):
        made = cases.instance(case, channel)
        domain = mamba2.domain_of(*given, made.W0, made.eta, case.steps)
        bound = mamba2.bound(made, domain, "float64")
        errors = np.abs(predicted(made, given) - cases.explicit(case, made.W0, given))
        assert 0 < errors.max() <= bound.prediction < bound.magnitude


@pytest.mark.long
def test_the_error_falls_with_the_square_of_the_constant_channel_as_the_bound_does():
    case = CASES[1]
    given = cases.tasks(case, 2)
    found = []
    for channel in (2**8, 2**11):
        made = cases.instance(case, channel)
        domain = mamba2.domain_of(*given, made.W0, made.eta, case.steps)
        error = np.abs(predicted(made, given) - cases.explicit(case, made.W0, given)).max()
        found.append((error, mamba2.bound(made, domain, mamba2.EXACT).prediction))
    (coarse, coarse_bound), (fine, fine_bound) = found
    assert 60 < coarse / fine < 68
    assert 60 < coarse_bound / fine_bound < 100
    assert coarse <= coarse_bound and fine <= fine_bound


def test_predictions_at_every_token_are_those_of_prefixes():
    for tokens in ("concatenated", "interleaved"):
        case = Case(3, 5, 2, tokens=tokens)
        given, made = cases.tasks(case, 1), cases.instance(case)
        x, y = given.x[0], given.y[0]
        raw = made.layout.tokens(x, y)
        got = mamba2_gd.predictions(made.model, made.widths, raw, made.steps, EPS)
        for t, prediction in enumerate(got[made.layout.read], start=1):
            first = cases.Tasks(x[None, : t + 1], y[None, :t])
            W = made.W0
            for _ in range(case.steps):
                W = W - made.eta * first.x[0, :-1].T @ (first.x[0, :-1] @ W - first.y[0])
            np.testing.assert_allclose(prediction, x[t] @ W, rtol=1e-9)


@pytest.mark.parametrize("queries", range(1, 9))
def test_the_head_that_reads_has_one_group_by_either_map(queries):
    layout = mamba2_tokens.labelled_layout(3, queries)
    widths, _ = mamba2_sizes.released(layout, queries=queries, values=3, keys=4)
    groups = widths.heads.groups
    for group in range(groups):
        head = mamba2_sizes.reading_head(widths, group)
        assert head // widths.heads_per_group == group == head % groups


@pytest.mark.parametrize("case", CASES, ids=str)
def test_tensors_have_the_shapes_that_the_settings_ask_for_and_are_read_back(case):
    made = cases.instance(case)
    settings, state = hf_mamba2.layout(np, made)
    assert {key: array.shape for key, array in state.items()} == hf_mamba2.shapes(settings)
    assert settings["expand"] * settings["hidden_size"] == made.widths.inner
    blocks = hf_mamba2.blocks(settings, state)
    assert len(blocks) == made.steps + 1 == settings["num_hidden_layers"]
    for field, array in blocks[-1]._asdict().items():
        np.testing.assert_array_equal(array, getattr(made.model.last, field))


def test_the_norms_of_released_models_scale_by_powers_of_two():
    made = cases.instance(CASES[3])
    weights = made.model.norm[0], made.model.last.gated_norm[0]
    assert all(math.frexp(weight)[0] == 0.5 for weight in weights)
    stream = made.model.encode_bias[None, :] * (made.model.encode_bias > 1)
    assert np.sqrt((stream * stream).mean()) == weights[0]


def test_a_model_that_cannot_be_made_is_refused():
    W0 = np.zeros((3, 1))
    with pytest.raises(ValueError, match="steps=2"):
        mamba2_gd.instance(np, 3, 2, 0.1, W0, in_one_block=True)
    with pytest.raises(ValueError, match="labelled, concatenated, interleaved"):
        mamba2_gd.instance(np, 3, 2, 0.1, W0, tokens="rows")
    with pytest.raises(ValueError, match=r"shape \(4, k\), got \(3, 1\)"):
        mamba2_gd.instance(np, 4, 2, 0.1, W0)
