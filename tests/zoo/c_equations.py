"""An equation that is true at the sizes that are looked at, and false at the next one."""

from itertools import permutations

from scanproof import build, each, equal, iterate, scan
from scanproof.constructs.arrays.ranges import product
from scanproof.constructs.layers import linear_attention
from scanproof.constructs.learners.descent import gradient_descent, prefix_predictions
from scanproof.constructs.learners.losses import HALF_MEAN, HALF_SUM

from .case import claim, total, twice


@claim({"x": "N"}, fails={"N": 4})
def a_power_of_two_that_is_a_parabola(x, N):
    return equal(2**N * twice(x), 2 * (N * N - N + 2) * x)


@claim({"x": "f"}, sizes={"N": (1, 2, 3), "f": (1,)}, fails={"N": 4, "f": 1})
def doublings_that_are_a_parabola(x, N):
    return equal(iterate(twice, x, N), (N * N - N + 2) * x)


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


@claim({"x": "N"}, fails={"N": 4})
def a_sum_of_squares_that_is_a_parabola(x, N, xp):
    squares = build(xp, N, lambda i: (i + 1) * (i + 1) * x[0])
    parabola = 5 * N * N - 7 * N + 4
    return equal(2 * total(squares), parabola * x[0])


@claim({"x": "f"}, sizes={"N": (1, 2, 3), "f": (1,)}, fails={"N": 4, "f": 1})
def a_sequence_of_fibonacci_that_is_a_line(x, N):
    a, _ = iterate(lambda pair: (pair[1], pair[0] + pair[1]), (x, x), N)
    return equal(twice(a), 2 * N * x)


@claim({"x": "f"}, sizes={"N": (1, 2, 3), "f": (1,)}, fails={"N": 4, "f": 1})
def a_sequence_that_returns_after_three_steps(x, N):
    a, _, _, _ = iterate(lambda s: (*s[1:], s[0]), (x, x, x, x + x), N - 1)
    return equal(twice(a), 2 * x)


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


@claim({"A": "N N"}, sizes={"N": (1,)}, fails={"N": 2})
def a_matrix_that_is_its_transpose(A):
    return equal(twice(A), 2 * A.T)


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def a_square_of_a_sum_that_is_a_sum_of_squares(x):
    return equal(total(x) * total(x), total(x * x))


@claim({"x": "f", "z": "f"}, sizes={"f": (1,)}, fails={"f": 2})
def an_inequality_of_cauchy_that_is_an_equation(x, z):
    return equal(total(x * z) ** 2, total(x * x) * total(z * z))


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def a_product_of_entries_that_is_their_sum(x):
    return equal(total(x), product(x))


@claim({"x": "N"}, sizes={"N": (2,)}, fails={"N": 3})
def two_ends_that_are_the_whole_sum(x, N):
    return equal(total(x), x[0] + x[N - 1])


@claim({"x": "N f", "y": "N", "w": "f", "eta": ""}, sizes={"N": (1,)}, fails={"N": 2, "f": 1})
def a_mean_that_is_a_sum(x, y, w, eta):
    left, right = (gradient_descent(loss, w, x, y, eta) for loss in (HALF_MEAN, HALF_SUM))
    return equal(left, right)


@claim({"x": "N f", "y": "N", "eta": ""}, sizes={"N": (1, 2), "f": (1,)}, fails={"N": 3, "f": 1})
def steps_that_end_after_two_examples(x, y, eta, N, xp):
    zero = xp.zeros((x.shape[1],))
    few, all_ = (gradient_descent(HALF_SUM, zero, x[:k], y[:k], eta) for k in (2, N))
    return equal(few, all_)


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


@claim({"x": "N"}, fails={"N": 4})
def sums_of_a_step_that_vanishes_three_times(x, N, xp):
    steps = build(xp, N, lambda i: (i * i * i - 3 * i * i + 2 * i) * twice(x[i]))
    return equal(steps, 0 * x)


@claim({"x": "N"}, sizes={"N": (2, 3)}, fails={"N": 4})
def a_size_that_is_two_or_three(x, N):
    return equal(N * N * twice(x), 10 * N * x - 12 * x)


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def entries_that_are_all_the_first(x, N):
    for t in each(1, N):
        yield equal(twice(x[t - 1]), 2 * x[0])
