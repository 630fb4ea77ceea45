"""Windows of one, two and three tokens: what each of them can do (gril §4.5)."""

from __future__ import annotations

from scanproof.constructs import tokens
from scanproof.constructs.arrays.array_api import outer, unit
from scanproof.constructs.arrays.ranges import each
from scanproof.constructs.arrays.scan import scan
from scanproof.constructs.constructions.gril import PROP4_1, TWO_CYCLES
from scanproof.constructs.layers import gril as layer
from scanproof.constructs.layers import linear_attention
from scanproof.constructs.learners.descent import prefix_predictions
from scanproof.constructs.learners.losses import HALF_MEAN
from scanproof.constructs.tokens.exposure import exposures

from ...language.statements import differs, equal
from .source import gril

WIDTHS = (1, 2)
"""The widths below three."""


@gril.claim(
    "gril.w1",
    where="§4.5",
    says="at window width 1 the update is q s_t s_tᵀ, the single-token memory form",
    given={"s": "T f", "mixing": "1 1", "query": "1", "beta": ""},
    sizes={"T": (1, 2, 3), "f": (1, 2, 3)},
    reading=(
        "The update C Q Cᵀ at each t; and, with A = 1 and a constant β, the whole block is the recurrence of eq. 3 "
        "with v_t = q s_t, k_t = s_t and the query β times the entry of q times s_t."
    ),
)
def w1(s, mixing, query, beta, xp, T, f):
    q = mixing[0, 0]
    windows = tokens.windows(s, 1, 1)
    for t in each(1, T):
        update = layer.cross_product(windows.window[t - 1], mixing)
        yield equal(update, q * outer(s[t - 1], s[t - 1]), ("update, t = ", t))
    block = layer.Block(xp.ones((f, f)), mixing, query, beta, xp.asarray((1, 0)))
    memory = linear_attention.Token(q=beta * query[0] * s, k=s, v=q * s)
    start = xp.zeros((f, f))
    outputs = scan(layer.step, block, start, windows).outputs
    yield equal(outputs, scan(linear_attention.step, None, start, memory).outputs, "outputs")


@gril.claim(
    "gril.w3-minimal",
    where="§4.5",
    kind="remark",
    says="width 3 is the smallest window that exposes x_t, y_t, x_{t+1} as three tokens in one step",
    sizes={"N": (1, 2, 3, 4)},
    reading=(
        "Counted over all windows of the interleaved stream x_1, y_1, …, x_{N+1}: for every t no window of width 1 or "
        "2 holds the three (with stride 1, hence with any), and with width 3 and stride 2 exactly one does."
    ),
)
def w3_minimal(xp, N):
    for width in WIDTHS:
        yield equal(exposures(xp, N, width, 1), xp.zeros((N,)), f"width {width}")
    yield equal(exposures(xp, N, 3, 2), xp.ones((N,)), "width 3")


@gril.claim(
    "gril.w3-minimal-gd",
    where="§4.5",
    kind="remark",
    says=(
        "width 3 is the minimal local structure with which one layer synchronises update and readout (one-step GD)"
    ),
    given={
        "x": "N+1 f",
        "y": "N f",
        "other": "f",
        "A": "f f",
        "Q": "2 2",
        "q": "2",
        "beta": "",
        "eta": "",
    },
    sizes={"N": (1, 2), "f": (2,)},
    construction=PROP4_1,
    reading=(
        "Synchronises: one window an example (stride 2, as in Prop. 4.1) both updates and reads. Width 3 does one-step "
        "GD; windows of one or two tokens never hold one of x_1, y_1, x_{N+1}, on which the prediction depends, "
        "whatever A, Q, q, β are and wherever the windows begin. In two cycles an example, width 2 can do it "
        "(+two-cycles)."
    ),
)
def w3_minimal_gd(p, x, y, other, A, Q, q, beta, eta, xp, f):
    start = xp.zeros((f, f))

    def outputs(block, width, first, x, y):
        windows = tokens.windows(tokens.interleaved(x, y)[first:], width, 2)
        return scan(layer.step, block, start, windows).outputs

    def predictions(x, y):
        return prefix_predictions(HALF_MEAN, start, x, y, eta)

    yield equal(outputs(p, 3, 0, x, y), predictions(x, y), "width 3")
    new = other[None, :]
    changed = {
        "x_1": (xp.concat([new, x[1:]]), y),
        "y_1": (x, xp.concat([new, y[1:]])),
        "x_{N+1}": (xp.concat([x[:-1], new]), y),
    }
    for token, data in changed.items():
        yield differs(predictions(x, y)[-1], predictions(*data)[-1], f"another {token}")
    unseen = {(1, 0): "y_1", (1, 1): "x_1", (2, 0): "x_{N+1}", (2, 1): "x_1"}
    for (width, first), token in unseen.items():
        block = layer.Block(A, Q[:width, :width], q[:width], beta, xp.asarray((0, 1)))
        same = outputs(block, width, first, *changed[token])
        label = f"width {width} from token {first + 1}"
        yield equal(outputs(block, width, first, x, y), same, label)


@w3_minimal_gd.restate(
    "two-cycles",
    (
        "with windows one token apart, that update at (x_t, y_t) and read at (y_t, x_{t+1}), a block of width 2 does "
        "one-step GD at every t, if inputs and targets have coordinates of their own"
    ),
    given={"x": "N+1 k", "y": "N l", "eta": ""},
    sizes={"N": (1, 2, 3), "k": (1, 2), "l": (1, 2)},
    construction=TWO_CYCLES,
    reading="Inputs and targets are zero-padded as in footnote 1; every second output is read.",
)
def two_cycles(p, x, y, eta):
    return equal(TWO_CYCLES.predictions(p, x, y), TWO_CYCLES.learned(x, y, eta))


@w3_minimal_gd.restate(
    "shared",
    (
        "no width-2 block with windows one token apart does it if inputs and targets share a coordinate: for every A, "
        "Q, q, β, η² is a combination of its errors on seven data sets with N = 1, so they are not all 0 for η ≠ 0"
    ),
    given={"A": "f f", "Q": "2 2", "q": "2", "beta": "", "eta": ""},
    sizes={"f": (1, 2)},
    parameters=None,
    reading="From Z_0 = 0. All tokens lie on the first coordinate axis; y = wx, the query is x_2, and β is any number.",
)
def no_width_two(A, Q, q, beta, eta, xp, f):
    block = layer.Block(A, Q, q, beta, xp.asarray((1, 0)))
    axis = unit(xp, f, 0)
    start = xp.zeros((f, f))

    def error(w, query):
        """The output minus the prediction for the query, when the only example is (1, w)."""
        x, y = xp.stack([axis, query * axis]), xp.stack([w * axis])
        windows = tokens.windows(tokens.interleaved(x, y), 2, 1)
        output = scan(layer.step, block, start, windows).outputs[-1]
        return (output - prefix_predictions(HALF_MEAN, start, x, y, eta)[-1])[0]

    # Coefficients of the error, a cubic form in x, y and the query, from its values.
    query_cubed = (error(0, 2) - 2 * error(0, 1)) / 6
    y_query_squared = (error(1, 1) + error(1, -1) - 2 * error(1, 0)) / 2
    x_y_query = (error(1, 1) - error(1, -1) - error(-1, 1) + error(-1, -1)) / 4
    mixed = A[0, 0] * beta * (Q[0, 1] + Q[1, 0])
    cleared = A[0, 0] * (q[1] * y_query_squared - q[0] * query_cubed) - q[1] * x_y_query
    yield equal(mixed * cleared - eta * x_y_query, eta * eta)
