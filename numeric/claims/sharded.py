"""What each device of the sharded op runs: with the exchanges between them, the recurrence over all shards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

from scanproof.constructs.arrays.scan import scan
from scanproof.constructs.forms import prefix
from scanproof.constructs.layers import linear_attention
from scanproof.proofs.doors.program import program
from scanproof.proofs.language.statements import Statement, equal

from .source import READ, lanes

DEVICES = (
    " The devices stand in a row, `jax.vmap` with their axis's name, so that exchanges are read as JAX defines them; "
    "`shard_map` and the machines themselves are not looked at."
)


@lanes.claim(
    "lanes.jax.sharded.prefix",
    says=(
        "the scan over the n gathered summaries gives each device what the tokens before its own do to a state, as the "
        "prefix of the definition"
    ),
    given={"A": "n", "H": "n D N"},
    sizes={"n": (1, 2, 3), "D": (1, 2), "N": (1,)},
    reading=READ,
)
def composition(A, H, xp, D, N):
    """The composition of all shards' summaries in JAX against the definition."""

    def op(A: Any, H: Any) -> Any:
        from ..ops.prefix import of_all

        every = prefix.Summary(A, H)
        return of_all(prefix.Summary(A[0], H[0]), every)

    nothing = prefix.Summary(xp.ones(()), xp.zeros((D, N)))
    wanted = scan(prefix.exclusive_step, None, nothing, prefix.Summary(A, H)).outputs
    found = program(op)(A, H)
    yield equal(found.decay, wanted.decay, label="decays")
    yield equal(found.state, wanted.state, label="states")


def shards(devices: int, gathered: int) -> Callable[..., Any]:
    """The program of all devices on tokens (devices, C, …): outputs (devices, C, D), and everyone's final state."""

    def op(z: Any, b: Any, c: Any, H0: Any) -> Any:
        import jax

        from ..ops.inputs import LinearTokens
        from ..ops.sharded import SEQUENCE, _Plan, _shard
        from ..precision import FLOAT64

        C = z.shape[1]
        mesh = SimpleNamespace(shape={SEQUENCE: devices})
        plan = _Plan(mesh, SEQUENCE, SEQUENCE, devices * C, C, FLOAT64, gathered)

        def one(z: Any, b: Any, c: Any) -> Any:
            return _shard(plan, LinearTokens(z, b, c, None, None, H0))

        return jax.vmap(one, axis_name=SEQUENCE)(z, b, c)

    return op


def agree(devices: int, gathered: int, z: Any, b: Any, c: Any, H0: Any) -> Iterator[Statement]:
    """Shard after shard, token by token."""
    outputs, states = program(shards(devices, gathered))(z, b, c, H0)
    state = H0
    for s in range(devices):
        run = scan(linear_attention.step, None, state, linear_attention.Token(c[s], b[s], z[s]))
        state = run.final_state
        yield equal(outputs[s], run.outputs, label=f"outputs of shard {s + 1}")
    for s in range(devices):
        yield equal(states[s], state, label=f"final state on device {s + 1}")


@lanes.claim(
    "lanes.jax.sharded.gathering",
    says="3 devices that fetch all summaries make the recurrence with decay 1 over 3·C tokens",
    given={"z": "3 C D", "b": "3 C N", "c": "3 C N", "H0": "D N"},
    sizes={"C": (1, 2), "D": (1, 2), "N": (1,)},
    reading=READ + DEVICES,
)
def by_gathering(z, b, c, H0):
    """What the devices compute after they gather all summaries, against the recurrence."""
    return agree(3, 8, z, b, c, H0)


lanes.unchecked(
    "lanes.jax.sharded.exchanges",
    says="devices that exchange with neighbours, as they do from 9 on, make the recurrence over all shards",
    missing=(
        "an exchange that leaves some devices out is defined by JAX on a mesh of machines only, and is not read; the "
        "lane's tests run it"
    ),
)
lanes.unchecked(
    "lanes.jax.sharded.devices",
    says="sharded equals the recurrence on any number of devices",
    missing=(
        "JAX traces collectives for a number of devices only; `lanes.prefix` proves the composition for any number, "
        "and `lanes.jax.sharded.prefix` that of the program"
    ),
)
