"""Constructions at size: programs against definitions, and every kind of them against its learner within its bound."""

import functools
from typing import Any

import jax
import numpy as np
import pytest

from scanproof.constructs import tokens as tokenisations
from scanproof.constructs.arrays.scan import map_leaves
from scanproof.constructs.constructions import hybrid as hybrid_parameters
from scanproof.constructs.errors import UsageError
from scanproof.constructs.layers import ssd
from scanproof.constructs.tokens import Windows
from scanproof.numeric import x64
from scanproof.numeric.run import (
    bounding,
    comparison,
    drawing,
    learning,
    preparation,
    rows,
    running,
)
from scanproof.numeric.run.layer_runners import runner
from scanproof.numeric.run.linear import mapped, rank_one
from scanproof.numeric.run.problem import Problem, Settings
from scanproof.numeric.run.rows import constructed
from scanproof.numeric.run.runners import TwoHeads
from scanproof.numeric.run.tokenising import Pairs

SMALL: dict[str, Any] = {"features": 3, "examples": 5, "heads": 2, "chunk": 2}
"""Two chunks of examples and one left over."""


@functools.cache
def prepared(id: str, dtype: str = "float64", lane: str | None = None, layers: int | None = None):
    sizes = {**SMALL, "features": None} if "one-feature" in id else SMALL
    with pytest.MonkeyPatch.context() as patch:  # what is compared here holds whatever the verdict
        patch.setattr(rows, "quick_verdict", lambda claim: "proved")
        return running.prepared(id, dtype=dtype, lane=lane, layers=layers, **sizes)


@pytest.fixture(autouse=True)
def float64(monkeypatch: pytest.MonkeyPatch):
    """JAX computes in float64 where it is asked to, and predictions are compared at two tokens: each is a program."""
    monkeypatch.setattr(preparation, "COMPARED", 2)
    with x64():
        yield


@pytest.mark.parametrize("id", [*constructed()][::5])
def test_a_construction_traces_with_the_parameters_of_its_statement(id: str):
    claim = constructed()[id]
    of = claim.construction
    assert of is not None
    features, runs = of.features or 2, runner(of)
    free = 1 if "binary" in id else 2
    targets = None if of.targets == "scalar" else of.columns(features) or free
    settings = Settings(features, 3, 1, targets, 1)
    problem = drawing.draw(claim, settings, 0.5)
    values = {**drawing.letters(settings), "eta": 0.5, **problem.extra}
    p = rows.parameters(claim, values)
    if p is not None and not hasattr(runs, "program"):
        gate = runs.gate(p, problem)
        assert gate is None or gate.has_matrix_form
    if p is not None:
        state = runs.work(p, problem, 1)
        assert features <= state.D * state.N  # the gradient for one target, at least
    W0 = None if problem.W0 is None else problem.W0[0]
    learned = jax.eval_shape(
        lambda x, y: learning.prediction(of.learner, x, y, W0, 0.5, 1, 3, problem.extra),
        problem.x[0],
        problem.y[0],
    )
    assert learned.dtype == np.float64


RUNS = [
    ("gd-ssm.prop1", {}),
    ("gd-ssm.prop2-stride1+embedding", {"targets": 2}),
    ("gril.prop4.1", {}),
    ("gril.prop4.1", {"dtype": "bfloat16"}),
    ("gril.prop4.1-from0", {"input_scale": 1e-3}),
    ("gril.propA.1-construction+transpose+embedding", {"lane": "recurrent", "targets": 1}),
    ("gril.a5-construction", {"layers": 2, "dtype": "float64", "sampler": "normal"}),
    ("gril.prop4.3", {"targets": 3}),
    ("gril.online-gd+current-state", {"lane": "recurrent", "targets": 2}),
    ("ssd.thm4.1-stars+lower-left", {"dtype": "bfloat16"}),
    ("ssd.remark4.1-lsa", {"features": None, "layers": 2}),
    ("ssd.thm5.1", {}),
    ("ssd.thm5.2-construction", {"layers": 2}),
    ("ch9.icl", {"layers": 2}),
]


