"""Parameters of a construction that decide on a size, or carry state into the layer."""

from itertools import cycle
from typing import Any, NamedTuple

from scanproof import definition, each, equal, scan
from scanproof.constructs.layers import linear_attention
from scanproof.constructs.learners.descent import prefix_predictions
from scanproof.constructs.learners.losses import HALF_SUM

from .c_places import QUESTIONS
from .case import claim
from .q_exceptions import an_order_in_a_try


class Scale(NamedTuple):
    scale: Any


@definition
def scaled(p, x):
    """p.scale times x."""
    return p.scale * x


def _deciding(name, asked, kind):
    """Parameters that hold below the size at which the question has another answer."""

    @claim(
        {"x": "N"},
        kind=kind,
        parameters=lambda N, xp: Scale(xp.asarray(asked(N))),
        fails={"N": 5},
        name=f"c_parameters-{name}-{kind}",
    )
    def parameters_that_ask(p, x):
        return equal(scaled(p, x), x)


for (_name, _asked), _kind in zip(
    QUESTIONS.items(), cycle(("construction", "existence")), strict=False
):
    _deciding(_name, _asked, _kind)


def by_length(x, xp):
    return Scale(xp.asarray(2 if tuple(x.shape) == (4,) else 1))


@claim({"x": "N"}, kind="construction", parameters=by_length, fails={"N": 4})
def parameters_that_look_at_the_shape(p, x):
    return equal(scaled(p, x), x)


def to_the_parabola(N, xp):
    return Scale(xp.asarray(1) * (N * N - N + 2) / 2)


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
    return Scale(xp.asarray(eta) * (3 - 2 * an_order_in_a_try(N)))


@claim(
    {"x": "N+1 f", "y": "N k", "eta": ""},
    kind="construction",
    sizes={"N": (1, 2), "f": (1, 2), "k": (1,)},
    parameters=step_size,
    fails={"N": 5, "f": 1, "k": 1},
)
def attention_with_a_sign_that_depends_on_the_length(p, x, y, eta, xp, N, f, k):
    tokens = linear_attention.Token(q=x[1:], k=x[:N], v=y)
    run = scan(linear_attention.step, None, xp.zeros((k, f)), tokens)
    predicted = prefix_predictions(HALF_SUM, xp.zeros((f, k)), x, y, eta)
    return equal(p.scale * run.outputs, predicted)
