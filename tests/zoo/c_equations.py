"""An equation that is true at the sizes that are looked at, and false at the next one."""

from itertools import permutations

from scanproof import equal, iterate, scan
from scanproof.constructs.layers import linear_attention
from scanproof.constructs.learners.descent import prefix_predictions
from scanproof.constructs.learners.losses import HALF_SUM

from .case import claim, twice


@claim({"x": "N"}, fails={"N": 4})
def a_power_of_two_that_is_a_parabola(x, N):
    return equal(2**N * twice(x), 2 * (N * N - N + 2) * x)


@claim({"x": "N"}, fails={"N": 4})
def a_product_of_three_differences(x, N):
    y = twice(x)
    for root in (1, 2, 3):
        y = N * y - root * y
    return equal(y, 0 * x)


@claim({"x": "N f"}, sizes={"N": (1, 2), "f": (1, 2, 3)}, fails={"N": 3, "f": 3})
def differences_that_vanish_unless_both_sizes_are_large(x, N, f):
    y = twice(x)
    for size in (N, f):
        for root in (1, 2):
            y = size * y - root * y
    return equal(y, 0 * x)


@claim({"x": "f"}, sizes={"N": (1, 2, 3), "f": (1,)}, fails={"N": 4, "f": 1})
def a_sequence_of_fibonacci_that_is_a_line(x, N):
    a, _ = iterate(lambda pair: (pair[1], pair[0] + pair[1]), (x, x), N)
    return equal(twice(a), 2 * N * x)


@claim({"A": "N N"}, fails={"N": 4})
def a_matrix_below_the_diagonal_to_the_third_power(A, xp):
    low = xp.tril(A) - xp.tril(A.T).T * xp.tril(xp.ones(A.shape)) * xp.eye(A.shape[0])
    return equal(twice(low @ low @ low), 0 * A)


@claim({"A": "N N", "B": "N N"}, sizes={"N": (1,)}, fails={"N": 2})
def matrices_that_commute(A, B):
    return equal(twice(A) @ B, 2 * B @ A)


@claim(dict.fromkeys("ABCD", "N N"), sizes={"N": (1, 2)}, fails={"N": 3})
def the_standard_identity_of_two_by_two_matrices(A, B, C, D):
    """Amitsur and Levitzki: Σ ± A_σ1 A_σ2 A_σ3 A_σ4 = 0 holds for 2 × 2 matrices and not for 3 × 3 ones."""
    wrong = 0 * A
    for order in permutations(range(4)):
        sign = (-1) ** sum(order[i] > order[j] for i in range(4) for j in range(i, 4))
        p, q, r, s = ((A, B, C, D)[k] for k in order)
        wrong = wrong + sign * (p @ q @ r @ s)
    return equal(twice(wrong), 0 * wrong)


@claim(
    {"x": "N+1 f", "y": "N k", "eta": ""},
    sizes={"N": (1,), "f": (1, 2), "k": (1,)},
    fails={"N": 2, "f": 1, "k": 1},
)
def attention_that_predicts_after_two_steps(x, y, eta, xp, N, f, k):
    tokens = linear_attention.Token(q=x[1:], k=x[:N], v=y)
    run = scan(linear_attention.step, None, xp.zeros((k, f)), tokens)
    predicted = prefix_predictions(HALF_SUM, xp.zeros((f, k)), x, y, eta)
    return equal(eta * run.outputs[0] * N, predicted[N - 1])