@pytest.mark.long
@pytest.mark.parametrize(("id", "options"), RUNS, ids=[f"{i} {o}" for i, o in RUNS])
def test_a_proved_construction_is_its_learner_within_the_promised_bound(id: str, options: dict):
    found = running.run(id, **{**SMALL, "progress": False, **options})
    assert found.verdict == "proved"
    assert found.ratio is not None and found.ratio <= 1
    assert (
        found.bound is not None and found.bound < 1
    )  # outputs are of order 1: the bound says something
    assert found.error is not None and found.relative_error is not None
    assert found.relative_error < {"bfloat16": 2.0**-5, "float32": 2.0**-18}.get(
        found.dtype, 2.0**-46
    )


@pytest.mark.long
def test_printed_parameters_that_are_refuted_are_far_off():
    found = running.run("ssd.thm4.1-construction", as_stated=True, **{**SMALL, "progress": False})
    assert found.verdict == "refuted" and found.as_stated
    assert found.ratio is not None and found.ratio > 1000


@pytest.mark.long
@pytest.mark.parametrize(
    ("id", "examples", "chunk"),
    [("gril.prop4.1", 1, 64), ("gril.prop4.1", 7, 3), ("ch9.icl", 1, 1)],
)
def test_lengths_and_chunks_of_any_size_run(id: str, examples: int, chunk: int):
    found = running.run(id, features=2, examples=examples, chunk=chunk, progress=False)
    assert found.ratio is not None and found.ratio <= 1


def whole_numbers(*shape: int, seed: int = 0) -> np.ndarray:
    """Small whole numbers, with which float64 computes exactly."""
    return np.random.default_rng(seed).integers(-3, 4, shape).astype(float)


@pytest.mark.long
@pytest.mark.parametrize(
    "whole",
    [
        Windows(),
        Windows(first=0),
        Windows(apart=True),
        Windows(2, 1, apart=True),
        Windows(3, 1, apart=True),
        tokenisations.concatenated,
    ],
    ids=["three", "from 0", "three embedded", "two", "three, stride 1", "concatenated"],
)
def test_tokens_cut_from_pairs_are_those_of_the_whole_sequence(whole):
    pairs, scalar = Pairs(whole), whole is tokenisations.concatenated
    x, y = whole_numbers(6, 2), whole_numbers(5) if scalar else whole_numbers(5, 2, seed=1)
    problem = Problem(x[None], y[None], W0=None, w=np.zeros(0), extra={})
    found = pairs.tokens(*(a[0] for a in pairs.stream(problem)))
    wanted = whole(x, y)
    last = len(wanted.t)  # with stride one, the last pair has a token more, which nothing reads
    assert last - 1 <= pairs.place(5) + (pairs.an_example - 1 - pairs.slot)
    map_leaves(lambda a, b: np.testing.assert_array_equal(a[:last], b), found, wanted)


def close(found, wanted, scale: float) -> None:
    """Equal but for float64's rounding of sums of a few dozen products of numbers up to `scale`."""
    np.testing.assert_allclose(
        found, wanted, rtol=0, atol=512 * np.finfo(float).eps * max(scale, 1)
    )


def computed(run) -> np.ndarray:
    """What a run computes, on one block, at the tokens compared: (heads, tokens, …)."""
    if run.whole:
        return np.asarray(jax.jit(run.compute)(*run.arrays))[:, None]
    stream = run.runner.stream(run.p, run.problem, run.options)
    done = jax.jit(run.op)(*stream, initial_state=run.state)
    if isinstance(run.runner, TwoHeads):
        return np.asarray(jax.jit(run.finish)(done.final_state))[:, None]
    return np.asarray(done.outputs)[:, run.rows]


def composed(run, head: int) -> np.ndarray:
    """The same of one head by the composition of the construction, in NumPy."""
    claim, problem, layers = run.claim, run.problem, run.settings.layers
    x, y = problem.x[head], problem.y[head]
    W0 = None if problem.W0 is None else problem.W0[head]
    V = run.eta * np.eye(5)[:layers]  # the steps of SGD on the examples in turn
    symbols = {**problem.extra, "eta": run.eta, "V": V, "x": x}
    values = {**drawing.letters(run.settings), "xp": np}
    values |= {n: v if n in claim.ranges else np.asarray(v) for n, v in symbols.items()}
    values = {n: v for n, v in values.items() if n in ("xp", *claim.needed)}
    p = run.p if claim.parameters is None else claim.construct(values)
    found = run.construction.predictions(p, x, y, W0, layers, **problem.extra)
    return found[[t - 1 for t in run.places]] if run.construction.every else found[None]


