"""The definitions a second time, as a reader of the papers would write them: in loops over tokens and in indices.

Nothing here calls `constructs`. The functions take object arrays of wide numbers and return nested lists or arrays.
"""

import math

import mpmath
import numpy as np

WIDE = mpmath.MPContext()
"""Numbers with 40 digits, so that the loops' own rounding does not count."""
WIDE.dps = 40


def summed(indices, *arrays):
    """Π of arrays in index notation, summed over the indices that the result lacks: "ab,b->a" is a matrix's product."""
    return np.einsum(indices, *map(np.asarray, arrays))


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


def delta_rule(_, S, tokens):
    outputs = []
    for k, v, q, beta in zip(*tokens, strict=True):
        S = S + beta * summed("a,b->ab", v - summed("ab,b->a", S, k), k)
        outputs.append(summed("ab,b->a", S, q))
    return S, outputs


def longhorn(_, S, tokens):
    """The minimiser of ‖S − S'‖² + β‖Sk − v‖², row by row: (I + β k kᵀ) s = s' + β v k."""
    outputs = []
    for k, v, q, beta in zip(*tokens, strict=True):
        system = identity(len(k)) + beta * summed("a,b->ab", k, k)
        S = [solve(system, row + beta * value * k) for row, value in zip(S, v, strict=True)]
        outputs.append(apply(S, q))
    return S, outputs


def longhorn_objective(S, previous, token):
    k, v, _, beta = token
    miss = summed("ab,b->a", S, k) - v
    return summed("ab,ab->", S - previous, S - previous) + beta * dot(miss, miss)


def gd_ssm(parameters, z, tokens):
    Psi, Theta, beta, count = parameters
    outputs = []
    for c, t in zip(*tokens, strict=True):
        z = z + summed("ab,b->a", Psi, c)
        outputs.append(beta / (count[0] + count[1] * t) * dot(z, summed("ab,b->a", Theta, c)))
    return z, outputs


def cross_product(window, mixing):
    """C Q Cᵀ = Σ_ij Q_ij c_i c_jᵀ, with c_i the columns of the window."""
    return summed("ai,ij,bj->ab", window, mixing, window)


def gril(parameters, Z, tokens):
    gate, mixing, query, beta, count = parameters
    outputs = []
    for window, t in zip(*tokens, strict=True):
        Z = gate * Z + cross_product(window, mixing)
        scale = beta / (count[0] + count[1] * t)
        outputs.append(scale * summed("ab,bi,i->a", Z, window, query))
    return Z, outputs


def two_heads(transposed):
    """The layer of gril A.3, or with `transposed` that of gd-ssm A.2 (Wᵀ Z̃ for Z̃ W, and W for Wᵀ in the output)."""

    def layer(parameters, state, tokens):
        mixing, cross_mixing, query, beta, count, ridge = parameters
        (Z, cross), weights, outputs = state, [], []
        for window, t, W in zip(*tokens, strict=True):
            Z = Z + cross_product(window, mixing)
            cross = cross + cross_product(window, cross_mixing)
            moved = summed("ba,bc->ac" if transposed else "bc,ab->ac", W, cross)
            after = W - beta / (count[0] + count[1] * t) * (moved - Z + ridge * np.asarray(W))
            weights.append(after)
            read = "ab,bi,i->a" if transposed else "ba,bi,i->a"
            outputs.append(summed(read, after, window, query))
        return (Z, cross), (weights, outputs)

    return layer


def two_head_stack(parameters, window, t, W0, layers, transposed, looped=False):
    """Weights and outputs of the top layer; a loop starts every token from the last weights of the pass before."""
    zeros = 0 * W0
    weights = [W0] * len(t)
    for _ in range(layers):
        tokens = (window, t, weights)
        state, (weights, outputs) = two_heads(transposed)(parameters, (zeros, zeros), tokens)
        top = weights
        if looped:
            weights = [weights[-1]] * len(t)
    return state, (top, outputs)


def linear_attention(_, Z, tokens):
    """Z_t = Z_0 + Σ_{j≤t} v_j k_jᵀ, so o_t = Z_0 q_t + Σ_{j≤t} (k_j·q_t) v_j: no state is carried."""
    q, k, v = tokens
    outputs = [
        summed("ab,b->a", Z, q[t]) + summed("jb,b,ja->a", k[: t + 1], q[t], v[: t + 1])
        for t in range(len(q))
    ]
    return Z + summed("ja,jb->ab", v, k), outputs


def multi_head(parameters, rows):
    """o_t = Σ_h W_o Σ_{s≤t} (q_t·k_s / √m) v_s: no head carries a state."""
    rows, outputs = np.asarray(rows), []
    for t, row in enumerate(rows):
        out, seen = 0, rows[: t + 1]
        for W_q, W_k, W_v, W_o in zip(*parameters, strict=True):
            weights = summed("mb,b,mc,sc->s", W_q, row, W_k, seen) / WIDE.sqrt(len(W_k))
            out = out + summed("oa,s,ab,sb->o", W_o, weights, W_v, seen)
        outputs.append(out)
    return outputs


