"""Random edits of weights of every family: each number that `identify` says of them is computed again, and holds.

`make identify-attack` tries more of them: EDITS=25 for each export.
"""

from __future__ import annotations

import math
import os
import re
from typing import Any

import identify_cases as cases
import numpy as np
import pytest

from scanproof.constructs.learners import further
from scanproof.constructs.learners.accumulation import unscaled_gradient
from scanproof.numeric.export.exporting import export
from scanproof.numeric.export.loading import Loaded, load
from scanproof.numeric.identify import tasks
from scanproof.numeric.identify.families import family_of
from scanproof.numeric.identify.identifying import identified
from scanproof.numeric.identify.report import DELTA, PRECONDITIONED, Report, as_float
from scanproof.numeric.identify.tasks import Tasks

pytest.importorskip("safetensors", reason="exports need safetensors (extra: export)")

EDITS = int(os.environ.get("EDITS", "1"))
"""Of each export, and as many of all its entries at once."""
MAMBA2 = {"features": 2, "examples": 5, "steps": 2}
DELTA_NET = {"features": 3, "examples": 7, "step_size": "1/8", "seed": 2}
EXPORTS = [
    *cases.FAMILIES,
    cases.Export("mamba2.gd", MAMBA2, "hf-mamba2"),
    cases.Export("delta-net.one-pass", DELTA_NET, "fla-delta-net"),
]


def explicit(words: str, numbers: dict[str, float], W: np.ndarray, x: Any, y: Any) -> np.ndarray:
    """What a rule that is named in words predicts for a task, step by step."""
    count = int(found[1]) if (found := re.match(r"(\d+) steps?", words)) else 0
    scale = 1 / len(y) if "divided by n" in words else 1.0
    sizes = [scale * v for name, v in numbers.items() if name[0] == "η"]
    sizes = sizes if len(sizes) > 1 else sizes * count
    examples, query = x[:-1], x[-1]
    if "GD++" in words:
        sizes = [0.0, *sizes] if len(sizes) == 1 else sizes
        return further.gd_plus_plus(W, x, y, sizes, scale * numbers["γ"])
    if "Newton" in words:
        gram = examples.T @ examples + numbers.get("λ", 0.0) * np.eye(len(W))
        return query @ (W - np.linalg.solve(gram, unscaled_gradient(W, examples, y)))
    before = W
    for size in sizes:
        step = unscaled_gradient(W, examples, y)
        if "weighted" in words:
            weights = numbers["ρ"] ** np.arange(len(y) - 1, -1, -1.0)
            step = examples.T @ (weights[:, None] * (examples @ W - y))
        momentum = numbers["β"] * (W - before) if "momentum" in words else 0.0
        ridge = numbers["λ"] * W if "ridge" in words else 0.0
        W, before = W - size * (step + ridge) + momentum, W
    for j in range(len(y)) if "in turn" in words else [-1] if "one more" in words else []:
        W = W - numbers["β"] * np.outer(examples[j], examples[j] @ W - y[j])
    return query @ W


def fresh(report: Report, n: int) -> tuple[Any, Any]:
    """Tasks that `identify` has not drawn."""
    d, k = report.sizes["features"], report.sizes["targets"]
    return tasks.sample(d, k, n, 40, seed=(9, n), sampler="uniform", scale=0.5)


