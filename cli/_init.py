"""`scanproof init`: a claim file to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

NAME = "claims.py"
STARTER = '''\
"""Claims about a layer of mine: `scanproof check {name}` decides them."""

from typing import NamedTuple

from scanproof import Layer, Source, descent, equal, scan
from scanproof import numpy as np  # NumPy, also where a size is a letter

mine = Source("mine", title="A layer of mine")


# 1. The layer, as one step: (parameters, state, token) -> (state, output).


class Token(NamedTuple):
    k: object  # key
    v: object  # value
    q: object  # query


def step(parameters, state, token):
    state = state + np.outer(token.v, token.k)
    return state, state @ token.q


# The same as it may run: a whole sequence at once.
def parallel(parameters, state, tokens):
    scores = np.tril(tokens.q @ tokens.k.T)
    outputs = tokens.q @ state.T + scores @ tokens.v
    return state + tokens.v.T @ tokens.k, outputs


# The shapes of its arrays. A letter is a size, and what is proved holds for every size.
layer = Layer(step, state="d m", token=Token(k="m", v="d", q="m"))


# 2. What one asks of any layer, a line each. There are also layer.causal and layer.ignores (padding).

mine.law("mine.parallel", layer.chunked(parallel))
mine.law("mine.resume", layer.resumes(parallel))


# 3. A claim in words of one's own: two sides that are equal. `given` has the symbols and their shapes.


def attention(q, k, v):
    return np.tril(q @ k.T) @ v


@mine.claim(
    "mine.attention",
    says="from the zero state the outputs are linear attention",
    given={{"q": "T m", "k": "T m", "v": "T d"}},
)
def is_attention(q, k, v, d, m):
    run = scan(step, None, np.zeros((d, m)), Token(k, v, q))
    return equal(run.outputs, attention(q, k, v))


# 4. A claim that is false, to see what that looks like: `scanproof show {name} mine.descent` has the smallest numbers
#    for which it fails. It holds for the loss -token.v @ W @ token.k instead: mend it, delete it, or give it
#    expect="refuted", by which it is known to be false.


def squared_error(W, token):
    return np.sum((W @ token.k - token.v) ** 2) / 2


mine.law("mine.descent", layer.performs(descent(squared_error, step_size=1)))
'''

File = Annotated[
    Path | None,
    typer.Argument(metavar="FILE", help=f"The file to write, or its folder.  [default: {NAME}]"),
]


def init(file: File = None) -> None:
    """Write a claim file to begin with, never over another file."""
    from scanproof.constructs.errors import UsageError
    from scanproof.proofs.decide.files import create

    from ._output import write

    path = Path(NAME) if file is None else file
    path = path / NAME if path.is_dir() else path
    if path.suffix != ".py":
        raise UsageError(f"init {path}: a claim file is a Python file; its name must end in .py.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with create(path) as new:
            new.write(STARTER.format(name=path).encode())
    except OSError as error:
        if path.exists():
            raise UsageError(
                f"init {path}: that file is there, and is left as it is; name another one: scanproof init FILE.py"
            ) from None
        raise UsageError(f"init {path}: cannot write there: {error.strerror}.") from error
    write(
        f"{path}: a layer and four claims, three of them true.\n"
        f"  scanproof check {path}               decides them\n"
        f"  scanproof show {path} mine.descent   shows why one of them is false\n"
    )
