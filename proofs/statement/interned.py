"""Values of which equal ones are one object, so that comparing takes no time and sharing is free."""

from __future__ import annotations

from typing import Any, ClassVar
from weakref import WeakValueDictionary


class Interning(type):
    """The class of classes whose instances are known by their arguments, which stand in the order of the fields."""

    _known: ClassVar[WeakValueDictionary[Any, Any]] = WeakValueDictionary()
    defaults: tuple[Any, ...] = ()
    """A value for each field, where the last ones may be left out."""

    def __call__(cls, *values: Any) -> Any:
        if cls.defaults:
            values += cls.defaults[len(values) :]
        key = (cls, *values)
        found = Interning._known.get(key)
        if found is None:
            found = Interning._known[key] = super().__call__(*values)
        return found
