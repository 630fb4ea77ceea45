"""What `scanproof run` hands to JAX for a construction is the layer of the statement, with its parameters.

Statements with the same runner and parameters share a row. That the layer is the learner is the statement's own row.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from scanproof.constructs.constructions.construction import SCALAR, Construction
from scanproof.proofs.doors.program import program, together
from scanproof.proofs.language.claim import Claim
from scanproof.proofs.language.statements import equal

from ..run.drawing import letters
from ..run.layer_runners import runner
from ..run.problem import Options, Problem, Settings
from ..run.rows import constructed
from ..run.runners import Hybrid, Online, Recurrence, TwoHeads
from ..run.tokenising import Pairs
from .source import READ, lanes

FEATURES = 2


def _of(claim: Claim) -> Construction:
    assert claim.construction is not None
    return claim.construction


def _targets(claim: Claim) -> int | None:
    return None if _of(claim).targets == SCALAR else FEATURES


class Namespace:
    """`jax.numpy` for constructions, whose exact numbers become floating-point ones."""

    def __getattr__(self, name: str) -> Any:
        import jax.numpy

        function = getattr(jax.numpy, name)

        def called(*arguments: Any, **options: Any) -> Any:
            return function(*map(_floats, arguments), **options)

        return called


def _floats(value: Any) -> Any:
    if isinstance(value, Fraction):
        return float(value)
    return type(value)(map(_floats, value)) if isinstance(value, list | tuple) else value


def parameters(claim: Claim, N: Any, eta: Any, xp: Any) -> Any:
    """The layer's parameters for N examples, in any namespace."""
    sizes = letters(Settings(FEATURES, N, targets=_targets(claim)))

    def construct(**values: Any) -> Any:
        return claim.construct(values)

    return runner(_of(claim)).made(claim, {**sizes, "eta": eta, "xp": xp}, construct)


def runs(claim: Claim, op: str) -> Callable[..., Any]:
    """The program of a stream of N examples in one block: x (N + 1, f), y and η -> the predictions of all tokens."""

    def run(x: Any, y: Any, eta: Any, *W0: Any) -> Any:
        import jax

        from ..precision import FLOAT64

        made, N = runner(_of(claim)), y.shape[0]
        count = jax.numpy.asarray(N, dtype=x.dtype)
        with (
            jax.ensure_compile_time_eval()
        ):  # what does not depend on the data is data of the program
            p = parameters(claim, count, eta, Namespace())
        start = W0[0][None] if W0 else None
        problem = Problem(x[None], y[None], start, None, {})  # type: ignore[arg-type]
        an_example = 1 if isinstance(made, Online) else made.tokens.an_example
        options = Options(op, FLOAT64, N * an_example)
        stream = made.stream(p, problem, options)
        state = made.start(p, problem, options, 1)
        return made.op(p, problem, options, 1)(*stream, initial_state=state).outputs[0]

    return run


def defined(claim: Claim, x: Any, y: Any, eta: Any, W0: Any, xp: Any) -> Any:
    """The same by the layer's definition, token after token."""
    every = _of(claim)._replace(every=True)
    return every.predictions(parameters(claim, y.shape[0], eta, xp), x, y, W0)


def add(name: str, groups: list[list[str]], claims: Mapping[str, Claim]) -> None:
    """A row that both ops of a runner are the layer, with the parameters of each of these statements."""
    first = claims[groups[0][0]]
    made, k = runner(_of(first)), _targets(first)
    starts, ops = _of(first).informed or isinstance(made, Online), made.ops[:2]
    given = {"x": f"N+1 {FEATURES}", "y": "N" if k is None else f"N {k}", "eta": ""}
    if starts:
        given["W0"] = f"{FEATURES} {k}"

    every = [(ids[0], op) for k, ids in enumerate(groups) for op in (ops if k == 0 else ops[:1])]
    results = together(*(program(runs(claims[id], op), "jax") for id, op in every))

    def body(x: Any, y: Any, eta: Any, xp: Any, W0: Any = None) -> Any:
        start = () if W0 is None else (W0,)
        for (id, op), found in zip(every, results(x, y, eta, *start), strict=True):
            wanted = defined(claims[id], x, y, eta, W0, xp)
            yield equal(found, wanted, label=f"{id}, {op} lane")

    if not starts:
        names = [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY) for n in (*given, "xp")]
        body.__signature__ = inspect.Signature(names)  # type: ignore[attr-defined]
    lanes.claim(
        f"lanes.jax.run.{name}",
        says=f"what runs for {_listed(groups)} is the statement's layer, at every token",
        given=given,
        sizes={"N": (1, 2)},
        reading=(
            f"{READ} At {FEATURES} features, any N and η, all examples in one block and one chunk; on the {ops[0]} "
            f"lane, and for the first of them on the {ops[1]} lane."
        ),
    )(body)


def _listed(groups: list[list[str]]) -> str:
    return ", ".join(id for ids in groups for id in ids)


UNREAD = {
    "decays": (
        "its parameters are numbers for a number of examples, from which decays or tokens are made before JAX sees them"
    ),
    "two-head": (
        "the weights that its layers hand on are put into arrays of numbers before JAX sees them; "
        "`lanes.jax.recurrent.two-head` is about its recurrences"
    ),
    "masked": "it runs over all examples at once, with masks or folds made for a number of them",
    "outside": (
        "it needs floating-point numbers outside of the layer, an initial array of JAX's own making, or a shape that "
        "its tokens have for one example only"
    ),
}
"""Why what runs is not read, by a name for the row."""
OUTSIDE = (
    *("gd-ssm.a3-output", "gril.propA.2+vanishing"),
    *("gril.prop4.3+start+scale", "gril.prop4.3+start+mean", "gril.prop4.3+binary+logits+scale"),
)


def _why_not(claim: Claim) -> str | None:
    """The name in `UNREAD` of why a program is not read, None if it is."""
    made = runner(_of(claim))
    if isinstance(made, Recurrence) and isinstance(made.tokens, Pairs):
        outside = any(claim.id.startswith(one) for one in OUTSIDE) or claim.parameters is None
        return "outside" if outside else None
    if isinstance(made, Recurrence | Hybrid):
        return "decays"
    if isinstance(made, Online):
        return None
    return "two-head" if isinstance(made, TwoHeads) else "masked"


def _rows() -> None:
    read: dict[Any, dict[Any, list[str]]] = {}
    unread: dict[str, list[str]] = {}
    for id, claim in constructed().items():
        why = _why_not(claim)
        if why is not None:
            unread.setdefault(why, []).append(id)
            continue
        of = _of(claim)
        kept = read.setdefault((of.layer, of.tokens, of.targets), {})
        kept.setdefault((claim.parameters, claim.corrections), []).append(id)
    for groups in read.values():
        found = list(groups.values())
        add(found[0][0], found, constructed())
    for why, ids in unread.items():
        lanes.unchecked(
            f"lanes.jax.run.{why}",
            says=f"what runs for {', '.join(ids)} is the statement's layer",
            missing=UNREAD[why],
        )


_rows()