def judged(report: Report, samples: str, count: int) -> list[Tasks]:
    """The tasks that a sentence is about, by its own words; none where they were scaled down one by one."""
    d, k = report.sizes["features"], report.sizes["targets"]
    words = re.match(r"n = ([\d, ]+), (‖x‖ = (\S+)|x uniform on \(−(\S+), )", samples)
    if words is None or "scaled down" in samples:
        return []
    numbers = [int(n) for n in words[1].split(", ")]
    sampler = "sphere" if words[3] else "uniform"
    # A norm is said to six digits; what inputs are scaled by is a number of few.
    scale = round(float(words[3].rstrip(",")) / math.sqrt(d), 5) if words[3] else float(words[4])
    drawn = {"count": count // len(numbers), "sampler": sampler, "scale": scale}
    return [tasks.sample(d, k, n, seed=(tasks.SEED, n, tasks.HELD), **drawn) for n in numbers]


def predictions(loaded: Loaded, report: Report):
    """The model on the tokens that the report is about."""
    family = family_of(loaded.target)
    said = f"{report.verdict} {' '.join(report.notes)}"
    models = family.models(loaded)
    return family.predictor(next(model for name, model in models.items() if f"{name} tok" in said))


def check(loaded: Loaded, report: Report) -> None:
    """That what the sentence says is so."""
    verdict = report.verdict
    assert verdict and not re.search(r"any amount|\bnan\b|\binf\b|exactly .*\d\.\d", verdict), (
        verdict
    )
    assert report.recognised == (not verdict.startswith(("nearest to", "not ")))
    predict, near = predictions(loaded, report), report.nearest
    W0 = np.array(report.W0, dtype=float)
    if near is not None:
        offs = [near.off, *(each.off for each in near.simpler)]
        assert offs == sorted(offs) and all(each.off < near.off for each in near.nearer)
        assert report.grade == ("is nearest to" if near.off <= 0.1 and near.learns else "is not")
        linear = near.targets != "any"
        gaps = []
        for x, y in judged(report, near.samples, near.tasks * (1 + linear)):
            chosen = tasks.LINEAR if linear else slice(None)
            got, each = predict(x, y)[chosen], zip(x[chosen], y[chosen], strict=True)
            own = np.stack([explicit(near.rule, near.numbers, W0, *task) for task in each])
            gaps.append(np.linalg.norm(got - own) / (np.linalg.norm(got) or 1.0))
        if not gaps:
            assert "scaled down" in near.samples
            return
        again = float(np.sqrt(np.mean(np.square(gaps))))
        assert again == pytest.approx(near.off, rel=1e-4, abs=1e-9), verdict
    elif report.exact and report.data == "any" and "overflow" not in verdict:
        again_exact(report, predict, W0)


def again_exact(report: Report, predict: Any, W0: np.ndarray) -> None:
    """That an exact rule is what the weights predict, at the numbers of examples that are said."""
    size = report.step_size
    assert size is not None
    n = int(re.search(r"at n = [\d, ]*?(\d+)(?![\d, ]*\d)", report.verdict)[1])  # type: ignore[index]
    each = [as_float(s) for s in size.each or (size.value,) * (report.steps or 0)]
    shift = re.search(r"divided by n(?: ([+−]) (\d+))?", size.dependence)
    over = n + (int(f"{shift[1]}{shift[2]}".replace("−", "-")) if shift[2] else 0) if shift else 1
    if "irregular" in size.dependence or report.rule == DELTA:
        return
    x, y = fresh(report, n)
    numbers = {f"η_{i}": eta / over for i, eta in enumerate(each)}
    for letter, value in zip(
        "λβγρ", (report.ridge, report.momentum, report.gamma, report.decay), strict=True
    ):
        numbers |= {} if value is None else {letter: as_float(value)}
    if report.rule == PRECONDITIONED:
        matrix = np.array(report.preconditioner, dtype=float) / over
        W = W0 - (matrix @ (x[:, :-1].mT @ (x[:, :-1] @ W0 - y))) * (report.steps == 1)
        own = (x[:, -1:] @ W)[:, 0]
        if report.steps != 1:
            return
    else:
        words = f"{report.steps} steps of {report.rule}"
        own = np.stack([explicit(words, numbers, W0, *task) for task in zip(x, y, strict=True)])
    got = predict(x, y)
    np.testing.assert_allclose(got, own, rtol=1e-6, atol=1e-6 * np.abs(own).max())


def noisy(loaded: Loaded, size: float, seed: int) -> Loaded:
    """All entries off by noise, relative to each."""
    rng = np.random.default_rng(seed)
    return cases.with_tensors(
        loaded,
        {
            name: (array * (1 + size * rng.standard_normal(array.shape))).astype(array.dtype)
            for name, array in loaded.tensors.items()
        },
    )


@pytest.mark.long
@pytest.mark.parametrize("asked", EXPORTS, ids=str)
def test_every_number_that_is_said_of_edited_weights_is_what_it_is_by_another_way(asked, tmp_path):
    if asked.target in ("hf-mamba2", "fla-delta-net"):
        export(asked.id, target=asked.target, output=tmp_path / "out", **asked.options)
        given = load(tmp_path / "out")._replace(manifest=None)
    else:
        given = cases.made(asked, tmp_path / "out")._replace(manifest=None)
    edited = [edit.loaded for edit in cases.edits(given, EDITS, seed=11)]
    edited += [noisy(given, 10.0 ** -(1 + seed % 4), seed) for seed in range(EDITS)]
    for loaded in [given, *edited]:
        check(loaded, identified(loaded))


@pytest.mark.long
def test_a_figure_is_of_a_rule_from_the_w0_that_is_said(tmp_path):
    sizes = {"features": 2, "examples": 5, "step_size": "1/8", "seed": 2}
    export("delta-net.one-pass", target="fla-delta-net", output=tmp_path / "out", **sizes)  # pyright: ignore[reportArgumentType]
    given = load(tmp_path / "out")._replace(manifest=None)
    tensors, encoding = (
        {k: v.copy() for k, v in a.items()} for a in (given.tensors, given.encoding)
    )
    tensors["layers.0.v_proj.weight"][:2, :2] /= 32  # W0, so small that steps from 0 are as near
    encoding["readout.weight"][:, 2:4] /= 32
    tensors["layers.0.b_proj.weight"][0, 0] = 0.3
    edited = given._replace(tensors=tensors, encoding=encoding)
    report = identified(edited)
    assert report.nearest is not None
    check(edited, report)
