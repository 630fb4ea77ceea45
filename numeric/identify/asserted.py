"""What a manifest asserts, against what its folder holds: it is believed in nothing."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from scanproof.constructs.errors import UsageError
from scanproof.constructs.layouts import neutral
from scanproof.constructs.layouts.neutral import Model
from scanproof.constructs.tokens.encoding import TOKENISATIONS

from ..export.built import LOSS
from ..export.certificates.domain import Domain
from ..export.loading import Loaded
from ..export.manifest import LARGEST as LARGEST_MANIFEST
from ..export.regular import opened
from ..export.tensors import LARGEST
from . import constructed, polynomial, promised, recognition, rounding, rule, sampled
from .differences import Assertion
from .factor import Factor
from .measured import Tasks, learned
from .recognition import Recognition
from .report import NONE, Contradiction, Promise, Report, as_float

TASKS = 8
"""Drawn from the certificate's domain."""
LONGEST = 64
"""Examples of a task, at most."""
CHUNK = 2**20
ROUNDINGS = 16
"""Deviation of an output of every token, beside that of one number."""


def files(loaded: Loaded) -> list[Contradiction]:
    """Sizes, hashes, target and format: what any manifest asserts, whatever the weights are."""
    told = loaded.manifest
    if told is None:
        return []
    found = []
    for name, asserted in told["files"].items():
        found += _file(loaded.folder, name, asserted)
    if told["target"]["name"] != loaded.target:
        found.append(Contradiction("target.name", told["target"]["name"], loaded.target))
    formats = ", ".join(sorted(set(loaded.dtypes.values())))
    if told["target"]["dtype"] != formats:
        found.append(Contradiction("target.dtype", told["target"]["dtype"], formats))
    return found


def _file(folder: Path, name: str, asserted: Mapping[str, Any]) -> list[Contradiction]:
    where = f"files.{name}"
    if name in ("", ".", "..") or Path(name).name != name:
        return [Contradiction(where, "a file of the folder", "it names another place")]
    try:
        file, size = opened(folder / name, max(LARGEST, LARGEST_MANIFEST))
    except UsageError:
        return [Contradiction(where, f"{asserted['bytes']} bytes", "it cannot be read")]
    with file:
        if size != asserted["bytes"]:
            return [Contradiction(f"{where}.bytes", str(asserted["bytes"]), str(size))]
        digest = hashlib.sha256()
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    if digest.hexdigest() != asserted["sha256"]:
        return [Contradiction(f"{where}.sha256", asserted["sha256"], digest.hexdigest())]
    return []


def examples(manifest: Mapping[str, Any] | None) -> int | None:
    """n of a manifest, if that is not too many to try."""
    n = manifest["sizes"]["examples"] if manifest else None
    return n if n is not None and n <= LONGEST else None


def construction(
    manifest: Mapping[str, Any], numbers: tuple[int, ...], d: int, k: int
) -> Assertion | None:
    """What the manifest says that the weights are; None if that is not for models of these sizes."""
    W0 = _start(manifest)
    n = manifest["sizes"]["examples"]
    step_size = _float(manifest["learner"]["step_size"])
    if W0.shape != (d, k) or not np.isfinite([*W0.ravel(), step_size]).all():
        return None
    if len(numbers) == 1 and n != numbers[0]:
        return None
    return Assertion(manifest["construction"]["id"], step_size, W0, n)


def _start(manifest: Mapping[str, Any]) -> np.ndarray:
    rows = manifest["learner"]["W0"]
    if len({len(row) for row in rows}) != 1:
        return np.zeros((0, 0))
    return np.array([[_float(w) for w in row] for row in rows])


def _float(text: str) -> float:
    return as_float(Fraction(text))


def check(
    report: Report,
    manifest: Mapping[str, Any],
    model: Model,
    by: Factor | None,
    found: Recognition | None,
) -> None:
    """Adds to a report on a linear model what contradicts the manifest, and what becomes of its promise."""
    report.contradictions += [
        *_sizes(report, manifest, model),
        *_statement(manifest, model),
        *_tokens(manifest, model),
        *_learner(report, manifest, by, rounding.of(model)),
    ]
    if manifest["tokens"]["predicts"] == "every" and found is not None:
        report.contradictions += _every(model, found)
    contradictions, unchecked = promised.check(manifest)
    report.contradictions += contradictions
    _promise(report, manifest, model)
    report.notes.append(f"not checked: {', '.join(unchecked)}")


