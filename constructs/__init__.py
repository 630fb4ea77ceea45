"""What is proved: layers, learners, tokenisations and the analytic parameters of the sources.

Every layer is a step function `(parameters, state, token) -> (state, output)` over arrays that know their own
namespace (`__array_namespace__`). No array library is imported here, so the same function is read by sympy, by exact
arrays, by NumPy and by JAX.
"""
