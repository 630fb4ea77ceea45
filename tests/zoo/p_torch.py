"""Arguments, formats, derivatives and memory of torch, each read as it is not."""

import torch
import torch.nn.functional as F
from torch.func import grad

from .case import program, same


def twice(X):
    return 2 * X


def ones(X):
    return torch.ones_like(X)


def relu_slope(X):
    return torch.where(X > 0, 1.0, torch.where(X < 0, 0.0, 0.5))


def biased(X):
    return ((X - X.mean()) ** 2).mean()


@program("x: T", equals=same, fails={"T": 2})
def a_sum_of_no_axes(X):
    return X.sum(dim=())


@program("x: T", equals=biased, fails={"T": 3})
def a_variance_that_is_unbiased(X):
    return X.var(True)


@program("x: T", equals=twice, fails={"T": 3})
def a_factor_of_the_other_operand(X):
    return torch.add(X, X, alpha=2)


@program("x: T", equals=same, fails={"T": 3})
def a_threshold(X):
    return F.softplus(20 * X, threshold=1) / 20


@program("x: T", equals=same, fails={"T": 3})
def a_quotient_rounded_down(X):
    return torch.div(X, 1, rounding_mode="floor")


@program("x: T", equals=same, fails={"T": 3})
def only_in_single(X):
    return 2 * X if X.dtype == torch.float32 else X


@program("x: T", equals=same, fails={"T": 3})
def only_in_single_by_identity(X):
    return 2 * X if X.dtype is torch.float32 else X


@program("x: T", equals=same, fails={"T": 3})
def only_in_single_by_its_name(X):
    return 2 * X if str(X.dtype).endswith("32") else X


@program("x: T", equals=same, fails={"T": 3})
def only_where_nothing_is_double(X):
    return 2 * X if torch.zeros(1).dtype != torch.float64 else X


@program("x: T", equals=relu_slope, fails={"T": 3})
def a_slope_that_is_estimated(X):
    return grad(lambda z: (z + (torch.relu(z) - z).detach()).sum())(X)


@program("x: T", equals=relu_slope, fails={"T": 3})
def a_slope_at_zero(X):
    return grad(lambda z: torch.relu(z).sum())(X)


@program("x: T", equals=relu_slope, fails={"T": 3})
def a_slope_at_a_bound(X):
    return grad(lambda z: z.clamp(min=0).sum())(X)


@program("x: T", equals=twice, fails={"T": 3})
def a_weight_that_is_not_recorded(X):
    def loss(z):
        with torch.no_grad():
            weight = z * 1
        return (z * weight).sum()

    return grad(loss)(X)


@program("x: T", equals=twice, fails={"T": 3})
def a_function_that_is_not_recorded(X):
    @torch.no_grad()
    def weight(z):
        return z * 1

    return grad(lambda z: (z * weight(z)).sum())(X)


@program("x: T", equals=twice, fails={"T": 3})
def a_weight_by_its_data(X):
    return grad(lambda z: (z * z.data).sum())(X)


@program("x: T", equals=ones, fails={"T": 3})
def a_largest_entry(X):
    return grad(lambda z: z.max(0).values)(X)


@program("x: T", equals=same, fails={"T": 3})
def an_expanded_row(X):
    rows = X.clone().expand(2, -1)
    rows[0] = 1.0
    return rows[1]


@program("x: T", equals=same, fails={"T": 3})
def detached_and_written(X):
    Y = X.clone()
    Y.detach().mul_(2)
    return Y


@program("x: T", equals=same, fails={"T": 3})
def a_function_of_the_last_turn(X):
    made = []
    for k in range(2):
        made.append(lambda v: v * k)
    return sum(f(X) for f in made)


@program("x: T", equals=same, fails={"T": 3})
def whole_numbers_divided(X):
    return (torch.tensor(-3) // 2) * X


@program("x: T", equals=same, fails={"T": 3})
def functions_of_the_last_item(X):
    made = [lambda v: v * k for k in range(2)]
    return sum(f(X) for f in made)