def _sizes(report: Report, manifest: Mapping[str, Any], model: Model) -> list[Contradiction]:
    asserted = {"family": manifest["family"]}
    held: dict[str, Any] = {"family": model.family}
    for name in ("features", "targets", "examples"):
        asserted[f"sizes.{name}"] = manifest["sizes"][name]
        held[f"sizes.{name}"] = report.sizes.get(name, manifest["sizes"][name])
    return _unequal(asserted, held)


def _statement(manifest: Mapping[str, Any], model: Model) -> list[Contradiction]:
    id = manifest["construction"]["id"]
    if constructed.of_statement(id, model, 1) is not None:
        return []
    return [Contradiction("construction.id", id, f"none of the family {model.family}")]


def _tokens(manifest: Mapping[str, Any], model: Model) -> list[Contradiction]:
    d, k = neutral.sizes(model)
    told = manifest["tokens"]
    columns = [list(column) for column in TOKENISATIONS[model.tokens].columns(d, k)]
    raw = [list(column) for column in told["raw"]]
    asserted = {"tokens.name": told["name"], "tokens.raw": raw}
    return _unequal(asserted, {"tokens.name": model.tokens, "tokens.raw": columns})


def _unequal(asserted: Mapping[str, Any], held: Mapping[str, Any]) -> list[Contradiction]:
    return [
        Contradiction(name, str(value), str(held[name]))
        for name, value in asserted.items()
        if value != held[name]
    ]


def _learner(
    report: Report, manifest: Mapping[str, Any], by: Factor | None, close: Fraction
) -> list[Contradiction]:
    told = manifest["learner"]
    if told["rule"] != report.rule or report.rule == NONE:
        return [Contradiction("learner.rule", told["rule"], report.rule)]
    found = []
    for name in ("learner", "sizes"):
        if manifest[name]["steps"] != report.steps:
            found.append(
                Contradiction(f"{name}.steps", str(manifest[name]["steps"]), str(report.steps))
            )
    if told["loss"] != LOSS:
        found.append(Contradiction("learner.loss", told["loss"], LOSS))
    if told["data"] == "any" != report.data:
        found.append(Contradiction("learner.data", told["data"], report.data))
    found += _step_size(report, manifest, by, close)
    return found + _weights(report, told["W0"], close)


def _step_size(
    report: Report, manifest: Mapping[str, Any], by: Factor | None, close: Fraction
) -> list[Contradiction]:
    """Each step's factor after the manifest's number of examples."""
    size, n = report.step_size, manifest["sizes"]["examples"]
    asserted = Fraction(manifest["learner"]["step_size"])
    if size is None:
        return []
    each = [Fraction(s) for s in size.each or (size.value,)]
    if by is not None:
        total = by.at(n)
        if total is None or not by.value:
            return []
        each = [s * total / by.value for s in each]
    wrong = [s for s in each if abs(s - asserted) > close * abs(asserted)]
    if not wrong:
        return []
    return [
        Contradiction(
            "learner.step_size",
            manifest["learner"]["step_size"],
            ", ".join(f"{as_float(s):.9g}" for s in each if len(size.each) or s in wrong),
        )
    ]


def _weights(report: Report, told: list[list[str]], close: Fraction) -> list[Contradiction]:
    W0 = np.array(report.W0, dtype=object)
    shape = (len(told), len(told[0]))
    if {len(row) for row in told} != {shape[1]} or shape != W0.shape:
        return [Contradiction("learner.W0", f"shape {shape}", f"shape {W0.shape}")]
    found = []
    for a, c in np.ndindex(shape):
        asserted, held = Fraction(told[a][c]), Fraction((report.W0 or [])[a][c])
        if abs(asserted - held) > close * abs(asserted):
            found.append(
                Contradiction(f"learner.W0[{a}][{c}]", told[a][c], f"{as_float(held):.9g}")
            )
    return found


