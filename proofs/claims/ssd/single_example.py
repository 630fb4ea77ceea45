"""What one example and a query tell about a stack of layers: tokens, slopes of the output, and those of K steps."""

from __future__ import annotations

from scanproof.constructs.arrays.array_api import outer, unit
from scanproof.constructs.arrays.gradient import gradient
from scanproof.constructs.arrays.scan import scan
from scanproof.constructs.layers import lsa
from scanproof.constructs.learners.descent import gradient_descent
from scanproof.constructs.learners.losses import MEAN


def example_and_query(x_1, y_1, x_q, xp, n):
    """Tokens of eq. 1, all 0 but example n = (x_1, y_1) and the query x_q, as columns: (d + 1, n + 1)."""
    d = x_q.shape[0]
    features, label = xp.eye(d + 1)[:, :d], unit(xp, d + 1, d)
    example, query = unit(xp, n + 1, n - 1), unit(xp, n + 1, n)
    return outer(y_1 * label + features @ x_1, example) + outer(features @ x_q, query)


def single_example(x_1, y_1, x_q, xp, n, d):
    """The same on the first axis: example n = (x_1 e_1, y_1) and the query x_q e_1."""
    axis = unit(xp, d, 0)
    return example_and_query(x_1 * axis, y_1, x_q * axis, xp, n)


def steps_at_the_query(Z, eta, xp, K):
    """⟨w_K, x_{n+1}⟩ after K steps from 0 on the loss of Theorem 4.1, for the examples that the tokens hold."""
    d, n = Z.shape[0] - 1, Z.shape[1] - 1
    w_K = gradient_descent(MEAN, xp.zeros((d,)), Z[:d, :n].T, Z[d, :n], eta, K)
    return Z[:d, n] @ w_K


def response(output, x_1, xp):
    """M = ∂²output/∂y_1∂x_q at y_1 = x_q = 0, and x_1 M' − M."""
    zero = xp.asarray(0)

    def M(x):
        return gradient(lambda y: gradient(lambda q: output(x, y, q), zero), zero)

    return M(x_1), x_1 * gradient(M, x_1) - M(x_1)


def label_layers(value, Q, xp, n):
    """The query's label after the layers as a function of the one example and the query."""
    mask = lsa.causal_mask(xp, n + 1)
    d = value.shape[1] - 1

    def layer(_, Z, own):
        value, Q = own
        Z = lsa.layer(Z, mask, outer(unit(xp, d + 1, d), value), Q)
        return Z, Z[d, n]

    def output(x_1, y_1, x_q):
        Z = example_and_query(x_1, y_1, x_q, xp, n)
        return scan(layer, None, Z, (value, Q)).final_state[d, n]

    return output


def across(vectors, direction):
    """The vectors' parts orthogonal to `direction`, times its squared length: (m, k) and (k,) -> (m, k)."""
    along = vectors @ direction
    return (direction @ direction) * vectors - outer(along, direction)


def unexcited(value, Q, z, x_q, xp, n):
    """∂output/∂x_{n+1} along x_q at x_{n+1} = 0 for the examples 2z and z, where p_1 = (y_1 u, −⟨u, x_1⟩) ⟂ z.

    Every p_1 ⟂ z is of this form up to a factor, if y_1 ≠ 0.
    """
    d = x_q.shape[0]
    x_1, y_1, u = z[:d], z[d], value[0, :d]
    p = xp.concat([y_1 * u, -(u @ x_1)[None]], axis=0)
    output = label_layers(xp.concat([p[None], value[1:]], axis=0), Q, xp, n)

    def slope(t):
        return gradient(lambda s: output(t * x_1, t * y_1, s * x_q), xp.asarray(0))

    return slope(2), slope(1)


def exchanged(value, Q, x, alpha, gamma, xp, n):
    """∂output/∂y_1 at y_1 = 0 for (x_1, x_q) = (αx, γx) and for (γx, αx), where every p_l is orthogonal to (x, 0)."""
    d = x.shape[0]
    inert = xp.concat([across(value[:, :d], x), value[:, d:]], axis=1)
    output = label_layers(inert, Q, xp, n)

    def slope(a, b):
        return gradient(lambda y: output(a * x, y, b * x), xp.asarray(0))

    return slope(alpha, gamma), slope(gamma, alpha)


def steps_exchanged(x, alpha, gamma, eta, xp, n, K):
    """The same for K steps, whose prediction is linear in y_1: its values for the label 1."""

    def prediction(a, b):
        return steps_at_the_query(example_and_query(a * x, xp.asarray(1), b * x, xp, n), eta, xp, K)

    return prediction(alpha, gamma), prediction(gamma, alpha)