def delta_net(parameters, rows, unit_eps, norm_eps):
    """A state for each head: keys and queries of length 1, SiLU, twice the sigmoid, a root mean square of outputs."""
    W_q, W_k, W_v, w_beta, weight, W_o = parameters
    outputs = 0
    for h in range(len(W_q)):
        tokens = []
        for row in rows:
            q, k, v = (summed("ab,b->a", W[h], row) for W in (W_q, W_k, W_v))
            q, k = (u / WIDE.sqrt(summed("a,a->", u, u) + unit_eps) for u in (q, k))
            v = np.array([z / (1 + WIDE.exp(-z)) for z in v])
            beta = 2 / (1 + WIDE.exp(-summed("b,b->", w_beta[h], row)))
            tokens.append((k, v, q / WIDE.sqrt(len(k)), beta))
        _, read = delta_rule(
            None, np.zeros((len(W_v[h]), len(W_k[h])), int), list(zip(*tokens, strict=True))
        )
        scaled = [
            o / WIDE.sqrt(summed("a,a->", o, o) / len(o) + norm_eps) * weight
            for o in map(np.asarray, read)
        ]
        outputs = outputs + np.array([summed("ab,b->a", W_o[h], o) for o in scaled])
    return outputs


def normalised_attention(q, k, v):
    outputs = []
    for i in range(len(q)):
        weights = summed("a,ja->j", q[i], k[: i + 1])
        outputs.append(summed("j,ja->a", weights, v[: i + 1]) / sum(weights))
    return outputs


def normalised_layer(_, state, tokens):
    (a, b), outputs = state, []
    for q, k, v in zip(*tokens, strict=True):
        a, b = a + summed("r,s->rs", k, v), b + k
        outputs.append(summed("r,rs->s", q, a) / dot(q, b))
    return (a, b), outputs


def taylor(x, coefficient):
    return [1, *x, *[coefficient * x[a] * x[b] for a in range(len(x)) for b in range(len(x))]]


def linear_recurrence(_, Z, tokens):
    outputs = []
    for A, B, U in zip(*tokens, strict=True):
        Z = A * Z + B
        outputs.append(summed("ab,b->a", Z, U))
    return Z, outputs


def matrix_recurrence(A, Z, tokens):
    outputs = []
    for _, B, U in zip(*tokens, strict=True):
        Z = summed("ab,bc->ac", A, Z) + B
        outputs.append(summed("ab,b->a", Z, U))
    return Z, outputs


def linear_transformer(parameters, S, tokens):
    query, bias, key, value = parameters
    outputs = []
    for h in tokens:
        S = S + summed("ac,c,bd,d->ab", value, h, key, h)
        outputs.append(h + summed("ab,b->a", S, summed("bd,d->b", query, h) + bias))
    return S, outputs


def linear_transformer_stack(parameters, tokens, layers):
    for _ in range(layers):
        empty = 0 * summed("a,b->ab", tokens[0], parameters[1])
        _, tokens = linear_transformer(parameters, empty, tokens)
    return tokens


def attention_layer(Z, mask, P, Q, scale):
    """Z + scale · P Z (M ∘ Zᵀ Q Z) on columns z_i: z_i + scale · P Σ_j M_ji (z_j·Q z_i) z_j."""
    weights = summed("ji,bj,bc,ci->ji", mask, Z, Q, Z)
    return Z + scale * summed("ab,bj,ji->ai", P, Z, weights)


def lsa_recurrence(parameters, H, tokens):
    P, Q, scale = parameters
    outputs = []
    for z in tokens:
        H = H + summed("a,b->ab", z, z)
        outputs.append(z + scale * summed("ab,bc,cd,d->a", P, H, Q, z))
    return H, outputs


def attention_rows(S, W_Q, W_K, W_V, causal):
    q, k, v = (summed("ib,ba->ia", S, W) for W in (W_Q, W_K, W_V))
    ends = range(1, len(q) + 1) if causal else [len(q)] * len(q)
    return [summed("a,ja,jb->b", q[i], k[:end], v[:end]) for i, end in enumerate(ends)]


def ssd(_, H, tokens):
    outputs = []
    for v, decay, k, q in zip(*tokens, strict=True):
        H = decay * np.asarray(H) + summed("r,s->rs", v, k)
        outputs.append(summed("rs,s->r", H, q))
    return H, outputs


def decay_mask(decays):
    """Row j, column i: a_{j+1} ⋯ a_i for j ≤ i, else 0."""
    size, zero = range(len(decays)), 0 * decays[0]
    return [
        [math.prod(decays[j + 1 : i + 1], start=zero + 1) if j <= i else zero for i in size]
        for j in size
    ]


def ssm(parameters, h, tokens):
    A, B, C = parameters
    outputs = []
    for x in tokens:
        h = summed("ab,b->a", A, h) + B * x
        outputs.append(dot(C, h))
    return h, outputs


def lagged_ssm(parameters, state, tokens):
    h, previous = state
    inputs = [previous, *tokens[:-1]]
    h, outputs = ssm(parameters, h, inputs)
    return (h, tokens[-1]), outputs


def ssm_impulses(parameters, x):
    """The recurrence from zero state, by linearity: one run for each single input."""
    alone = (np.where(np.arange(len(x)) == j, x, 0 * x) for j in range(len(x)))
    return sum(np.asarray(ssm(parameters, 0 * parameters[1], one)[1]) for one in alone)


def euler_steps(A, B, delta, h, x):
    states = []
    for sample in x:
        h = h + delta * (summed("ab,b->a", A, h) + B * sample)
        states.append(h)
    return states


def mamba(parameters, h, tokens):
    a, W_B, W_C, w_delta = parameters
    outputs = []
    for x, u in zip(*tokens, strict=True):
        delta = WIDE.log(1 + WIDE.exp(dot(w_delta, u)))
        decay = [WIDE.exp(delta * rate) for rate in a]
        h = np.asarray(decay) * h + delta * x * summed("ab,b->a", W_B, u)
        outputs.append(summed("ab,b,a->", W_C, u, h))
    return h, outputs
