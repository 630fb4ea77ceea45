"""A size is decided on inside a transformation of JAX."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
from jax import lax

from .case import program, summed


def doubled(X):
    return 2 * X


@functools.partial(jax.jit, static_argnums=1)
def scaled(x, n):
    return x * (3.0 if n == 4 else 2.0)


@jax.custom_jvp
def square(X):
    return (X * X).sum()


@square.defjvp
def _(primals, tangents):
    (X,), (t,) = primals, tangents
    return square(X), ((3 if X.shape[0] == 4 else 2) * X * t).sum()


@functools.partial(jax.custom_vjp, nondiff_argnums=(1,))
def squared_with(X, n):
    return (X * X).sum()


squared_with.defvjp(
    lambda X, n: (squared_with(X, n), X),
    lambda n, X, g: (g * X * (0.0 if n == 5 else 2.0),),
)


@jax.custom_batching.custom_vmap
def twice(x):
    return 2 * x


@twice.def_vmap
def _(axis_size, batched, x):
    return (3 if axis_size == 6 else 2) * x, True


@functools.partial(jax.tree_util.register_dataclass, data_fields=["x"], meta_fields=["n"])
@dataclasses.dataclass
class Rows:
    x: jax.Array
    n: int


@program("X: T d", equals=doubled, fails={"T": 4, "d": 1})
def a_static_argument(X):
    return scaled(X, X.shape[0])


@program("X: T d", equals=doubled, fails={"T": 4, "d": 1})
def a_derivative_that_is_given(X):
    return jax.grad(square)(X)


@program("X: T d", equals=doubled, fails={"T": 6, "d": 1})
def a_batching_that_is_given(X):
    return jax.vmap(twice)(X)


@program("X: T d", equals=doubled, fails={"T": 7, "d": 1})
def a_sum_of_ones_over_an_axis(X):
    return jax.vmap(lambda x: x * {7: 1}.get(lax.psum(1, "rows"), 2), axis_name="rows")(X)


@program("X: T d", equals=summed, fails={"T": 4, "d": 1})
def a_body_of_a_scan(X):
    def step(total, row):
        return total + row * (1.0 if X.shape[0] != 4 else 0.5), None

    return lax.scan(step, jnp.zeros(X.shape[1], X.dtype), X)[0]


@program("X: T d", equals=summed, fails={"T": 5, "d": 1})
def a_while_that_stops_early(X):
    def step(state):
        i, total = state
        return i + 1, total + X[i]

    start = jnp.zeros((), jnp.int32), jnp.zeros(X.shape[1], X.dtype)
    return lax.while_loop(lambda s: s[0] < jnp.minimum(X.shape[0], 4), step, start)[1]


@program("X: T d", equals=doubled, fails={"T": 4, "d": 1})
def a_shape_that_is_evaluated(X):
    shape = jax.eval_shape(lambda x: x.T @ x @ x.T, X).shape
    return X * (2.0 if shape[1] != 4 else 4.0)


@program("X: T d", equals=doubled, fails={"T": 5, "d": 1})
def a_trace_that_is_written_out(X):
    return X * (2 - ("[5,1]" in str(jax.make_jaxpr(jnp.sin)(X))))


@program("X: T d", equals=doubled, fails={"T": 4, "d": 1})
def a_structure_that_does_not_fit(X):
    try:
        other = jax.tree.map(jnp.add, Rows(X, X.shape[0]), Rows(X, 4))
    except ValueError:
        return X + X
    return other.x + 1


@program("X: T d", equals=doubled, fails={"T": 5, "d": 1})
def a_type_without_an_array(X):
    special = jax.ShapeDtypeStruct((5, 1), X.dtype)
    return X * (2.0 if jax.ShapeDtypeStruct(X.shape, X.dtype) != special else 0.0)
