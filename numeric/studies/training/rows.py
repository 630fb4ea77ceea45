"""Training what a row of the ledger is about, and looking again at what was recorded."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scanproof.constructs.errors import UsageError
from scanproof.proofs.decide.files import replace as write_whole
from scanproof.proofs.expected.recorded import FOLDER, PRESETS, file_of
from scanproof.proofs.files.regular import contents
from scanproof.proofs.files.strict_json import NotStrict, parse
from scanproof.proofs.report.progress import OnProgress

from ...export import tensors
from . import checkpoints
from .evaluation import Evaluation, evaluate
from .experiments import EXPERIMENTS, Experiment, find, preset
from .results import (
    SCHEMA,
    Result,
    as_csv,
    identified,
    packed,
    records,
    result,
    unpacked,
)
from .settings import Settings
from .training import Diverged, Trained, train

LARGEST = 2**24
"""The most bytes of a recorded result that is read."""


def train_row(
    row: str | Experiment,
    preset_name: str = "quick",
    out: Path | None = None,
    *,
    on_progress: OnProgress | None = None,
    changes: Callable[[Settings], Settings] | None = None,
    **options: Any,
) -> Result:
    """Train the models that a row is about, evaluate them, and write all of it into a folder.

    The folder holds a checkpoint for each model, and at the end `EXPERIMENT.PRESET.json`, `.csv` and `.safetensors`
    (the weights), and for each row of the ledger that is decided by it `ROW.PRESET.json`, unless other settings than
    the preset's were given. Called again with the same folder it goes on where it was stopped.

    Args:
        row: an id of the ledger, or of an experiment.
        preset_name: "quick", or "full" for the sources' own settings as far as they are printed.
        out: the folder; nothing is written without one.
        on_progress: told the model and its loss, and how many steps are done.
        changes: other settings than the preset's.
        options: of `results.of_model`.

    Raises:
        UsageError: for an unknown row or preset, a folder that cannot be written to, a checkpoint of another
            configuration, and training that diverges if there is no other model; of several the others are trained,
            and the result says of which training has diverged.
    """
    experiment = row if isinstance(row, Experiment) else find(row)
    chosen = preset(preset_name)
    if out is not None:
        checkpoints.prepare(out, "--output")
    trained: dict[str, Trained] = {}
    settings: dict[str, dict[str, Any]] = {}
    diverged: dict[str, Diverged] = {}
    for run, model, task, _ in experiment.made(chosen):
        own = run.settings(chosen)
        assert own is not None
        own = own if changes is None else changes(own)
        folder = None if out is None else out / experiment.id / chosen / _folder(model.name)
        settings[model.name] = own.written()
        try:
            trained[model.name] = train(model, task, own, folder=folder, on_progress=on_progress)
        except Diverged as error:
            diverged[model.name] = error
    if not trained:
        raise next(iter(diverged.values()))
    ended = {name: error.what for name, error in diverged.items()}
    found = result(experiment, chosen, trained, settings, ended, **options)
    if out is not None:
        save(out, experiment, found, trained)
    return found


def save(out: Path, experiment: Experiment, found: Result, trained: dict[str, Trained]) -> None:
    """Write a result's files, each completely or not at all."""
    base = f"{experiment.id}.{found.preset}"
    about = {"schema": SCHEMA, "experiment": experiment.id, "preset": found.preset}
    checkpoints.save(out / f"{base}.safetensors", packed(trained), about)
    write_whole(out / f"{base}.csv", as_csv(found))
    written = found.written()
    write_whole(out / f"{base}.json", _as_json(written))
    for row, record in records(experiment, written).items():
        write_whole(file_of(row, found.preset, out), _as_json(record))


def _as_json(value: Any) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def recorded(row: str, folder: Path = FOLDER, preset_name: str = "quick") -> dict[str, Any] | None:
    """The recorded result of the experiment that a row is about, as JSON has it; None if there is none.

    Raises:
        UsageError: for an unknown row, or a file that is no result.
    """
    path = folder / f"{find(row).id}.{preset(preset_name)}.json"
    if not path.exists():
        return None
    try:
        found = parse(contents(path, LARGEST))
    except NotStrict as error:
        raise UsageError(f"{path}: cannot be read as JSON: {error}.") from None
    if not isinstance(found, dict) or found.get("schema") != SCHEMA:
        raise UsageError(f"{path}: it is no result of training ({SCHEMA}).")
    return found


def checked(
    row: str,
    folder: Path = FOLDER,
    preset_name: str = "quick",
    *,
    tasks: int = 2_000,
    seed: int = 77_000,
) -> dict[str, Evaluation]:
    """The losses of recorded weights on tasks drawn anew, in seconds: nothing of the recorded numbers is believed.

    Args:
        row: of the ledger, or an experiment.
        folder: where results are recorded.
        preset_name: of the results.
        tasks: how many are drawn.
        seed: theirs.

    Raises:
        UsageError: if nothing is recorded for the row, or the weights are not those of its models.
    """
    arrays = _weights(row, folder, preset_name)
    return {
        model.name: evaluate(model, arrays[model.name], task, tasks=tasks, seed=seed)
        for _, model, task, _ in find(row).made(preset_name)
        if model.name in arrays
    }


def rules(row: str, folder: Path = FOLDER, preset_name: str = "quick") -> dict[str, str]:
    """What `identify` says of recorded weights, those of the first seed, by model; of models that it looks at."""
    arrays = _weights(row, folder, preset_name)
    said = {}
    for _, model, _, _ in find(row).made(preset_name):
        if model.name not in arrays:
            continue
        first = {name: array[:1] for name, array in arrays[model.name].items()}
        for one in identified(model, first):
            said[model.name] = one["verdict"]
    return said


def _weights(row: str, folder: Path, preset_name: str) -> dict[str, dict[str, Any]]:
    experiment = find(row)
    path = folder / f"{experiment.id}.{preset(preset_name)}.safetensors"
    if not path.exists():
        raise UsageError(
            f"{row}: no trained weights are recorded in {folder}; train them: scanproof train {row} --output DIR."
        )
    found = recorded(row, folder, preset_name)
    diverged = {} if found is None else found.get("diverged", {})
    return unpacked(experiment, preset_name, tensors.read(path).arrays, str(path), diverged)


def with_results(folder: Path = FOLDER) -> list[tuple[str, str]]:
    """The experiments for which weights are recorded, each with the preset, the better one if there are two."""
    best = ((id, best_preset(id, folder)) for id in EXPERIMENTS)
    return [(id, preset_name) for id, preset_name in best if preset_name is not None]


def best_preset(id: str, folder: Path = FOLDER) -> str | None:
    """The best preset of which an experiment's weights are recorded."""
    there = (name for name in PRESETS if (folder / f"{id}.{name}.safetensors").exists())
    return next(there, None)


def _folder(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
