"""`make export-tables`: the tables of docs/export.md, from the targets, the constructions and their certificates.

Nothing in them is typed: what a target holds is laid out for it, a figure is the certificate's, and a step size is
found by running the weights, in exact numbers where they are linear, on other numbers of examples than theirs.
"""

from __future__ import annotations

import argparse
import functools
import math
from fractions import Fraction
from pathlib import Path

import numpy as np

from scanproof.constructs.constructions import mamba2_gd
from scanproof.constructs.errors import UsageError
from scanproof.constructs.layouts import neutral
from scanproof.constructs.layouts.families import FAMILIES
from scanproof.constructs.layouts.hf_mamba2 import EPSILON
from scanproof.constructs.learners.learner import Descent, Stochastic
from scanproof.constructs.learners.losses import SquaredError
from scanproof.proofs.doors.record.exactly import exactly
from scanproof.proofs.exact.roots import RootsField
from scanproof.proofs.report.markdown import code, grid

from ..export.delta_net import learned, run
from ..export.exporting import HALVES, tensors_in
from ..export.parts import Export, Request
from ..export.request import build, checked, exportable
from ..export.targets import TARGETS, Target

FEATURES, EXAMPLES = 4, 16
"""The sizes of the figures; fewer features where the statement has fewer."""
STORED, SEVERAL = "bfloat16", (1, 2, 3, 4, 6, 8, 12)
"""The format that layers store and do not compute in, and the steps for which its figures are given."""
MADE_FOR = 4
"""N, for which the weights are made that then run on n examples."""
RUN_AT = (1, 2, 3, 4, 5, 8)
TASKS = 2
"""For each n."""
CLOSE, SMALL = 1e-7, 2.0**-10
"""Relative, of measured step sizes, which are those of Mamba-2 blocks; and what their tasks are scaled by."""
BEGIN, END = "<!-- {}: written by `make export-tables` -->", "<!-- end of {} -->"


def page(text: str) -> str:
    """A page with its tables as they are today; everything else stays.

    Raises:
        ValueError: if the page has no place for one of them.
    """
    tables = {"targets": targets, "stored": several_steps, "step sizes": step_sizes}
    for name in tables:  # before they are made, which takes a while
        _parts(text, name)
    for name, lines in tables.items():
        before, begin, end, after = _parts(text, name)
        text = "\n".join([before + begin, *lines(), end + after])
    return text


def _parts(text: str, name: str) -> tuple[str, str, str, str]:
    """What stands before a table on a page, the lines around the table, and what stands after them."""
    begin, end = BEGIN.format(name), END.format(name)
    before, found, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not (found and closed):
        raise ValueError(f"the page has no {begin} with {end} after it")
    return before, begin, end, after


def targets() -> list[str]:
    """Which target holds which row in which format, and the certificate's bound over the largest prediction."""
    columns: dict[tuple[str, bool, tuple[str, ...]], list[str]] = {}
    for target in TARGETS.values():
        for dtype in target.dtypes:
            stores = target.wide and dtype in HALVES
            columns.setdefault((dtype, stores, target.families), []).append(target.name)
    rows = []
    for id in exportable():
        built = made(id, EXAMPLES)
        cells = [figure(built, TARGETS[names[0]], dtype) for (dtype, *_), names in columns.items()]
        rows.append([named(id, built), *cells])
    headers = [f"{', '.join(map(code, names))}: {dtype}" for (dtype, *_), names in columns.items()]
    return grid(["row", *headers], rows)


def figure(built: Export, target: Target, dtype: str) -> str:
    """The bound over the largest prediction that is attained, or why there is none."""
    if built.family not in target.families:
        return "–"
    try:
        tensors_in(dtype, built, target)
    except UsageError:
        return f"beyond {dtype}"
    found = built.certify(dtype, wide=target.wide)
    if not math.isfinite(found.absolute) or not found.attained:
        return "no bound"
    relative = found.absolute / found.attained
    return f"{relative:.1e}" if relative < 1 else f"{relative:.1e}, says nothing"


def several_steps() -> list[str]:
    """What is left of the certificates of layers that store bfloat16 after several steps, and what is found of them."""
    stored = [target for target in TARGETS.values() if target.wide and STORED in target.dtypes]
    rows = []
    for steps in SEVERAL:
        cells = []
        for target in stored:
            id = next(id for id in exportable() if made(id, EXAMPLES).family in target.families)
            id = f"{id.split('.')[0]}.gd"
            built = build(checked(Request(id, FEATURES, EXAMPLES, steps=steps)))
            found = built.certify(STORED, wide=True)
            error = found.search()
            cells += [
                figure(built, target, STORED),
                f"{error / found.attained:.1e}" if error else "–",
            ]
        rows.append([str(steps), *cells])
    headers = [f"{code(t.name)}: {what}" for t in stored for what in ("bound", "found")]
    return grid(["steps", *headers], rows)


