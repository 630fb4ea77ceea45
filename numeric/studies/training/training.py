"""Training a model: all seeds side by side in one compiled program, in blocks of steps between checkpoints.

Everything that a step draws follows from its seed and its number, so that training that was stopped goes on as if it
had not been: the same bits on the same machine with the same versions.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from scanproof.constructs.errors import UsageError
from scanproof.proofs.files.strict_json import shown
from scanproof.proofs.report.progress import OnProgress

from ...jax_backend import jax
from . import checkpoints
from .models import Model
from .settings import Settings
from .tasks import Task

PAUSE = 5.0
"""Seconds between two checkpoints, at least."""


class Diverged(UsageError):
    """Training whose loss or state is not finite any more."""

    def __init__(self, message: str, what: str) -> None:
        super().__init__(message)
        self.what = what
        """When, of which seeds, and what is not finite."""


class Trained(NamedTuple):
    """What training leaves behind."""

    arrays: dict[str, np.ndarray]
    """The trained arrays, each with a leading axis of seeds."""
    curve: np.ndarray
    """The mean loss of each block, (blocks, seeds)."""
    seconds: float
    """That were spent, those before an interruption included; compiling too."""


def optax() -> Any:
    """The module `optax`.

    Raises:
        UsageError: if it is not installed.
    """
    try:
        import optax
    except ImportError as error:
        raise UsageError(
            "training needs optax, which is not installed; try: pip install 'scanproof[train]'"
        ) from error
    return optax


def train(
    model: Model,
    task: Task,
    settings: Settings,
    *,
    folder: Path | None = None,
    on_progress: OnProgress | None = None,
    begun: Mapping[str, np.ndarray] | None = None,
    pause: float = PAUSE,
) -> Trained:
    """Train a model, or go on where a checkpoint in the folder stands.

    Args:
        model: what is trained.
        task: what each step draws its tasks from.
        settings: of the optimiser.
        folder: where checkpoints are kept; nothing is kept without one.
        on_progress: told the loss, steps done and all steps, after every block.
        begun: the arrays before training, with an axis of seeds, if they are not the model's own.
        pause: seconds between two checkpoints, at least.

    Raises:
        UsageError: if optax is missing, the folder cannot be written to, or its checkpoint is of another configuration.
        Diverged: if the loss or the state of a seed is infinite or NaN; the last checkpoint before that is kept.
        KeyboardInterrupt: what was finished is kept.
    """
    began, j = time.monotonic(), jax("training")
    optax()
    path = None if folder is None else folder / checkpoints.NAME
    if folder is not None:
        checkpoints.prepare(folder, "--output")
    about = configuration(model, task, settings)
    fresh, advance = _programs(model, task, settings)
    keys = j.numpy.stack([j.random.key(seed) for seed in settings.seeds])
    state = fresh(keys, None if begun is None else dict(begun))
    curve: list[np.ndarray] = []
    before = 0.0
    if path is not None and path.exists():
        state, curve, before = _resumed(path, about, state, settings)
    done = len(curve)
    if done == settings.steps // settings.block:
        return _trained(state, curve, before)

    def keep(state: Any, curve: list[np.ndarray]) -> None:
        if path is not None and curve:
            _save(path, about, state, curve, before + time.monotonic() - began)

    saved, whole = time.monotonic(), (state, curve)
    try:
        for block in range(done, settings.steps // settings.block):
            state, losses = advance(keys, state, block * settings.block)
            losses = np.asarray(losses)
            at = (block + 1) * settings.block
            if not (np.isfinite(losses).all() and _finite(state).all()):
                keep(*whole)
                raise _diverged(model, settings, losses, _finite(state), at, path)
            curve = [*curve, losses.mean(axis=0)]
            whole = state, curve  # one assignment: an interrupt never finds half of it
            if on_progress is not None:
                on_progress(f"{model.name}: loss {curve[-1].mean():.4f}", at, settings.steps)
            if time.monotonic() >= saved + pause:
                keep(*whole)
                saved = time.monotonic()
    finally:
        keep(*whole)
    state, curve = whole
    return _trained(state, curve, before + time.monotonic() - began)


def _trained(state: Any, curve: list[np.ndarray], seconds: float) -> Trained:
    arrays = {name: np.asarray(array) for name, array in state[0].items()}
    return Trained(arrays, np.stack(curve), seconds)


def configuration(model: Model, task: Task, settings: Settings) -> dict[str, Any]:
    """What two runs must share for one to go on with the other's checkpoint."""
    told = {
        "task": type(task).__name__,
        **{f"task.{k}": _plain(v) for k, v in asdict(task).items()},
    }
    shapes = {name: list(start.shape) for name, start in model.starts.items()}
    return {"model": model.name, **told, **settings.written(), "parameters": shapes}


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, int | float | str) else str(value)


