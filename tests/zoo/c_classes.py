"""A claim hides a question or a state in a class."""

from scanproof import build, definition, each, equal, scan

from .case import claim


@definition
def twice(x):
    """Twice x."""
    return x + x


class Lenient:
    """A size with a property; what the property cannot answer, __getattr__ does."""

    def __init__(self, size):
        self.size = size

    @property
    def long(self):
        return self.size.bit_length() > 2

    def __getattr__(self, name):
        return False


@claim({"x": "N"}, fails={"N": 4})
def a_property_behind_which_stands_another_answer(x, N):
    return equal(twice(x), (3 if Lenient(N).long else 2) * x)


class Limit:
    """A limit to which a size is compared; for what is no int it has an answer of its own."""

    def __init__(self, limit):
        self.limit = limit

    def __lt__(self, size):
        return isinstance(size, int) and size > self.limit

    def __rsub__(self, size):
        return isinstance(size, int) and size > self.limit


@claim({"x": "N"}, fails={"N": 4})
def a_limit_that_compares_itself(x, N):
    return equal(twice(x), (3 if Limit(3) < N else 2) * x)


@claim({"x": "N"}, fails={"N": 4})
def a_limit_on_the_other_side(x, N):
    return equal(twice(x), (3 if N > Limit(3) else 2) * x)


@claim({"x": "N"}, fails={"N": 4})
def a_limit_that_is_subtracted(x, N):
    return equal(twice(x), (2 + (N - Limit(3))) * x)


class Few:
    """What holds 1, 2 and 3, and everything that it cannot compare."""

    def __contains__(self, size):
        try:
            return not size > 3
        except Exception:
            return True


@claim({"x": "N"}, fails={"N": 4})
def a_container_of_few_sizes(x, N):
    return equal(twice(x), (2 if N in Few() else 3) * x)


class Long(type):
    """The type of a class whose instances are the long sizes."""

    def __instancecheck__(cls, size):
        return type(size) is int and size > 3


class LongSize(metaclass=Long):
    pass


@claim({"x": "N"}, fails={"N": 4})
def a_class_whose_instances_are_long(x, N):
    return equal(twice(x), (3 if isinstance(N, LongSize) else 2) * x)


@claim({"x": "N"}, fails={"N": 4})
def a_descriptor_that_counts(x, N):
    class Count:
        calls = 0

        def __get__(self, one, owner):
            self.calls += 1
            return 2 if self.calls <= 3 else 3

    class Holder:
        factor = Count()

    for t in each(1, N):
        yield equal(twice(x[t - 1]), Holder.factor * x[t - 1])


@claim({"x": "N"}, fails={"N": 4})
def an_attribute_of_a_class_that_counts_instances(x, N):
    class Turn:
        made = 0

        def __init__(self):
            type(self).made += 1

    for t in each(1, N):
        Turn()
        yield equal(twice(x[t - 1]), (2 if Turn.made <= 3 else 3) * x[t - 1])


@claim({"x": "N"}, fails={"N": 4})
def an_object_that_is_called_in_build(x, N, xp):
    class Row:
        left = 3

        def __call__(self, i):
            self.left -= 1
            return x[i] if self.left >= 0 else 0 * x[i]

    return equal(twice(build(xp, N, Row())), 2 * x)


@claim({"x": "N", "w": ""}, fails={"N": 4})
def a_method_that_is_the_step_of_a_scan(x, w):
    class Layer:
        left = 3

        def step(self, parameters, state, token):
            self.left -= 1
            state = state + (token if self.left >= 0 else 2 * token)
            return state, state

    return equal(scan(Layer().step, None, w, x).final_state, w + x.sum())


@claim({"x": "N"}, fails={"N": 4})
def a_truth_that_changes_with_the_calls(x, N):
    class Fresh:
        calls = 0

        def __bool__(self):
            self.calls += 1
            return self.calls <= 3

    fresh = Fresh()
    for t in each(1, N):
        yield equal(twice(x[t - 1]), (2 if fresh else 3) * x[t - 1])


@claim({"x": "N"}, fails={"N": 4})
def a_factor_that_multiplies_itself(x, N):
    class Factor:
        calls = 0

        def __add__(self, other):
            self.calls += 1
            return other + (0 if self.calls <= 3 else 1)

    factor = Factor()
    for t in each(1, N):
        yield equal(twice(x[t - 1]), (factor + 2) * x[t - 1])


@claim({"x": "N"}, fails={"N": 4})
def an_attribute_that_is_made_when_first_missed(x, N):
    class Kept:
        def __getattr__(self, name):
            self.factor = 1
            return 2

    kept = Kept()
    yield equal(twice(x), 2 * x)
    left = 3
    for t in each(1, N):
        left -= 1
        if left < 0:
            kept.factor  # noqa: B018
            yield equal(twice(x[t - 1]), 2 * kept.factor * x[t - 1] + x[t - 1])
