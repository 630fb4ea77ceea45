"""The definitions a second time, as a reader of the papers would write them: explicit loops over single numbers.

Nothing here calls `constructs`. The functions take object arrays of wide numbers and return nested lists or arrays.
"""

from __future__ import annotations

import mpmath

WIDE = mpmath.MPContext()
"""Numbers with 40 digits, so that the loops' own rounding does not count."""
WIDE.dps = 40


def dot(u, v):
    total = u[0] * v[0]
    for a in range(1, len(u)):
        total += u[a] * v[a]
    return total


def apply(matrix, vector):
    """The matrix times the vector."""
    return [dot(row, vector) for row in matrix]


def columns(matrix):
    return [[row[b] for row in matrix] for b in range(len(matrix[0]))]


def product(left, right):
    """The matrix product."""
    right = columns(right)
    return [[dot(row, column) for column in right] for row in left]


def identity(size):
    return [[int(a == b) for b in range(size)] for a in range(size)]


def copy(matrix):
    return [list(row) for row in matrix]


def solve(matrix, right):
    """The solution of a linear system, by mpmath's pivoted elimination."""
    rows = [[WIDE.mpf(entry) for entry in row] for row in matrix]
    solution = WIDE.lu_solve(WIDE.matrix(rows), WIDE.matrix([WIDE.mpf(b) for b in right]))
    return [solution[a] for a in range(len(right))]


def inverse(matrix):
    return columns([solve(matrix, unit) for unit in identity(len(matrix))])


# Layers: (parameters, state, tokens) -> (state after the last token, outputs).


def delta_rule(_, state, tokens):
    S, outputs = copy(state), []
    for k, v, q, beta in zip(*tokens, strict=True):
        recalled = apply(S, k)
        for a in range(len(S)):
            for b in range(len(k)):
                S[a][b] += beta * (v[a] - recalled[a]) * k[b]
        outputs.append(apply(S, q))
    return S, outputs


def longhorn(_, state, tokens):
    """The minimiser of ‖S − S'‖² + β‖Sk − v‖², row by row: (I + β k kᵀ) s = s' + β v k."""
    S, outputs = copy(state), []
    for k, v, q, beta in zip(*tokens, strict=True):
        size = range(len(k))
        system = [[int(a == b) + beta * k[a] * k[b] for b in size] for a in size]
        S = [solve(system, [row[b] + beta * v[a] * k[b] for b in size]) for a, row in enumerate(S)]
        outputs.append(apply(S, q))
    return S, outputs


def longhorn_objective(S, previous, token):
    k, v, _, beta = token
    total = 0
    for a, row in enumerate(S):
        for b in range(len(k)):
            total += (row[b] - previous[a][b]) ** 2
        total += beta * (dot(row, k) - v[a]) ** 2
    return total


def gd_ssm(parameters, state, tokens):
    Psi, Theta, beta, count = parameters
    z, outputs = list(state), []
    for c, t in zip(*tokens, strict=True):
        z = [old + new for old, new in zip(z, apply(Psi, c), strict=True)]
        outputs.append(beta / (count[0] + count[1] * t) * dot(z, apply(Theta, c)))
    return z, outputs


def add_cross_product(state, window, mixing):
    """state += C Q Cᵀ = Σ_ij Q_ij c_i c_jᵀ, with c_i the columns of the window."""
    tokens = columns(window)
    for i, left in enumerate(tokens):
        for j, right in enumerate(tokens):
            for a in range(len(left)):
                for b in range(len(right)):
                    state[a][b] += mixing[i][j] * left[a] * right[b]


def gril(parameters, state, tokens):
    gate, mixing, query, beta, count = parameters
    Z, outputs = copy(state), []
    for window, t in zip(*tokens, strict=True):
        for a in range(len(Z)):
            for b in range(len(Z)):
                Z[a][b] *= gate[a][b]
        add_cross_product(Z, window, mixing)
        read = apply(Z, apply(window, query))
        outputs.append([beta / (count[0] + count[1] * t) * r for r in read])
    return Z, outputs


