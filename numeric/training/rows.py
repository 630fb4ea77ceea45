"""Training what a row of the ledger is about, and looking again at what was recorded."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scanproof.constructs.errors import UsageError
from scanproof.proofs.decide.files import replace as write_whole
from scanproof.proofs.report.progress import OnProgress

from ..export import tensors
from . import checkpoints
from .evaluation import Evaluation, evaluate
from .experiments import EXPERIMENTS, Experiment, find, preset
from .results import SCHEMA, Result, as_csv, packed, result, unpacked
from .settings import Settings
from .training import Trained, train

RESULTS = Path(__file__).parent / "results"
"""What was trained for the ledger: a JSON file and the weights of each experiment."""


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

    The folder holds a checkpoint for each model while it is trained, and at the end `NAME.json`, `NAME.csv` and
    `NAME.safetensors`. Called again with the same folder it goes on where it was stopped.

    Args:
        row: an id of the ledger, or of an experiment.
        preset_name: "quick", or "full" for the sources' own settings as far as they are printed.
        out: the folder; nothing is written without one.
        on_progress: told the model and its loss, and how many steps are done.
        changes: other settings than the preset's.
        options: of `results.of_model`.

    Raises:
        UsageError: for an unknown row or preset, a folder that cannot be written to, a checkpoint of another
            configuration, and training that diverges.
    """
    experiment = row if isinstance(row, Experiment) else find(row)
    chosen = preset(preset_name)
    if out is not None:
        checkpoints.prepare(out, "--out")
    trained: dict[str, Trained] = {}
    settings: dict[str, dict[str, Any]] = {}
    for run in experiment.runs:
        model, own = run.model(experiment.task), run.settings(chosen)
        own = own if changes is None else changes(own)
        folder = None if out is None else out / _folder(model.name)
        trained[model.name] = train(
            model, experiment.task, own, folder=folder, on_progress=on_progress
        )
        settings[model.name] = own.written()
    found = result(experiment, chosen, trained, settings, **options)
    if out is not None:
        save(out, experiment, found, trained)
    return found


def save(out: Path, experiment: Experiment, found: Result, trained: dict[str, Trained]) -> None:
    """Write a result's three files, each completely or not at all."""
    checkpoints.save(out / f"{experiment.id}.safetensors", packed(trained), {"schema": SCHEMA})
    text = json.dumps(_shorter(found.written()), indent=1, ensure_ascii=False)
    write_whole(out / f"{experiment.id}.csv", as_csv(found))
    write_whole(out / f"{experiment.id}.json", text + "\n")


def recorded(row: str, folder: Path = RESULTS) -> dict[str, Any] | None:
    """The recorded result for a row, as JSON has it; None if there is none.

    Raises:
        UsageError: for an unknown row, or a file that is no result.
    """
    path = folder / f"{find(row).id}.json"
    if not path.exists():
        return None
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: cannot be read as JSON: {error}.") from None
    if not isinstance(found, dict) or found.get("schema") != SCHEMA:
        raise UsageError(f"{path}: it is no result of training ({SCHEMA}).")
    return found


def checked(
    row: str, folder: Path = RESULTS, *, tasks: int = 2_000, seed: int = 77_000
) -> dict[str, Evaluation]:
    """Evaluate recorded weights on tasks drawn anew, in seconds: nothing of the recorded numbers is believed.

    Args:
        row: of the ledger, or an experiment.
        folder: where results are recorded.
        tasks: how many are drawn.
        seed: theirs.

    Raises:
        UsageError: if nothing is recorded for the row, or the weights are not those of its models.
    """
    experiment = find(row)
    path = folder / f"{experiment.id}.safetensors"
    if not path.exists():
        raise UsageError(
            f"{row}: no trained weights are recorded in {folder}; train them: scanproof train {row} --out DIR."
        )
    arrays = unpacked(experiment, tensors.read(path).arrays, str(path))
    reference = None if experiment.reference is None else experiment.reference(experiment.task)
    found = {}
    for run in experiment.runs:
        model = run.model(experiment.task)
        found[model.name] = evaluate(
            model, arrays[model.name], experiment.task, reference, tasks=tasks, seed=seed
        )
    return found


def with_results(folder: Path = RESULTS) -> list[str]:
    """The experiments for which weights are recorded."""
    return [id for id in EXPERIMENTS if (folder / f"{id}.safetensors").exists()]


def _folder(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def _shorter(value: Any) -> Any:
    """Numbers with six digits, so that a result stays small and readable."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {key: _shorter(part) for key, part in value.items()}
    return [_shorter(part) for part in value] if isinstance(value, list) else value
