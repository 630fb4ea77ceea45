"""Changes of JSON at a place that is given by keys, the last argument being the value: what a forger does to a file."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

Key = str | int | slice | Callable[[Any], Any]
"""Of an object, of a list, or a function that finds what is meant."""
Change = Callable[[Any], Any]
"""Changes a value in place, or hands back another one."""
ALL = slice(None)


def at(value: Any, path: tuple[Key, ...]) -> Any:
    """What stands at a place."""
    for key in path:
        value = key(value) if callable(key) else value[key]
    return value


def same(*path: Key) -> Callable[[Any], Any]:
    """A copy of what stands at a place, as a value of the changes below."""
    return lambda value: deepcopy(at(value, path))


def _changing(change: Callable[[Any, Any, Any], Any]) -> Callable[..., Change]:
    """Of a change by (what holds it, its key, a value), a function of the keys and the value."""

    def edit(*path: Any) -> Change:
        *way, key, new = path

        def changed(value: Any) -> None:
            change(at(value, tuple(way)), key, new(value) if callable(new) else new)

        return changed

    return edit


put = _changing(lambda holder, key, new: holder.__setitem__(key, new))
add = _changing(lambda holder, key, new: holder.__setitem__(key, holder[key] + new))
insert = _changing(lambda holder, key, new: holder.insert(key, new))
append = _changing(lambda holder, key, new: at(holder, (key,)).append(new))
extend = _changing(lambda holder, key, new: at(holder, (key,)).extend(new))


def drop(*path: Key) -> Change:
    return lambda value: at(value, path[:-1]).__delitem__(path[-1])


def reverse(*path: Key) -> Change:
    return lambda value: at(value, path).reverse()


def clear(*path: Key) -> Change:
    return lambda value: at(value, path).clear()


def every(*changes: Change) -> Change:
    def changed(value: Any) -> None:
        for change in changes:
            change(value)

    return changed