def two_heads(transposed):
    """The layer of gril A.3, or with `transposed` that of gd-ssm A.2 (Wᵀ Z̃ for Z̃ W, and W for Wᵀ in the output)."""

    def layer(parameters, state, tokens):
        mixing, cross_mixing, query, beta, count, ridge = parameters
        Z, cross = copy(state[0]), copy(state[1])
        weights, outputs = [], []
        for window, t, W in zip(*tokens, strict=True):
            add_cross_product(Z, window, mixing)
            add_cross_product(cross, window, cross_mixing)
            moved = product(columns(W), cross) if transposed else product(cross, W)
            scale = beta / (count[0] + count[1] * t)
            size = range(len(W))
            after = [
                [W[a][b] - scale * (moved[a][b] - Z[a][b] + ridge * W[a][b]) for b in size]
                for a in size
            ]
            weights.append(after)
            outputs.append(apply(after if transposed else columns(after), apply(window, query)))
        return (Z, cross), (weights, outputs)

    return layer


def two_head_stack(parameters, window, t, W0, layers, transposed, looped=False):
    """Weights and outputs of the top layer; a loop starts every token from the last weights of the pass before."""
    zeros = [[0] * len(W0) for _ in W0]
    weights = [W0] * len(t)
    for _ in range(layers):
        tokens = (window, t, weights)
        state, (weights, outputs) = two_heads(transposed)(parameters, (zeros, zeros), tokens)
        top = weights
        if looped:
            weights = [weights[-1]] * len(t)
    return state, (top, outputs)


def linear_attention(_, state, tokens):
    """Z_t = Z_0 + Σ_{j≤t} v_j k_jᵀ, so o_t = Z_0 q_t + Σ_{j≤t} (k_j·q_t) v_j: no state is carried."""
    q, k, v = tokens
    outputs = []
    for t in range(len(q)):
        out = apply(state, q[t])
        for j in range(t + 1):
            weight = dot(k[j], q[t])
            out = [o + weight * value for o, value in zip(out, v[j], strict=True)]
        outputs.append(out)
    Z = copy(state)
    for j in range(len(q)):
        for a in range(len(Z)):
            for b in range(len(Z[0])):
                Z[a][b] += v[j][a] * k[j][b]
    return Z, outputs


def multi_head(parameters, rows):
    """o_t = Σ_h W_o Σ_{s≤t} (q_t·k_s / √m) v_s: no head carries a state."""
    outputs = []
    for t, row in enumerate(rows):
        out = [0] * len(row)
        for W_q, W_k, W_v, W_o in zip(*parameters, strict=True):
            for seen in rows[: t + 1]:
                weight = dot(apply(W_q, row), apply(W_k, seen)) / WIDE.sqrt(len(W_k))
                values = [weight * value for value in apply(W_v, seen)]
                out = [o + value for o, value in zip(out, apply(W_o, values), strict=True)]
        outputs.append(out)
    return outputs


def normalised_attention(q, k, v):
    outputs = []
    for i in range(len(q)):
        weights = [dot(q[i], k[j]) for j in range(i + 1)]
        outputs.append(
            [
                sum(w * v[j][a] for j, w in enumerate(weights)) / sum(weights)
                for a in range(len(v[0]))
            ]
        )
    return outputs


def normalised_layer(_, state, tokens):
    q, k, v = tokens
    a, b = copy(state[0]), list(state[1])
    outputs = []
    for i in range(len(q)):
        for r in range(len(b)):
            b[r] += k[i][r]
            for s in range(len(v[i])):
                a[r][s] += k[i][r] * v[i][s]
        norm = dot(q[i], b)
        outputs.append([dot(q[i], column) / norm for column in columns(a)])
    return (a, b), outputs


def taylor(x, coefficient):
    return [1, *x, *[coefficient * x[a] * x[b] for a in range(len(x)) for b in range(len(x))]]


def linear_recurrence(_, state, tokens):
    Z, outputs = copy(state), []
    for A, B, U in zip(*tokens, strict=True):
        Z = [[A[a][b] * Z[a][b] + B[a][b] for b in range(len(U))] for a in range(len(Z))]
        outputs.append(apply(Z, U))
    return Z, outputs


def matrix_recurrence(A, state, tokens):
    Z, outputs = copy(state), []
    for _, B, U in zip(*tokens, strict=True):
        moved = product(A, Z)
        Z = [[moved[a][b] + B[a][b] for b in range(len(U))] for a in range(len(Z))]
        outputs.append(apply(Z, U))
    return Z, outputs


