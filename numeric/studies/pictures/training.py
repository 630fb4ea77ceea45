"""Pictures of trained models: their losses in training, on other scales, in other contexts, beside the learner's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from scanproof.constructs.errors import UsageError

from .panel import Line, Panel, Picture


def picture(found: Mapping[str, Any]) -> Picture:
    """The picture of a result of training, as its JSON has it.

    Raises:
        UsageError: for another kind of JSON.
    """
    try:
        panels = [_training(found)]
        if any(model["contexts"] for model in found["models"]):
            panels.append(_contexts(found))
        elif any(model["scales"] for model in found["models"]):
            panels.append(_scales(found))
        if any(model["evaluation"]["beside"] for model in found["models"]):
            panels.append(_distances(found))
        seeds = len(found["models"][0]["settings"]["seeds"])
        note = f"trained here: preset {found['preset']}, {seeds} seeds, {found['device']}"
        return Picture(found["experiment"], found["says"], note, panels)
    except (KeyError, TypeError, IndexError) as error:
        raise UsageError(f"picture: this is no result of training: no field {error}.") from None


def _training(found: Mapping[str, Any]) -> Panel:
    lines = []
    for model in found["models"]:
        steps, losses = zip(*model["curve"], strict=True)
        lines.append(Line(model["name"], steps, losses))
    last = max(line.x[-1] for line in lines)
    for name, loss in _references(found).items():
        lines.append(Line(name, (0, last), (loss, loss), "guide"))
    return Panel("A: training", "steps", "loss", lines, y_log=False)


def _references(found: Mapping[str, Any]) -> dict[str, float]:
    every = (model["evaluation"]["beside"] for model in found["models"])
    return {beside["reference"]: beside["loss"] for beside in every if beside}


def _scales(found: Mapping[str, Any]) -> Panel:
    lines, learner = [], {}
    for model in found["models"]:
        if model["scales"]:
            x = [one["scale"] for one in model["scales"]]
            lines.append(Line(model["name"], x, [_mean(one["loss"]) for one in model["scales"]]))
            name = model["evaluation"]["beside"]["reference"]
            learner[name] = Line(name, x, [one["reference"] for one in model["scales"]], "beside")
    x = "scale of inputs, relative to training"
    return Panel("B: other scales", x, "loss", [*lines, *learner.values()])


def _contexts(found: Mapping[str, Any]) -> Panel:
    lines, learner = [], {}
    for model in found["models"]:
        x = [one["examples"] for one in model["contexts"]]
        lines.append(Line(model["name"], x, [_mean(one["loss"]) for one in model["contexts"]]))
        name = model["evaluation"]["beside"]["reference"]
        learner[name] = Line(name, x, [one["reference"] for one in model["contexts"]], "beside")
    return Panel("B: context sizes", "examples", "loss", [*lines, *learner.values()])


def _distances(found: Mapping[str, Any]) -> Panel:
    """Where the models stand: distance of predictions and 1 − cosine of sensitivities, one point a seed."""
    lines = []
    for model in found["models"]:
        beside = model["evaluation"]["beside"]
        if beside:
            cosine = 1 - np.asarray(beside["sensitivity_cosine"]["each"], float)
            lines.append(
                Line(
                    model["name"],
                    [np.nan if r is None else r for r in beside["relative_l2"]["each"]],
                    cosine.tolist(),
                )
            )
    return Panel(
        "C: beside the explicit learner",
        "‖ŷ − learner‖ / ‖learner‖",
        "1 − cosine of sensitivities",
        lines,
        x_log=True,
    )


def _mean(values: Any) -> float:
    """Of the seeds; NaN, which is not drawn, if one overflowed."""
    return float(np.mean([np.nan if value is None else value for value in values]))
