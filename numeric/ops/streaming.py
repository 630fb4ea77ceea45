"""The streaming op: a sequence longer than memory, block by block through a compiled op, the state carried on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from scanproof.constructs.arrays.scan import Scan
from scanproof.constructs.errors import UsageError
from scanproof.proofs.report.progress import ProgressBar

from ..jax_backend import jax
from .recurrent import recurrent


class Finished(NamedTuple):
    """What is done and will not be lost: enough to go on from."""

    blocks: int
    """How many blocks are finished."""
    state: Any
    """The state after the last of them; before the first, the initial state."""
    outputs: Any
    """The outputs of the last of them; None after none, and in a fold."""
    value: Any
    """What a fold has made of the outputs of all of them."""


@dataclass
class Stream:
    """A run over blocks: iterate over it for the outputs of each block, or `fold` them.

    A second loop goes on where the first one stopped. `finished` is replaced in one assignment after each block, so
    whatever interrupts the run, Ctrl-C included, leaves the state, the count and the folded value of the same block.
    """

    _op: Callable[..., Scan]
    _blocks: Any
    finished: Finished
    _count: int | None
    _progress: bool
    _options: Mapping[str, Any]
    _pending: tuple[int, Any] = (-1, None)
    _complete: bool = False

    def __iter__(self) -> Iterator[Any]:
        """The outputs of the blocks that are left."""
        with self._bar() as bar:
            while self._advance(None):
                bar.advance(self.finished.blocks)
                yield self.finished.outputs

    def fold(self, function: Callable[[Any, Any], Any], value: Any = None) -> Any:
        """value = function(value, outputs) over the blocks that are left, and what it ends with.

        Args:
            function: keeps of the outputs of a block what is wanted; its result must not hold on to the outputs.
            value: what it starts with; a run that was resumed from a fold goes on with its value.
        """
        if self.finished.value is None:
            self.finished = self.finished._replace(value=value)
        with self._bar() as bar:
            while self._advance(function):
                bar.advance(self.finished.blocks)
        return self.finished.value

    @property
    def final_state(self) -> Any:
        """The state after the last block.

        Raises:
            UsageError: if there are blocks left; `finished.state` is the state so far.
        """
        if not self._complete:
            raise UsageError(
                f"Stream.final_state is there after the last block, but only {self.finished.blocks} are finished; "
                "loop over the stream to its end first, or take finished.state."
            )
        return self.finished.state

    def _bar(self) -> ProgressBar:
        return ProgressBar("streaming, blocks", self._count, shown=self._progress)

    def _advance(self, function: Callable[[Any, Any], Any] | None) -> bool:
        """Run one block; False if there is none."""
        done = self.finished
        if self._pending[0] != done.blocks:  # else an interrupted run has taken it already
            self._pending = done.blocks, self._next(done.blocks)
        block = self._pending[1]
        if block is None:
            self._complete = True
            return False
        try:
            run = self._run(block, done.state)
        except UsageError as error:
            raise UsageError(f"streaming(), block {done.blocks}: {error}") from error
        if not isinstance(run, Scan):
            raise UsageError(
                f"streaming(lane={_name(self._op)}) expects a lane that returns a Scan, got {type(run).__name__}."
            )
        # Waiting here bounds the memory by one block: JAX would otherwise queue block after block.
        jax().block_until_ready((run.outputs, run.final_state))
        if function is None:
            self.finished = Finished(done.blocks + 1, run.final_state, run.outputs, done.value)
        else:
            value = function(done.value, run.outputs)
            self.finished = Finished(done.blocks + 1, run.final_state, None, value)
        return True

    def _run(self, block: Any, state: Any) -> Scan:
        if isinstance(block, Mapping):
            return self._op(**block, initial_state=state, **self._options)
        parts = block if type(block) in (tuple, list) else (block,)
        return self._op(*parts, initial_state=state, **self._options)

    def _next(self, index: int) -> Any:
        if self._count is not None and index >= self._count:
            return None
        if isinstance(self._blocks, Sequence):
            return self._blocks[index]
        if isinstance(self._blocks, Iterator):
            return next(self._blocks, None)
        return self._blocks(index)


def streaming(
    lane: Callable[..., Scan],
    blocks: Any,
    *,
    initial_state: Any = None,
    resume: Finished | None = None,
    count: int | None = None,
    progress: bool = True,
    **options: Any,
) -> Stream:
    """Run an op over a sequence of any length; only one block of it, and its outputs, are in memory at a time.

        run = streaming(chunked, in_blocks((v, k, q), 65536), precision="float32")
        for outputs in run:  # or: total = run.fold(lambda total, outputs: total + outputs.sum(), 0.0)
            ...
        run.final_state

    Blocks of one length share one compiled program. On standard error, if it is a terminal, a bar shows the progress of
    a run that takes more than two seconds. After Ctrl-C, `run.finished` holds the state after the last finished block,
    and `streaming(lane, blocks, resume=run.finished)` goes on from there.

    Args:
        lane: `chunked`, `delta`, `longhorn`, `sharded`, `stepwise(step, parameters)`, or any function that is called as
            `lane(…, initial_state=state, **options)` and returns a `Scan`.
        blocks: a sequence of blocks (`in_blocks` cuts memory-mapped arrays), a function from the block's index 0, 1, …
            to a block, None after the last, or any other iterable, which is used up. A block is a tuple of the op's
            arguments, a mapping of them by name, or the only argument, which is where named tuples of tokens belong.
        initial_state: the state before the first token, as the op takes it.
        resume: what an earlier run had finished, instead of an initial state. Sequences and functions are asked for
            the blocks after that; an iterator must stand there already.
        count: how many blocks a function has; without it the run ends at the first None.
        progress: False never shows the bar.
        options: handed to the op with every block, for example chunk and precision.

    Returns:
        A `Stream`. Nothing has run yet.

    Raises:
        UsageError: if the arguments do not fit; while it runs, with the block's index, what the op has to say.
    """
    if not callable(lane):
        raise UsageError(f"streaming(lane={lane!r}) expects a lane, for example chunked.")
    if resume is not None and initial_state is not None:
        raise UsageError("streaming() takes initial_state or resume, not both.")
    if resume is not None and not isinstance(resume, Finished):
        raise UsageError(
            f"streaming(resume=…) expects the `finished` of an earlier run, got {type(resume).__name__}; "
            "pass a state as initial_state."
        )
    if count is not None and (isinstance(count, bool) or not isinstance(count, int) or count < 0):
        raise UsageError(f"streaming(count={count!r}) expects a whole number of blocks ≥ 0.")
    arrays = hasattr(blocks, "shape") or isinstance(blocks, Mapping)
    if type(blocks) is tuple and blocks:
        arrays = hasattr(blocks[0], "shape")
    if arrays:
        raise UsageError(
            "streaming(blocks=…) expects blocks, got arrays; cut them with in_blocks(arrays, length)."
        )
    if isinstance(blocks, Sequence) and not isinstance(blocks, str):
        count = len(blocks) if count is None else min(count, len(blocks))
    elif isinstance(blocks, Iterable) and not isinstance(blocks, str):
        blocks = iter(blocks)
    elif not callable(blocks):
        raise UsageError(
            f"streaming(blocks=…) expects a sequence of blocks, a function from an index to a block, or an iterable, "
            f"got {type(blocks).__name__}."
        )
    start = Finished(0, initial_state, None, None) if resume is None else resume
    return Stream(lane, blocks, start, count, progress, options)


def stepwise(step: Callable[..., Any], parameters: Any) -> Callable[..., Scan]:
    """The recurrent op of a definition, in a form that can be streamed: `lane(tokens, initial_state=state)`."""

    def lane(tokens: Any, *, initial_state: Any, **options: Any) -> Scan:
        if initial_state is None:
            raise UsageError(
                f"stepwise({_name(step)}) needs the state before the first token: pass initial_state."
            )
        return recurrent(step, parameters, initial_state, tokens, **options)

    return lane


def _name(function: Any) -> str:
    return getattr(function, "__name__", repr(function))
