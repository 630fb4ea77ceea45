"""Validation by a JSON schema: as much of the language as the manifest's schema uses.

`jsonschema` says the same of the same schema, which tests compare; it is not needed to read a manifest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from scanproof.proofs.files.strict_json import shown

TYPES: dict[str, Any] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": int | float,
    "null": type(None),
}
KNOWN = {
    *("$schema", "$defs", "$ref", "title", "description", "type", "const", "enum", "anyOf"),
    *("properties", "required", "additionalProperties", "items", "prefixItems"),
    *("minItems", "maxItems", "minLength", "maxLength", "pattern", "minimum", "maximum"),
}


def faults(value: Any, schema: Mapping[str, Any]) -> list[str]:
    """What is wrong with a value, each as "path: what is expected, what is there"; nothing if it is valid."""
    return list(_faults(value, schema, schema, ""))


def _faults(
    value: Any, schema: Mapping[str, Any], root: Mapping[str, Any], at: str
) -> Iterator[str]:
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        yield from _faults(value, root["$defs"][name], root, at)
        return
    where = f"{at}: " if at else ""
    expected = _expected(value, schema, root)
    if expected:
        yield f"{where}{expected} is expected, got {shown(value)}"
    elif isinstance(value, dict):
        yield from _of_object(value, schema, root, at)
    elif isinstance(value, list):
        first = schema.get("prefixItems", [])
        for i, item in enumerate(value):
            rule = first[i] if i < len(first) else schema.get("items", {})
            yield from _faults(item, rule, root, f"{at}[{i}]")


def _expected(value: Any, schema: Mapping[str, Any], root: Mapping[str, Any]) -> str:
    """What the schema expects of the value itself, without its parts, if the value differs."""
    if "const" in schema and value != schema["const"]:
        return shown(schema["const"])
    if "enum" in schema and not any(value is e or value == e for e in schema["enum"]):
        return f"one of {', '.join(map(str, schema['enum']))}"
    if "anyOf" in schema and all(any(_faults(value, s, root, "")) for s in schema["anyOf"]):
        return " or ".join(str(s.get("type")) for s in schema["anyOf"])
    kind = schema.get("type")
    if kind and (not isinstance(value, TYPES[kind]) or isinstance(value, bool)):
        return f"type {kind}"
    if isinstance(value, str):
        if not schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value)):
            return f"{schema.get('minLength', 0)} to {schema.get('maxLength')} characters"
        wanted = schema.get("pattern", "")
        if not re.search(wanted, value, re.ASCII) or (wanted.endswith("$") and value[-1:] == "\n"):
            return schema.get("description", f"text like {wanted}")
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            return f"at least {schema.get('minItems', 0)} items, at most {schema.get('maxItems')}"
    elif isinstance(value, int | float):
        if value < schema.get("minimum", value):
            return f"a number ≥ {schema['minimum']}"
        if value > schema.get("maximum", value):
            return f"a number ≤ {schema['maximum']}"
    return ""


def _of_object(
    value: dict[str, Any], schema: Mapping[str, Any], root: Mapping[str, Any], at: str
) -> Iterator[str]:
    properties, others = schema.get("properties", {}), schema.get("additionalProperties", {})
    prefix = f"{at}." if at else ""
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{prefix}{name} is missing"
    for name, item in value.items():
        if name in properties:
            yield from _faults(item, properties[name], root, f"{prefix}{name}")
        elif others is False:
            yield f"{prefix}{shown(name)[1:-1]} is unknown"
        else:
            yield from _faults(item, others, root, f"{prefix}{shown(name)[1:-1]}")
