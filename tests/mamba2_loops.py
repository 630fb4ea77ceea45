"""The released Mamba-2 block a second time, token by token and number by number, and its cases at any sizes."""

from layer_cases import Case
from loops import WIDE, apply

from scanproof.constructs.layers import mamba2_block
from scanproof.constructs.layers.mamba2_block import Parameters, Sizes

EPS = 1e-5
TAPS = 3


def silu(z):
    return z / (1 + WIDE.exp(-z))


def normed(u, weight):
    scale = WIDE.sqrt(sum(v * v for v in u) / len(u) + EPS)
    return [w * v / scale for v, w in zip(u, weight, strict=True)]


def block(p, sizes, rows, *, per_group):
    """The outputs, as lists of numbers."""
    H, G, P, S = sizes
    inner, taps = H * P, len(p.conv_weight[0])
    states = [[[0] * S for _ in range(P)] for _ in range(H)]
    projections, outputs = [], []
    for row in rows:
        projections.append(apply(p.in_proj, normed(row, p.norm)))
        z, steps = projections[-1][:inner], projections[-1][2 * inner + 2 * G * S :]
        convolved = []
        for e, bias in enumerate(p.conv_bias):
            window = projections[-taps:]
            for ago, past in enumerate(reversed(window)):
                bias = bias + p.conv_weight[e][taps - 1 - ago] * past[inner + e]
            convolved.append(silu(bias))
        gated = []
        for h in range(H):
            dt, group = WIDE.log(1 + WIDE.exp(steps[h] + p.dt_bias[h])), h * G // H
            B = convolved[inner + group * S :][:S]
            C = convolved[inner + (G + group) * S :][:S]
            for i in range(P):
                x, y = convolved[h * P + i], 0
                for s in range(S):
                    kept = WIDE.exp(-dt * WIDE.exp(p.A_log[h])) * states[h][i][s]
                    states[h][i][s] = kept + dt * x * B[s]
                    y += states[h][i][s] * C[s]
                gated.append((y + p.D[h] * x) * silu(z[h * P + i]))
        width = inner // G if per_group else inner
        mixed = []
        for start in range(0, inner, width):
            mixed += normed(gated[start:][:width], p.gated_norm[start:][:width])
        outputs.append([r + o for r, o in zip(row, apply(p.out_proj, mixed), strict=True)])
    return outputs


def sizes(f, k):
    """2k heads of width f in k groups."""
    return Sizes(2 * k, k, f, 2)


def inputs(d, N, f, k):
    width, (H, G, P, S) = f + 1, sizes(f, k)
    inner, state = H * P, G * S
    channels = inner + 2 * state
    p = Parameters(
        norm=d(width),
        in_proj=d(inner + channels + H, width),
        conv_weight=d(channels, TAPS),
        conv_bias=d(channels),
        dt_bias=d(H),
        A_log=d(H),
        D=d(H),
        gated_norm=d(inner),
        out_proj=d(width, inner),
    )
    return p, d.positive(N, width)


def both(evaluate):
    """The block with a norm for each group, and with one for all channels."""

    def compute(p, rows):
        f, k = p.norm.shape[0] - 1, p.D.shape[0] // 2
        return tuple(evaluate(p, sizes(f, k), rows, per_group) for per_group in (True, False))

    return compute


MAMBA2_CASES = {
    "mamba2 block": Case(
        both(
            lambda p, s, rows, per_group: mamba2_block.block(p, s, rows, EPS, per_group=per_group)
        ),
        both(lambda p, s, rows, per_group: block(p, s, rows, per_group=per_group)),
        inputs,
    )
}