LAYERS: dict[Any, str] = {}
"""The first construction of each layer and kind of program."""
for id, claim in constructed().items():
    runs = runner(claim.construction)
    LAYERS.setdefault((type(runs), str(getattr(runs, "layer", ""))), id)
LANES = [
    *((id, None) for n, id in enumerate(constructed()) if n % 4 == 0 or id in LAYERS.values()),
    *(
        (id, "recurrent")
        for id in LAYERS.values()
        if "recurrent" in runner(constructed()[id].construction).ops
    ),
]


@pytest.mark.short("gd-ssm.prop2 recurrent")
@pytest.mark.parametrize(("id", "lane"), LANES, ids=[f"{i} {lane or 'fast'}" for i, lane in LANES])
def test_what_runs_is_the_construction_of_the_statement_on_every_lane(id: str, lane: str | None):
    several = constructed()[id].construction.several
    run = prepared(id, lane=lane, layers=2 if several else None)
    found = computed(run)
    for head in range(2):
        close(found[head], composed(run, head), 100)


def test_the_decays_of_a_column_are_those_of_its_mask():
    column = np.asarray([4.0, 2.0, 0.5, 1.0])
    mask = ssd.decay_mask(hybrid_parameters.decays_of_column(column))
    assert np.array_equal(mask[:, -1], column)


@pytest.mark.parametrize("u", [[0, 1, 0], [2, -4, 0.5], [1, 0, 3]])
def test_factors_of_a_mixing_matrix_are_exact(u):
    v = np.asarray([0.0, 3.0, -1.0])
    left, right = rank_one(np.outer(u, v))
    assert np.array_equal(np.outer(left, right), np.outer(u, v))


def test_a_mixing_matrix_of_rank_two_has_no_factors():
    with pytest.raises(UsageError, match=r"not a product u vᵀ.*--lane recurrent"):
        rank_one(np.eye(3))


@pytest.mark.short(2)
@pytest.mark.parametrize(
    "matrix",
    [
        np.eye(3),
        [[0, 2, 0], [0, 0, -3]],
        [[0, 0, 0], [1, 0, 0], [0, 0, 0], [0, 0, 5]],
        np.ones((2, 3)),
    ],
    ids=["identity", "diagonal", "rows of zeros", "full"],
)
def test_mapped_rows_are_the_matrix_product(matrix):
    rows = whole_numbers(4, 3)
    assert np.array_equal(mapped(matrix, jax.numpy.asarray(rows)), rows @ np.asarray(matrix).T)


@pytest.mark.long
def test_blocks_do_not_change_a_run(monkeypatch: pytest.MonkeyPatch):
    options = {"features": 3, "examples": 11, "chunk": 2, "progress": False}
    whole = running.run("gril.prop4.1", **options)
    monkeypatch.setattr(preparation, "BLOCK", 12)
    cut = running.run("gril.prop4.1", **options)
    assert cut.blocks == 3 and whole.blocks == 1
    assert (cut.error, cut.bound) == (whole.error, whole.bound)


@pytest.mark.long
def test_a_coarser_reading_promises_no_less(monkeypatch: pytest.MonkeyPatch):
    fine = running.run("gril.prop4.1", **{**SMALL, "progress": False})
    monkeypatch.setattr(bounding, "ENTRY_BY_ENTRY", 0)
    coarse = running.run("gril.prop4.1", **{**SMALL, "progress": False})
    assert coarse.bound_of != fine.bound_of
    assert coarse.bound is not None and fine.bound is not None and coarse.bound >= fine.bound
    assert coarse.ratio is not None and coarse.ratio <= 1


@pytest.mark.long
def test_sensitivities_of_a_construction_are_the_learners():
    found = comparison.distances("gril.prop4.1", features=3, examples=5, dtype="float64")
    close((found.prediction_l2, found.sensitivity_l2, found.sensitivity_cosine), (0, 0, 1), 30)
    other = comparison.distances("gril.prop4.1", features=3, examples=5, dtype="bfloat16")
    assert other.prediction_l2 > 0 and other.sensitivity_l2 > 0


@pytest.mark.long
def test_losses_of_construction_and_learner_agree_along_a_sweep_of_scales():
    half, one = comparison.loss_against_input_scale(
        "ssd.thm4.1", (0.5, 1.0), features=3, examples=5, dtype="float64"
    )
    assert half.step_size == one.step_size
    for losses in (half, one):
        assert losses.learner > 0
        close(losses.layer, losses.learner, 30)