def _programs(model: Model, task: Task, settings: Settings) -> tuple[Callable, Callable]:
    """(keys, arrays or None) -> the first state, and (keys, state, first step) -> state and losses, over all seeds."""
    j, optimiser = jax(), _optimiser(settings)
    factors = {
        name: settings.recurrent if name.endswith(model.slow) and model.slow else 1.0
        for name in model.starts
    }

    def start(key: Any, begun: Any) -> Any:
        arrays = model.start(j.random.fold_in(key, 0)) if begun is None else begun
        return arrays, optimiser.init(arrays)

    def mean_loss(arrays: Any, key: Any) -> Any:
        def one(key: Any) -> Any:
            drawn = task.draw(key)
            return task.loss(model(arrays, *drawn.inputs), drawn.target)

        return j.vmap(one)(j.random.split(key, settings.batch)).mean()

    def step(key: Any, state: Any, number: Any) -> Any:
        arrays, inner = state
        drawn = j.random.fold_in(j.random.fold_in(key, 1), number)
        loss, slope = j.value_and_grad(mean_loss)(arrays, drawn)
        changes, inner = optimiser.update(slope, inner, arrays)
        moved = {name: arrays[name] + factors[name] * changes[name] for name in arrays}
        return (moved, inner), loss

    def block(keys: Any, state: Any, first: Any) -> Any:
        every = j.vmap(step, in_axes=(0, 0, None))

        def one(state: Any, number: Any) -> Any:
            return every(keys, state, number)

        with j.default_matmul_precision("highest"):
            return j.lax.scan(one, state, first + j.numpy.arange(settings.block))

    return j.jit(j.vmap(start)), j.jit(block)


def _optimiser(settings: Settings) -> Any:
    o = optax()
    if settings.schedule == "cosine":
        warm = max(1, round(settings.warmup * settings.steps))
        rate = o.warmup_cosine_decay_schedule(
            0.0, settings.rate, warm, max(settings.steps, warm + 1)
        )
    else:
        rate = settings.rate
    parts = [] if settings.clip is None else [o.clip_by_global_norm(settings.clip)]
    if settings.weight_decay:
        parts.append(o.adamw(rate, weight_decay=settings.weight_decay))
    else:
        parts.append(o.adam(rate))
    return o.chain(*parts)


def _finite(state: Any) -> np.ndarray:
    """Whether all of it is, for each seed, the optimiser's part too: its squares overflow before a loss does."""
    leaves = map(np.asarray, jax().tree.leaves(state))
    return np.all([np.isfinite(leaf.reshape(len(leaf), -1)).all(axis=1) for leaf in leaves], axis=0)


def _diverged(
    model: Model,
    settings: Settings,
    losses: np.ndarray,
    finite: np.ndarray,
    at: int,
    path: Path | None,
) -> Diverged:
    of_losses = np.isfinite(losses).all(axis=0)
    what = "parameters or the optimiser's averages are" if of_losses.all() else "loss is"
    whole = np.asarray(finite if of_losses.all() else of_losses).tolist()
    seeds = ", ".join(str(s) for s, good in zip(settings.seeds, whole, strict=True) if not good)
    kept = f"; the last checkpoint, {path}, is kept" if path is not None and path.exists() else ""
    told = f"between steps {at - settings.block} and {at} (seeds {seeds}): the {what} not finite any more"
    advice = f"Try a smaller step size than {settings.rate:g}."
    return Diverged(f"training {model.name} diverged {told}{kept}. {advice}", told)


def _names(state: Any) -> list[str]:
    """Names for the leaves of a state."""
    paths = jax().tree_util.tree_flatten_with_path(state)[0]
    return [jax().tree_util.keystr(path) for path, _ in paths]


def _save(path: Path, about: Any, state: Any, curve: list[np.ndarray], spent: float) -> None:
    leaves = jax().tree.leaves(state)
    arrays = {f"state{n}": np.asarray(leaf) for n, leaf in zip(_names(state), leaves, strict=True)}
    arrays["curve"] = np.stack(curve)
    checkpoints.save(path, arrays, {"configuration": about, "blocks": len(curve), "seconds": spent})


def _resumed(
    path: Path, about: Any, state: Any, settings: Settings
) -> tuple[Any, list[np.ndarray], float]:
    arrays, found = checkpoints.load(path)

    def refused(why: str) -> UsageError:
        return UsageError(f"{path}: a checkpoint {why}; remove it to begin anew.")

    their, blocks, seconds = (found.get(name) for name in ("configuration", "blocks", "seconds"))
    if not isinstance(their, dict):
        raise refused("without the configuration of its training")
    differ = checkpoints.differing(their, about)
    if differ:
        raise UsageError(
            f"{path}: a checkpoint of another configuration: {'; '.join(differ)}. Name another folder, or remove it "
            "to begin anew."
        )
    total = settings.steps // settings.block
    if type(blocks) is not int or not 1 <= blocks <= total:
        raise refused(f"whose number of blocks is {shown(blocks)}, and not one of 1 to {total}")
    if not isinstance(seconds, int | float) or isinstance(seconds, bool) or seconds < 0:
        raise refused(f"whose seconds are {shown(seconds)}, and not a number from 0 on")
    leaves, tree = jax().tree.flatten(state)
    wanted = {f"state{name}": leaf for name, leaf in zip(_names(state), leaves, strict=True)}
    shapes = {name: tuple(leaf.shape) for name, leaf in wanted.items()}
    shapes["curve"] = (blocks, len(settings.seeds))
    for name in (*shapes, *arrays):
        if name not in arrays:
            raise refused(f"without {name}")
        if name not in shapes:
            raise refused(f"with {shown(name)}, which is no part of this training")
        if arrays[name].shape != shapes[name]:
            raise refused(f"whose {name} is of shape {arrays[name].shape}, not {shapes[name]}")
    restored = []
    for name, leaf in wanted.items():
        with np.errstate(all="ignore"):
            array = arrays[name].astype(leaf.dtype)
        if not np.array_equal(array.astype(np.float64), arrays[name].astype(np.float64)):
            raise refused(f"whose {name} has numbers that are none of {leaf.dtype}")
        restored.append(jax().numpy.asarray(array))
    return tree.unflatten(restored), list(arrays["curve"]), float(seconds)
