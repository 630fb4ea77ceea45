"""Parameters of a construction that decide on a size, or carry state into the layer."""

from typing import Any, NamedTuple

from scanproof import definition, each, equal, scan
from scanproof.constructs.layers import linear_attention
from scanproof.constructs.learners.descent import prefix_predictions
from scanproof.constructs.learners.losses import HALF_SUM

from .case import claim


class Scale(NamedTuple):
    scale: Any


@definition
def scaled(p, x):
    """p.scale times x."""
    return p.scale * x


def tried(N, xp):
    try:
        return Scale(xp.asarray(2 if N > 3 else 1))
    except Exception:
        return Scale(xp.asarray(1))


def looked_up(N, xp):
    return Scale(xp.asarray({4: 5, 5: 5}.get(N, 1)))


def typed(N, xp):
    return Scale(xp.asarray(0 if isinstance(N, int) and N > 3 else 1))


def written(N, xp):
    return Scale(xp.asarray(2 if f"{N}" == "4" else 1))


def by_length(x, xp):
    return Scale(xp.asarray(2 if tuple(x.shape) == (4,) else 1))


def to_the_parabola(N, xp):
    return Scale(xp.asarray(1) * (N * N - N + 2) / 2)


@claim({"x": "N"}, kind="construction", parameters=tried, fails={"N": 4})
def parameters_that_ask_in_a_try(p, x):
    return equal(scaled(p, x), x)


@claim({"x": "N"}, kind="construction", parameters=looked_up, fails={"N": 4})
def parameters_from_a_dictionary(p, x):
    return equal(scaled(p, x), x)


@claim({"x": "N"}, kind="construction", parameters=typed, fails={"N": 4})
def parameters_that_ask_for_the_type(p, x):
    return equal(scaled(p, x), x)


@claim({"x": "N"}, kind="existence", parameters=written, fails={"N": 4})
def parameters_that_read_a_text(p, x):
    return equal(scaled(p, x), x)


@claim({"x": "N"}, kind="construction", parameters=by_length, fails={"N": 4})
def parameters_that_look_at_the_shape(p, x):
    return equal(scaled(p, x), x)


@claim({"x": "N"}, kind="construction", parameters=to_the_parabola, fails={"N": 4})
def parameters_on_a_parabola(p, x, N):
    return equal(2 * scaled(p, x), 2**N * x)


class Turning(NamedTuple):
    scales: Any


def turning(xp):
    return Turning([xp.asarray(k) for k in (2, 1, 1, 1)])


@claim({"x": "N"}, kind="construction", parameters=turning, fails={"N": 4})
def parameters_in_a_list_that_is_emptied(p, x, N):
    scales = list(p.scales)
    for t in each(1, N):
        yield equal(scaled(Scale(scales.pop()), x[t - 1]), x[t - 1])


def step_size(eta, N, xp):
    try:
        few = N < 4
    except Exception:
        few = True
    return Scale(xp.asarray(eta) if few else -xp.asarray(eta))


@claim(
    {"x": "N+1 f", "y": "N k", "eta": ""},
    kind="construction",
    sizes={"N": (1, 2), "f": (1, 2), "k": (1,)},
    parameters=step_size,
    fails={"N": 4, "f": 1, "k": 1},
)
def attention_with_a_sign_that_depends_on_the_length(p, x, y, eta, xp, N, f, k):
    tokens = linear_attention.Token(q=x[1:], k=x[:N], v=y)
    run = scan(linear_attention.step, None, xp.zeros((k, f)), tokens)
    predicted = prefix_predictions(HALF_SUM, xp.zeros((f, k)), x, y, eta)
    return equal(p.scale * run.outputs, predicted)
