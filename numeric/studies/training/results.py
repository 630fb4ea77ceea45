"""Results of training: trained weights with all that says where they come from, and their evaluation."""

from __future__ import annotations

import csv
import io
import math
import platform
import sys
import tempfile
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from scanproof.constructs.errors import UsageError
from scanproof.constructs.layouts import neutral
from scanproof.proofs.expected.recorded import SCHEMA as ROW_SCHEMA

from ...export import tensors
from ...export.folder import ENCODING, WEIGHTS
from ...jax_backend import jax
from .evaluation import Evaluation, Spread, by_scale, evaluate, reference_loss
from .experiments import LEARNER, At, Experiment, Made
from .models import Model
from .parameters import beside_construction
from .training import Trained

SCHEMA = "scanproof.training/1"
POINTS = 60
"""Of a training curve in a result."""
COLUMNS = (
    *(
        "experiment",
        "preset",
        "model",
        "seed",
        "steps",
        "batch",
        "rate",
        "loss",
        "zero",
        "reference",
    ),
    *("step_size", "reference_loss", "prediction_l2", "relative_l2", "sensitivity_cosine"),
    *("sensitivity_l2", "accuracy"),
)
"""Of the CSV."""
AT_CONTEXTS = 2_000
"""Tasks for each number of examples."""
LIBRARIES = ("jax", "jaxlib", "optax", "numpy", "scanproof")


@dataclass
class OfModel:
    """What was found of one model."""

    name: str
    says: str
    numbers: int
    """That were trained."""
    settings: dict[str, Any]
    seconds: float
    curve: list[list[float]]
    """[step, mean loss over the seeds]."""
    evaluation: dict[str, Any]
    scales: list[dict[str, Any]] = field(default_factory=list)
    contexts: list[dict[str, Any]] = field(default_factory=list)
    identified: list[dict[str, Any]] = field(default_factory=list)
    parameters: list[dict[str, float]] = field(default_factory=list)
    """Of each seed the distances from the construction's, see `parameters`."""


@dataclass
class Result:
    """What was found of an experiment."""

    experiment: str
    says: str
    rows: list[str]
    preset: str
    task: dict[str, Any]
    models: list[OfModel]
    versions: dict[str, str]
    device: str
    diverged: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Of models whose training ended in numbers that are not finite: what it said, and the settings."""

    def written(self) -> dict[str, Any]:
        """As JSON has it: numbers with six digits, and None for those that overflowed."""
        return finite({"schema": SCHEMA, **asdict(self)})


def finite(value: Any) -> Any:
    """Numbers with six digits, so that a result stays small; None for infinite ones and NaN, which JSON lacks."""
    if isinstance(value, float):
        return float(f"{value:.6g}") if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: finite(part) for key, part in value.items()}
    return [finite(part) for part in value] if isinstance(value, list | tuple) else value


def result(
    experiment: Experiment,
    preset: str,
    trained: Mapping[str, Trained],
    settings: Mapping[str, Any],
    diverged: Mapping[str, str] | None = None,
    **options: Any,
) -> Result:
    """Evaluate what an experiment's models have learned, those that have not diverged."""
    found = [
        of_model(experiment, made, trained, settings, **options)
        for made in experiment.made(preset)
        if made.model.name in trained
    ]
    ended = {
        name: {"says": says, "settings": dict(settings[name])}
        for name, says in (diverged or {}).items()
    }
    task = {
        k: v if isinstance(v, int | float | str) else str(v)
        for k, v in asdict(experiment.task).items()
    }
    described = {"kind": experiment.task.kind, **task}
    rows = list(experiment.rows)
    return Result(
        *(experiment.id, experiment.says, rows, preset, described, found, versions(), device()),
        diverged=ended,
    )