def linear_transformer(parameters, state, tokens):
    query, bias, key, value = parameters
    S, outputs = copy(state), []
    for h in tokens:
        v, k = apply(value, h), apply(key, h)
        q = [a + b for a, b in zip(apply(query, h), bias, strict=True)]
        for a in range(len(v)):
            for b in range(len(k)):
                S[a][b] += v[a] * k[b]
        outputs.append([a + b for a, b in zip(h, apply(S, q), strict=True)])
    return S, outputs


def linear_transformer_stack(parameters, tokens, layers):
    for _ in range(layers):
        empty = [[0] * len(parameters[2]) for _ in tokens[0]]
        _, tokens = linear_transformer(parameters, empty, tokens)
    return tokens


def attention_layer(Z, mask, P, Q, scale):
    """Z + scale · P Z (M ∘ Zᵀ Q Z) on columns z_i: z_i + scale · P Σ_j M_ji (z_j·Q z_i) z_j."""
    tokens = columns(Z)
    out = []
    for i, z in enumerate(tokens):
        query = apply(Q, z)
        mixed = [0] * len(z)
        for j, other in enumerate(tokens):
            weight = mask[j][i] * dot(other, query)
            mixed = [m + weight * o for m, o in zip(mixed, other, strict=True)]
        out.append([a + scale * b for a, b in zip(z, apply(P, mixed), strict=True)])
    return columns(out)


def lsa_recurrence(parameters, state, tokens):
    P, Q, scale = parameters
    H, outputs = copy(state), []
    for z in tokens:
        for a in range(len(z)):
            for b in range(len(z)):
                H[a][b] += z[a] * z[b]
        read = apply(P, apply(H, apply(Q, z)))
        outputs.append([a + scale * b for a, b in zip(z, read, strict=True)])
    return H, outputs


def attention_rows(S, W_Q, W_K, W_V, causal):
    q, k, v = (product(S, W) for W in (W_Q, W_K, W_V))
    outputs = []
    for i in range(len(q)):
        seen = range(i + 1) if causal else range(len(q))
        outputs.append([sum(dot(q[i], k[j]) * v[j][a] for j in seen) for a in range(len(v[0]))])
    return outputs


def ssd(_, state, tokens):
    H, outputs = copy(state), []
    for z, decay, b, c in zip(*tokens, strict=True):
        H = [[decay * H[r][s] + z[r] * b[s] for s in range(len(b))] for r in range(len(z))]
        outputs.append(apply(H, c))
    return H, outputs


def decay_mask(decays):
    """Row j, column i: a_{j+1} ⋯ a_i for j ≤ i, else 0."""
    size = range(len(decays))
    mask = [[decays[0] * 0 for _ in size] for _ in size]
    for i in size:
        for j in range(i + 1):
            mask[j][i] = mask[j][i] + 1
            for s in range(j + 1, i + 1):
                mask[j][i] *= decays[s]
    return mask


def ssm(parameters, state, tokens):
    A, B, C = parameters
    h, outputs = list(state), []
    for x in tokens:
        h = [moved + b * x for moved, b in zip(apply(A, h), B, strict=True)]
        outputs.append(dot(C, h))
    return h, outputs


def lagged_ssm(parameters, state, tokens):
    h, previous = state
    inputs = [previous, *tokens[:-1]]
    h, outputs = ssm(parameters, h, inputs)
    return (h, tokens[-1]), outputs


def ssm_impulses(parameters, x):
    """The recurrence from zero state, by linearity: one run for each single input."""
    outputs = [0] * len(x)
    for j in range(len(x)):
        alone = [x[j] if i == j else 0 * x[j] for i in range(len(x))]
        _, response = ssm(parameters, [0] * len(parameters[1]), alone)
        outputs = [o + r for o, r in zip(outputs, response, strict=True)]
    return outputs


def euler_steps(A, B, delta, h, x):
    h, states = list(h), []
    for sample in x:
        slope = [moved + b * sample for moved, b in zip(apply(A, h), B, strict=True)]
        h = [old + delta * s for old, s in zip(h, slope, strict=True)]
        states.append(h)
    return states


def mamba(parameters, state, tokens):
    a, W_B, W_C, w_delta = parameters
    h, outputs = list(state), []
    for x, u in zip(*tokens, strict=True):
        delta = WIDE.log(1 + WIDE.exp(dot(w_delta, u)))
        write = apply(W_B, u)
        h = [WIDE.exp(delta * a[r]) * h[r] + delta * write[r] * x for r in range(len(h))]
        outputs.append(dot(apply(W_C, u), h))
    return h, outputs
