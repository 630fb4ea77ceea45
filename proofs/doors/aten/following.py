"""A function is run as it is, run again with its loops as calls, and traced: each shows something of the next.

The first run says which functions of the user's there are, which numbers they have, and whether the function runs at
all; the second what the turns of loops do, and that calls do what the loops did.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from types import FunctionType
from typing import Any

from ...interpret.questions import raised_at
from ...statement.whole import Position, Whole
from ..caches import uncached
from ..loops.rewriting import loops_as_calls
from .loops import NAMES
from .refusal import Decided, FirstTurn, Refused, beside, torch
from .running import Looking, codes_run, functions_of
from .tracing import Given, Traced, Turns, example_inputs, example_sizes, numbers_in, trace
from .turns import APART, TURNS, Session, session


def followed(
    function: Callable[..., Any],
    given: Sequence[Given],
    known: Sequence[Callable[..., Any]] = (),
) -> Traced:
    """The graph of a function, its loops over sizes as scans.

    Args:
        function: of tensors.
        given: its arguments.
        known: the functions that it calls, if it is not itself the one that was written; others are seen when it runs.

    Raises:
        Refused, Decided: as `trace` does, and if the function does not run.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it runs several times, and is not run for its own sake
        return _followed(function, given, [f for one in known or [function] for f in _written(one)])


def _followed(
    function: Callable[..., Any], given: Sequence[Given], known: Sequence[FunctionType]
) -> Traced:
    sizes = example_sizes(given, set())
    try:
        plain, codes = codes_run(function, example_inputs(given, sizes))
    except Refused:
        raise
    except Exception as error:
        said = (str(error).strip().splitlines() or [""])[0]
        at = ", ".join(f"{name} = {value}" for name, value in sizes.items())
        where = raised_at(error, beside())
        raise Refused(
            f"it fails where it is run{f' at {at}' if at else ''}: {type(error).__name__}{where}: {said}"
        ) from error
    numbers = {number for code in codes for number in numbers_in(code)} if sizes else set()
    modules = {id(names): names for names in codes.values()}.values()
    with (
        uncached(modules),
        loops_as_calls(functions_of(codes, known) if sizes else [], NAMES) as found,
    ):
        if not found:  # or loops are Python's own
            return trace(function, given, numbers)
        now = Session()
        with session(now):
            again = function(*example_inputs(given, sizes))
            if Looking.skipped:
                plain = again  # what comes of kernels is compared where the nodes are
        _expect_same(plain, again, found)
        now.tracing = True
        while True:
            try:
                with session(now):
                    turns = Turns(now.turns, now.used, now.shared)
                    return trace(function, given, numbers, turns, TURNS)
            except (Decided, FirstTurn) as error:
                if not any(_run_by_itself(now, loop) for loop in _asking(error)):
                    raise


def _written(function: Any) -> Sequence[FunctionType]:
    """The function of Python's behind a method, a partial function or a wrapper."""
    while not isinstance(function, FunctionType):
        inner = (getattr(function, name, None) for name in ("__func__", "func", "__wrapped__"))
        function = next((one for one in inner if one is not None), None)
        if function is None:
            return []
    return [function]


def _asking(error: Decided | FirstTurn) -> Iterator[Any]:
    """The loops that may have one answer, or begin, once their first turn is run by itself."""
    if isinstance(error, FirstTurn):
        yield error.loop
    elif isinstance(error.number, Whole):
        for one in error.number.symbols:
            if isinstance(one, Position) and one in error.loops:
                yield error.loops[one]


def _run_by_itself(now: Session, loop: Any) -> bool:
    """Whether another of the first turns of a loop is run by itself from now on."""
    count = now.apart.get(loop, 0)
    now.apart[loop] = min(count + 1, APART)
    return count < APART


def _expect_same(plain: Any, again: Any, names: Sequence[str]) -> None:
    """Refuse if a function with loops as calls returns something else."""
    t = torch()
    from torch.utils import _pytree

    pairs = zip(_pytree.tree_leaves(plain), _pytree.tree_leaves(again), strict=True)
    for one, other in pairs:
        if isinstance(one, t.Tensor) and not t.equal(t.nan_to_num(one), t.nan_to_num(other)):
            raise Refused(
                f"loops of {', '.join(names)} are not followed: they draw, or keep something between calls"
            )