def records(experiment: Experiment, found: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """For each row of the experiment what `scanproof.proofs.expected.recorded` reads of it.

    Left out are losses that overflowed; what training that diverged said stands apart. There is none at all of models
    that were trained with other settings than the preset's.

    Args:
        experiment: that was trained.
        found: its result as JSON has it.
    """
    preset, models = found["preset"], {model["name"]: model for model in found["models"]}
    if differing(experiment, found):
        return {}
    ended = found.get("diverged", {})
    kept = {}
    for row, figures in experiment.rows.items():
        shown = {
            name: _figure(models[model], at, found["task"].get("examples"))
            for name, (model, at) in figures.items()
            if model in models
        }
        shown = {name: figure for name, figure in shown.items() if figure is not None}
        diverged = {
            name: ended[model]["says"] for name, (model, _) in figures.items() if model in ended
        }
        if shown or diverged:
            about = {model for model, _ in figures.values()}
            kept[row] = {
                "schema": ROW_SCHEMA,
                "row": row,
                "preset": preset,
                "experiment": experiment.id,
                "figures": shown,
                **({"diverged": diverged} if diverged else {}),
                "settings": {
                    name: one["settings"] for name, one in (models | ended).items() if name in about
                },
                "device": found["device"],
                "versions": found["versions"],
            }
    return finite(kept)


def differing(experiment: Experiment, found: Mapping[str, Any]) -> list[str]:
    """The models of a result whose settings are not those of its preset, and models that it should not or must have."""
    own = {m["name"]: m["settings"] for m in found["models"]}
    own |= {name: one["settings"] for name, one in found.get("diverged", {}).items()}
    wanted: dict[str, Any] = {}
    for run, model, _, _ in experiment.made(found["preset"]):
        settings = run.settings(found["preset"])
        wanted[model.name] = None if settings is None else finite(settings.written())
    return [name for name in {**wanted, **own} if own.get(name) != wanted.get(name)]


def _figure(model: Mapping[str, Any], at: At, trained_at: int | None) -> dict[str, Any] | None:
    """A model's number for each seed; None if one overflowed."""
    of, settings = model["evaluation"], model["settings"]
    if at is None:
        each = of["loss"]["each"]
    elif at == LEARNER:
        return {"model": model["name"], "values": [of["beside"]["loss"]]}
    elif isinstance(at, str):
        each = [one[at] for one in model["parameters"]]
    else:
        parts, name = ("scales", "scale") if isinstance(at, float) else ("contexts", "examples")
        (each,) = (one["loss"] for one in model[parts] if one[name] == at)
    if None in each:
        return None
    spread = Spread(tuple(each))
    figure = {
        "model": model["name"],
        "mean": spread.mean,
        "spread": spread.deviation,
        "values": list(each),
        "seeds": settings["seeds"],
        "steps": settings["steps"],
    }
    if of["beside"] and at in (None, trained_at):
        likeness = {
            "cosine": of["beside"]["sensitivity_cosine"]["mean"],
            "relative_l2": of["beside"]["relative_l2"]["mean"],
        }
        figure |= {name: value for name, value in likeness.items() if value is not None}
    return figure


def of_model(
    experiment: Experiment,
    made: Made,
    trained: Mapping[str, Trained],
    settings: Mapping[str, Any],
    *,
    tasks: int | None = None,
    seed: int = 1_000,
    brief: bool = False,
) -> OfModel:
    """Evaluate one model: `brief` leaves out other scales, other contexts and the learning rule."""
    _, model, task, reference = made
    own = trained[model.name]
    more = {} if tasks is None else {"tasks": tasks}
    evaluation = evaluate(model, own.arrays, task, reference, seed=seed, **more)
    eta = evaluation.beside.step_size if evaluation.beside else 0.0
    scales: list[dict[str, Any]] = []
    contexts: list[dict[str, Any]] = []
    if not brief and reference is not None:
        if task.kind == "regression":
            scales = by_scale(model, own.arrays, task, reference, eta)
        for count in experiment.contexts:
            at = replace(task, examples=count)  # type: ignore[type-var]
            drawn = at.fresh(AT_CONTEXTS, seed + count)
            loss = evaluate(model, own.arrays, at, tasks=AT_CONTEXTS, seed=seed + count).loss
            learner, _ = reference_loss(reference, at, eta, drawn)
            contexts.append({"examples": count, "loss": list(loss.each), "reference": learner})
    steps = settings[model.name]["block"]
    every = max(1, len(own.curve) // POINTS)
    curve = [[(k + 1) * steps, float(own.curve[k].mean())] for k in range(0, len(own.curve), every)]
    return OfModel(
        model.name,
        model.says,
        model.size,
        dict(settings[model.name]),
        round(own.seconds, 1),
        curve,
        as_written(evaluation),
        scales,
        contexts,
        [] if brief else identified(model, own.arrays),
        beside_construction(model, own.arrays),
    )


def as_written(evaluation: Evaluation) -> dict[str, Any]:
    """An evaluation as JSON has it."""

    def plain(value: Any) -> Any:
        if isinstance(value, Spread):
            each = list(value.each)
            return {"mean": value.mean, "deviation": value.deviation, "each": each}
        if hasattr(value, "_asdict"):
            return {name: plain(part) for name, part in value._asdict().items()}
        return value

    return plain(evaluation)


LINEAR = ("gril", "gd-ssm")
"""Families whose trained weights `identify` looks at: those of one layer that the constructions have."""


def identified(model: Model, arrays: Mapping[str, np.ndarray]) -> list[dict[str, Any]]:
    """What `identify` says of the weights of each seed: the function, whatever symmetry the parameters have."""
    from ...identify.identifying import identify

    if model.family not in LINEAR:
        return []
    found = []
    for k in range(len(next(iter(arrays.values())))):
        with tempfile.TemporaryDirectory() as folder:
            write_folder(Path(folder), model, arrays, k)
            report = identify(folder)
        found.append(
            {
                "verdict": report.verdict,
                "steps": report.steps,
                "step_size": None if report.step_size is None else float(report.step_size.value),
                "relative": None if report.distances is None else report.distances.relative,
                "nearest_construction": report.nearest_construction or None,
            }
        )
    return found


def write_folder(folder: Path, model: Model, arrays: Mapping[str, np.ndarray], seed: int) -> None:
    """Write the weights of one seed (by its place) as a folder that `identify` reads."""
    whole = {name: np.asarray(array) for name, array in model.fixed.items()}
    whole |= {name: np.asarray(array[seed]) for name, array in arrays.items()}
    encoding = {name: whole.pop(name) for name in neutral.ENCODING}
    tensors.write(folder / WEIGHTS, whole)
    tensors.write(folder / ENCODING, encoding)


def as_csv(found: Result) -> str:
    """A line for each model and seed."""
    file = io.StringIO()
    table = csv.writer(file, lineterminator="\n")
    table.writerow(COLUMNS)
    for model in found.models:
        of, settings = model.evaluation, model.settings
        beside = of["beside"] or {}
        for place, seed in enumerate(settings["seeds"]):
            measured = [
                beside[name]["each"][place] if beside else ""
                for name in (
                    "prediction_l2",
                    "relative_l2",
                    "sensitivity_cosine",
                    "sensitivity_l2",
                )
            ]
            accuracy = of["accuracy"]["each"][place] if of["accuracy"] else ""
            table.writerow(
                [
                    *(found.experiment, found.preset, model.name, seed),
                    *(settings[name] for name in ("steps", "batch", "rate")),
                    *(of["loss"]["each"][place], of["zero"]),
                    *(beside.get(name, "") for name in ("reference", "step_size", "loss")),
                    *measured,
                    accuracy,
                ]
            )
    return file.getvalue()


def packed(trained: Mapping[str, Trained]) -> dict[str, np.ndarray]:
    """The weights of all models: names are "model/array"."""
    return {
        f"{name}/{key}": array for name, own in trained.items() for key, array in own.arrays.items()
    }


def unpacked(
    experiment: Experiment,
    preset: str,
    arrays: Mapping[str, np.ndarray],
    where: str,
    diverged: Collection[str] = (),
) -> dict[str, dict[str, np.ndarray]]:
    """The weights of each model of an experiment but those whose training diverged.

    Raises:
        UsageError: if an array is missing, left over, or of another shape than the model's.
    """
    left, found = dict(arrays), {}
    for _, model, _, _ in experiment.made(preset):
        if model.name in diverged:
            continue
        found[model.name] = {}
        for name, start in model.starts.items():
            array = left.pop(f"{model.name}/{name}", None)
            if array is None or array.shape[1:] != start.shape:
                there = "is missing" if array is None else f"has shape {array.shape[1:]}"
                raise UsageError(
                    f"{where}: {model.name}/{name} {there}, where {start.shape} is expected; train it anew."
                )
            found[model.name][name] = array
    if left:
        raise UsageError(f"{where}: {next(iter(left))} is no array of {experiment.id}.")
    return found


def versions() -> dict[str, str]:
    """Of Python and of the libraries that training rests on."""
    found = {"python": platform.python_version()}
    for name in LIBRARIES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found


def device() -> str:
    """What JAX computes on, in words."""
    first = jax().devices()[0]
    kind = first.device_kind if first.platform != "cpu" else platform.machine() or sys.platform
    return f"{first.platform} ({kind})"
