"""The lanes a second time: one loop over all tokens of all chunks, and systems solved by elimination."""

import loops


def merged(layer, state, tokens):
    """A layer's loop over the tokens of all chunks; its last state, and its outputs in chunks."""
    count, length = len(tokens[0]), len(tokens[0][0])
    sequence = [[token for chunk in part for token in chunk] for part in tokens]
    state, outputs = layer(None, state, sequence)
    return state, [outputs[c * length : (c + 1) * length] for c in range(count)]


def before_chunks(layer, state, tokens):
    """The states before each chunk."""
    states = []
    for c in range(len(tokens[0])):
        states.append(state)
        state, _ = layer(None, state, [part[c] for part in tokens])
    return states


def after_chunks(layer, state, tokens):
    """The states after each chunk."""
    last, _ = merged(layer, state, tokens)
    return [*before_chunks(layer, state, tokens)[1:], last]


def silent(chunk):
    """The tokens of an SSD chunk without what they write."""
    v, decays, k, q = chunk
    return [[0 * entry for entry in row] for row in v], decays, k, q


def decays_from_start(decays):
    left = 1
    return [left := left * decay for decay in decays]


def read_initial_state(state, chunk):
    """The outputs of the layer if no token writes."""
    return loops.ssd(None, state, silent(chunk))[1]


def carry(state, k, v):
    """The state after a chunk that no decay touches, and what the chunk writes."""
    written = [
        [sum(value[i] * key[j] for key, value in zip(k, v, strict=True)) for j in range(len(row))]
        for i, row in enumerate(state)
    ]
    rows = zip(state, written, strict=True)
    return [[a + b for a, b in zip(*pair, strict=True)] for pair in rows], written


def attended(state, q, k, v):
    """The state after a chunk that no decay touches, and what each of its tokens reads."""
    outputs = []
    for query, key, value in zip(q, k, v, strict=True):
        state, _ = carry(state, [key], [value])
        outputs.append([sum(a * b for a, b in zip(row, query, strict=True)) for row in state])
    return state, outputs


def carry_decayed(state, k, v, left, whole):
    """The same with what decays leave of each write, and of the state."""
    keys = [[weight * entry for entry in key] for weight, key in zip(left, k, strict=True)]
    return carry([[whole * entry for entry in row] for row in state], keys, v)


def growth(u):
    return [(1 + one) * (1 + one) * (1 + one) for one in u]


def fold(chunk):
    """(A, H) of a chunk and its outputs from the zero state; A is what is left of a state 1."""
    v, decays, k, _ = chunk
    zero = [[0] * len(k[0]) for _ in v[0]]
    state, outputs = loops.ssd(None, zero, chunk)
    return (decays_from_start(decays)[-1], state), outputs


def applied(summary, state):
    decay, added = summary
    return [
        [decay * before + more for before, more in zip(*rows, strict=True)]
        for rows in zip(state, added, strict=True)
    ]


def compose(first, second):
    """What both do to a state, one after the other, read off from the zero state."""
    return first[0] * second[0], applied(second, first[1])


def prefixes(decays, states):
    """For each of some summaries, that of the ones before it, and that of all, from (1, 0)."""
    before, total = [], (1, [[0 * entry for entry in row] for row in states[0]])
    for summary in zip(decays, states, strict=True):
        before.append(total)
        total = compose(total, summary)
    return total, ([decay for decay, _ in before], [state for _, state in before])


def coefficients(k, beta):
    size = range(len(k))
    return [[beta[t] * loops.dot(k[s], k[t]) if s < t else 0 for s in size] for t in size]


def solved(L, right):
    """U with (I + L) U = R, column by column."""
    size = range(len(L))
    system = [[L[t][s] + int(s == t) for s in size] for t in size]
    return loops.columns([loops.solve(system, column) for column in loops.columns(right)])


def factors(chunk):
    k, v, _, beta = chunk
    L = coefficients(k, beta)
    return tuple(
        solved(L, [[b * entry for entry in row] for b, row in zip(beta, rows, strict=True)])
        for rows in (k, v)
    )


def right_side(state, chunk):
    """β_t (v_t − S_0 k_t)."""
    out = []
    for k, v, _, beta in zip(*chunk, strict=True):
        recalled = loops.apply(state, k)
        out.append([beta * (value - r) for value, r in zip(v, recalled, strict=True)])
    return out


def writes(state, chunk):
    """β_t (v_t − S_{t−1} k_t) with the state of the recurrence, token by token."""
    out = []
    for token in zip(*chunk, strict=True):
        single = [[part] for part in token]
        out += right_side(state, single)
        state, _ = loops.delta_rule(None, state, single)
    return out


def substitution_step(solved, equation):
    """The rows solved so far with the new one in its place, and the new one."""
    coefficients, place, right = equation
    new = [
        r - sum(c * row[a] for c, row in zip(coefficients, solved, strict=True))
        for a, r in enumerate(right)
    ]
    rows = [
        [entry + mark * n for entry, n in zip(row, new, strict=True)]
        for mark, row in zip(place, solved, strict=True)
    ]
    return rows, new
