"""Triton's own front end: a kernel and the kinds of its arguments become TTIR, on any machine and without a GPU."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Mapping
from functools import cache
from typing import Any

from ..refused import Refused

SUPPORTED = ("3.9",)
"""Versions of Triton whose text was tested; it is no stable interface."""
CAPABILITY, WARP = 90, 32
"""The GPU for which the front end is asked; nothing of what numbers are depends on it."""


def part(name: str) -> Any:
    """A module of Triton's, imported now."""
    return importlib.import_module(f"triton.{name}")


@cache
def expect_version() -> None:
    """Refuse versions of Triton that were not tested.

    Raises:
        Refused: if another is installed.
    """
    version = ".".join(importlib.import_module("triton").__version__.split(".")[:2])
    if version not in SUPPORTED:
        raise Refused(
            f"Triton {version} is installed; kernels are read with {' and '.join(SUPPORTED)}"
        )


def ir_text(kernel: Any, signature: Mapping[str, str], constants: Mapping[str, Any]) -> str:
    """The TTIR of a kernel, functions inlined.

    Args:
        kernel: what `triton.jit` returned.
        signature: the kind of each argument, such as "*fp32", "i32" or "constexpr".
        constants: the values of those of the last kind.

    Raises:
        Refused: if the front end does not take it.
    """
    expect_version()
    library, compiler = part("_C.libtriton"), part("compiler.compiler")
    ir, passes = library.ir, library.passes
    target = part("backends.compiler").GPUTarget("cuda", CAPABILITY, WARP)
    backend = compiler.make_backend(target)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        options = backend.parse_options({"sanitize_overflow": False})
        context = ir.context()
        ir.load_dialects(context)
        backend.load_dialects(context)
        generated = backend.get_codegen_implementation(options)
        source = compiler.ASTSource(kernel, dict(signature), dict(constants))
        try:
            module = source.make_ir(target, options, generated, backend.get_module_map(), context)
        except Exception as error:
            raise Refused(_said(kernel, error)) from error
        manager = ir.pass_manager(module.context)
        passes.common.add_inliner(manager)
        passes.common.add_canonicalizer(manager)
        passes.common.add_cse(manager)
        passes.common.add_symbol_dce(manager)
        manager.run(module, "read")
    return module.str()


def _said(kernel: Any, error: Exception) -> str:
    """What the front end says, in one line."""
    inner: BaseException = error
    while inner.__cause__ is not None:
        inner = inner.__cause__
    lines = [line.strip() for line in str(inner).splitlines() if line.strip()]
    return f"Triton's front end does not take {kernel.__name__}: {lines[-1] if lines else type(inner).__name__}"