def step_sizes() -> list[str]:
    """With which step size the weights of each row run, at numbers of examples they were not made for."""
    groups: dict[tuple[str, str], list[str]] = {}
    for id in exportable():
        built = made(id, MADE_FOR)
        key = own(built), at_other_sizes(built)
        groups.setdefault(key, []).append(code(id))
    rows = [[", ".join(ids), *key] for key, ids in groups.items()]
    return grid(["rows", "η of the row is", "weights made for N examples, run on n, step by"], rows)


@functools.cache
def made(id: str, examples: int) -> Export:
    """A row's model for so many examples: one step, from weights 0."""
    try:
        return build(checked(Request(id, FEATURES, examples)))
    except UsageError:  # a statement about one feature
        return build(checked(Request(id, 1, examples)))


def named(id: str, built: Export) -> str:
    """A row, and the statement that it stands for where that is another one."""
    return code(id) if built.claim.id == id else f"{code(id)} ({code(built.claim.id)})"


def own(built: Export) -> str:
    """The statement's own η as a factor of the summed gradient, by its loss."""
    assert built.claim.construction is not None
    learner = built.claim.construction.learner
    if isinstance(learner, Stochastic):  # of ½‖Wᵀx_j − y_j‖², one example after the other
        return "η"
    assert isinstance(learner, Descent) and isinstance(learner.loss, SquaredError)
    factor, mean = 2 * Fraction(learner.loss.scale), learner.loss.mean
    return f"{'' if factor == 1 else factor}η{'/n' if mean else ''}"


def at_other_sizes(built: Export) -> str:
    """The step size at n, in words, from that found at some n."""
    if built.exact is not None and "T" in FAMILIES[built.family].shapes.values():
        return "η, at n = N; of another number they have no layer"
    found = {n: step_size_at(built, n) for n in RUN_AT}
    relative = {n: eta / built.step_size for n, eta in found.items() if eta is not None}
    if len(relative) < len(found):
        good = ", ".join(map(str, relative))
        return f"η at n = {good} for N = {MADE_FOR}; at others no step of gradient descent"
    if set(relative.values()) == {1}:
        return "η"
    if all(ratio * n == MADE_FOR for n, ratio in relative.items()):
        return "ηN/n"
    return ", ".join(f"{ratio}η at n = {n}" for n, ratio in relative.items())


def step_size_at(built: Export, n: int) -> Fraction | None:
    """The η with which the weights do one step of gradient descent on n examples; None if there is none.

    Exact for linear layers; of Mamba-2 blocks it is the simplest number within `CLOSE`.
    """
    if built.family == "delta-net":
        return _in_turn(built, n)
    rng = np.random.default_rng(n)
    found = set()
    for _ in range(TASKS):
        x = rng.integers(1, 9, (n + 1, built.features))
        w = rng.integers(1, 9, (built.features, built.targets))
        y = x[:-1] @ w  # linear in x, as some rows ask for, and positive: no prediction is 0
        gradient = (x[-1] @ x[:-1].T @ y).tolist()
        if built.exact is None:
            found.update(map(_simplest, (_predicted(built, x, y) / gradient).tolist()))
        else:
            predicted = exactly(
                RootsField(), lambda xp, *given: neutral.predict(*given), built.exact, x, y
            )
            found.update(p / g for p, g in zip(predicted.tolist(), gradient, strict=True))
    eta = found.pop() if len(found) == 1 else None
    return None if eta is None else Fraction(eta)


def _in_turn(built: Export, n: int) -> Fraction | None:
    """The row's η if that is the delta rule's on n examples of the norm X, to within `CLOSE`; else None."""
    rng, made = np.random.default_rng(n), built.model
    x = rng.standard_normal((n + 1, built.features))
    x *= made.constants.norm / np.linalg.norm(x, axis=1, keepdims=True)
    y = rng.uniform(-1, 1, (n, built.targets))
    predicted, expected = run(made, x, y, "float64"), learned(made, x, y)
    close = np.abs(predicted - expected).max() <= CLOSE * np.abs(expected).max()
    return built.step_size if close else None


def _simplest(measured: float) -> Fraction | None:
    """The fraction of a small denominator that is meant; None if there is none near."""
    simple = Fraction(measured).limit_denominator(1000)
    return simple if abs(measured - simple) <= CLOSE * abs(measured) else None


def _predicted(built: Export, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """What Mamba-2 blocks predict for the query, in float64."""
    made = built.model
    raw = made.layout.tokens(x * SMALL, y * SMALL)
    with np.errstate(over="ignore"):  # SiLU of −K
        steps = mamba2_gd.predictions(made.model, made.widths, raw, made.steps, np.asarray(EPSILON))
    return steps[-1] / SMALL**3


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        prog="python -m scanproof.numeric.studies.export_tables",
        description="Write the tables of a page from targets, constructions and certificates.",
    )
    parser.add_argument("page", type=Path, metavar="FILE", help="docs/export.md")
    file = parser.parse_args().page
    file.write_text(page(file.read_text(encoding="utf-8")), encoding="utf-8")
