"""The ablations of gril App. C: a GRIL block without its window, without its multiplicative readout, or without both.

Without a readout by C_t q the output is Z_t r with a vector r that is the same at every token: the general linear
recurrent network (gril eqs. 1–2), fed by the same products.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..arrays.array_api import Array, namespace
from ..arrays.definition import definition
from ..arrays.ranges import build
from ..layers import gd_ssm, gril, linear_recurrence
from ..layers.sequence import Recurrent
from ..tokens import Windows
from ..tokens.examples import concatenated, steps


class FixedRead(NamedTuple):
    """A GRIL block whose readout does not see the token."""

    gate: Array
    """A, (f, f)."""
    mixing: Array
    """Q, (w, w)."""
    readout: Array
    """r, (f,)."""


class FixedScalar(NamedTuple):
    """The scalar-target network whose readout does not see the token."""

    Psi: Array
    """Ψ, (d, c)."""
    readout: Array
    """r, (d,)."""


def fixed_tokens(parameters: FixedRead, tokens: gril.Window) -> linear_recurrence.Token:
    """A, C_t Q C_tᵀ and r at every token."""
    xp, T = namespace(tokens.window), tokens.window.shape[0]
    return linear_recurrence.Token(
        build(xp, T, lambda t: parameters.gate),
        build(xp, T, lambda t: gril.cross_product(tokens.window[t], parameters.mixing)),
        build(xp, T, lambda t: parameters.readout),
    )


def scalar_tokens(parameters: FixedScalar, tokens: gd_ssm.Token) -> linear_recurrence.Token:
    """1, Ψ c_t as a row, and r at every token."""
    xp, T = namespace(tokens.c), tokens.c.shape[0]
    return linear_recurrence.Token(
        xp.ones((T, 1, parameters.Psi.shape[0])),
        (tokens.c @ parameters.Psi.T)[:, None],
        build(xp, T, lambda t: parameters.readout),
    )


def _no_state(parameters: FixedScalar, tokens: gd_ssm.Token, W0: Any = None) -> Array:
    return namespace(tokens.c).zeros((1, parameters.Psi.shape[0]))


FIXED_READ = Recurrent(linear_recurrence.step, gril.empty, fixed_tokens)
"""The block without multiplicative readout, from Z = 0."""
FIXED_SCALAR = Recurrent(linear_recurrence.step, _no_state, scalar_tokens)
"""The scalar-target network without it."""
ONE_TOKEN = Windows(1, 1)
"""Windows of one token: no window."""


@definition
def block(parameters: Any, x: Array, y: Array, window: bool = True) -> Array:
    """The prediction of a block for the query, with a window of three tokens or without, (f,).

    Args:
        parameters: `gril.Block`, or `FixedRead` for the block without multiplicative readout.
        x: inputs, the query last, shape (N + 1, f).
        y: targets, (N, f).
        window: whether C_t = (x_t, y_t, x_{t+1}); else one token of the stream at a time.
    """
    layer = FIXED_READ if isinstance(parameters, FixedRead) else gril.BLOCK
    tokens = Windows() if window else ONE_TOKEN
    return layer.outputs(parameters, tokens(x, y))[-1]


@definition
def raw(x: Array, y: Array) -> gd_ssm.Token:
    """c_t = [x_t, y_t, x_{t+1}]: what `concatenated` makes its products of, without the products."""
    xp = namespace(x)
    c = xp.concat([x[:-1], y[:, None], x[1:]], axis=1)
    return gd_ssm.Token(c, steps(xp, y.shape[0]))


@definition
def network(parameters: Any, x: Array, y: Array, products: bool = True) -> Array:
    """The prediction of the scalar-target network for the query, with products x_t y_t in its tokens or without.

    Args:
        parameters: `gd_ssm.Scalar`, or `FixedScalar` for the network without multiplicative readout.
        x: inputs, the query last, shape (N + 1, f).
        y: targets, (N,).
        products: whether c_t = [x_t y_t, x_{t+1}]; else [x_t, y_t, x_{t+1}].
    """
    tokens = concatenated(x, y) if products else raw(x, y)
    if isinstance(parameters, FixedScalar):
        return FIXED_SCALAR.outputs(parameters, tokens)[-1, 0]
    return gd_ssm.NETWORK.outputs(parameters, tokens)[-1]