def _every(model: Model, found: Recognition) -> list[Contradiction]:
    """Whether each output is the prediction for the next input from the examples before it, at a random point.

    Up to rounding, if the last one is the rule's only up to rounding.
    """
    n = max(found.rules)
    close = ROUNDINGS * rounding.of(model) if found.deviation else Fraction(0)
    x, y = recognition.point(model, found.rules[n], n, found.linear)
    exact = polynomial.exact(model)
    raw = TOKENISATIONS[model.tokens].tokens(x, y)
    rows = neutral.outputs(exact, raw @ exact.encode_weight.T + exact.encode_bias) @ exact.readout.T
    told = Contradiction("tokens.predicts", "every", "last")
    if rows.shape[0] != n:
        return [told]
    for t, own in found.rules.items():
        wanted = rule.prediction(own, x[: t + 1], y[:t])
        pairs = zip(rows[t - 1].entries, wanted.entries, strict=True)
        off = [(polynomial.fraction(a - b), polynomial.fraction(b)) for a, b in pairs]
        if any(abs(gap) > close * abs(size) for gap, size in off):
            return [told]
    return []


def _promise(report: Report, manifest: Mapping[str, Any], model: Model) -> None:
    """The certificate beside the bound of these weights, and the largest error measured in its domain and format."""
    told = manifest["certificate"]
    if told["absolute"] is None or not told["magnitude"]:
        return
    known = {name: value for name, value in told["domain"].items() if name in Domain._fields}
    d, k = neutral.sizes(model)
    W0, eta, steps = _start(manifest), _learner_step(manifest), manifest["learner"]["steps"]
    usable = {"examples", "entry", "target"} <= set(known) and W0.shape == (d, k)
    if not usable or "weights" in known or eta is None or steps > LONGEST:
        report.notes.append("the certificate names no domain that could be checked")
        return
    n = report.sizes.get("examples", int(min(known["examples"], LONGEST)))
    tasks = _tasks(max(n, 1), d, k, known, linear=manifest["learner"]["data"] != "any")
    off = _largest_error(model, tasks, (W0, eta, steps), told["dtype"])
    if not off <= told["absolute"]:
        report.contradictions.append(
            Contradiction("certificate.absolute", f"{told['absolute']:.3g}", f"{off:.3g}, measured")
        )
    report.promise = Promise(
        told["absolute"] / told["magnitude"],
        off / told["magnitude"],
        f"the largest of {TASKS} tasks of the certificate's domain, in {told['dtype']}",
    )


def _learner_step(manifest: Mapping[str, Any]) -> float | None:
    eta = _float(manifest["learner"]["step_size"])
    return eta if math.isfinite(eta) else None


def _largest_error(
    model: Model, tasks: Tasks, learner: tuple[np.ndarray, float, int], dtype: str
) -> float:
    kind = np.float64 if dtype == "float64" else np.float32
    cast = neutral.mapped(lambda a: np.asarray(a, dtype=kind), model)
    with np.errstate(all="ignore"):
        predicted = np.stack(
            [
                neutral.predict(cast, x.astype(kind), y.astype(kind))
                for x, y in zip(*tasks, strict=True)
            ]
        ).astype(np.float64)
        expected = (tasks.x[:, -1:] @ learned(tasks, *learner))[:, 0]
        return float(np.abs(predicted - expected).max())


def _tasks(n: int, d: int, k: int, domain: Mapping[str, float], *, linear: bool) -> Tasks:
    """As large as the domain allows."""
    rng = np.random.default_rng((sampled.SEED, 2))
    x = rng.uniform(-1, 1, (TASKS, n + 1, d)) * domain["entry"]
    y = rng.uniform(-1, 1, (TASKS, n, k)) * domain["target"]
    curvature = np.linalg.norm(x[:, :-1], axis=(1, 2), ord=2).max() ** 2
    most = domain.get("curvature", math.inf)
    x = x * min(1.0, math.sqrt(most / curvature)) if curvature else x
    if linear and domain["entry"]:
        y = x[:, :-1] @ rng.uniform(-1, 1, (TASKS, d, k)) * (domain["target"] / d / domain["entry"])
    return Tasks(x, y)
