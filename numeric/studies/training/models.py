"""Models to train: which arrays they have, how these begin, and the definitions of `constructs` that predict with them.

A model's arrays have the names of `constructs.layouts.neutral` where it has a neutral form, so that trained weights are
a folder that `identify` reads. No layer is written here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from scanproof.constructs.constructions import gril_ablations
from scanproof.constructs.constructions.gril_classification import binary_windows, zero_windows
from scanproof.constructs.layers import gd_ssm, gril, hybrid, lsa, s5, ssd
from scanproof.constructs.layouts import neutral
from scanproof.constructs.layouts.families import FAMILIES
from scanproof.constructs.learners.losses import sigmoid
from scanproof.constructs.tokens import labelled_columns, left_padded_windows
from scanproof.constructs.tokens.encoding import TOKENISATIONS, encoding

from ...jax_arrays import JaxArray, Namespace, plain
from ...jax_backend import jax
from ...ops.decay import of_scalar
from ...precision import FLOAT32


class Start(NamedTuple):
    """How an array of parameters begins: independent normal numbers."""

    shape: tuple[int, ...]
    spread: float
    """Their standard deviation."""
    mean: float = 0.0


Arrays = Mapping[str, Any]


@dataclass(frozen=True)
class Model:
    """A predictor with trained arrays."""

    name: str
    says: str
    starts: Mapping[str, Start]
    """The trained arrays."""
    predict: Callable[..., Any]
    """(arrays, *inputs) of one task -> the prediction for the query; `JaxArray` in and out."""
    fixed: Arrays = field(default_factory=dict)
    """Arrays that are not trained, and are handed to `predict` with the others."""
    slow: tuple[str, ...] = ()
    """Ends of the names of recurrent parameters, which some sources train at half the rate."""
    family: str | None = None
    """Of the neutral form, if it has one."""
    tokens: str = ""
    """Its tokenisation."""

    def start(self, key: Any) -> dict[str, Any]:
        """The trained arrays before training."""
        keys = jax().random.split(key, len(self.starts))
        return {
            name: start.mean + start.spread * jax().random.normal(one, start.shape)
            for one, (name, start) in zip(keys, self.starts.items(), strict=True)
        }

    def __call__(self, trained: Arrays, *inputs: Any) -> Any:
        """The prediction for one task, from arrays of JAX."""
        whole = {**self.fixed, **trained}
        arrays = {name: JaxArray(jax().numpy.asarray(array)) for name, array in whole.items()}
        return plain(self.predict(arrays, *map(JaxArray, inputs)))

    @property
    def size(self) -> int:
        """How many numbers are trained."""
        return sum(math.prod(start.shape) for start in self.starts.values())


def neutral_model(
    name: str,
    says: str,
    family: str,
    tokens: str,
    starts: Mapping[str, Start],
    fixed: Arrays,
    *,
    single: bool = False,
    slow: tuple[str, ...] = (),
) -> Model:
    """A model with a neutral form: layers of a family on a tokenisation, with an encoding and a readout.

    Args:
        name: of the model.
        says: what it is.
        family: a name in `FAMILIES`.
        tokens: a name in `TOKENISATIONS`.
        starts: its trained arrays, by the names of `neutral`.
        fixed: the others.
        single: whether targets come without an axis of their own.
        slow: see `Model`.
    """
    fields = FAMILIES[family].layer
    count = 1 + max(
        int(key.split(".")[1]) for key in (*starts, *fixed) if key.startswith("layers.")
    )

    def predict(arrays: Arrays, x: Any, y: Any) -> Any:
        layers = tuple(
            fields(*(arrays[f"layers.{i}.{key}"] for key in fields._fields)) for i in range(count)
        )
        model = neutral.Model(family, tokens, layers, *(arrays[key] for key in neutral.ENCODING))
        found = neutral.predict(model, x, y[:, None] if single else y)
        return found[0] if single else found

    return Model(name, says, starts, predict, fixed, slow, family, tokens)


def _encoded(tokens: str, d: int, k: int, *, apart: bool) -> dict[str, Any]:
    xp = Namespace(None)
    weight, readout = encoding(xp, tokens, d, k, apart=apart)
    arrays = (weight, xp.zeros((weight.shape[0],)), readout)
    return dict(zip(neutral.ENCODING, map(plain, arrays), strict=True))


CONSTANT = (1.0, 0.0)
GATE = "gate", "log_rate", "frequency", "log_step"
"""Ends of the names of recurrent parameters."""


def gril_block(features: int, examples: int) -> Model:
    """One GRIL block on windows of three (gril Def. 4.2)."""
    f = features
    starts = {
        "layers.0.gate": Start((f, f), 0.1, 0.75),
        "layers.0.mixing": Start((3, 3), 1 / 3),
        "layers.0.query": Start((3,), 3**-0.5),
        "layers.0.beta": Start((), 0.0, 1 / examples),
    }
    fixed = {
        "layers.0.count": jax().numpy.asarray(CONSTANT),
        **_encoded("interleaved", f, f, apart=False),
    }
    says = "one layer, window 3"
    return neutral_model("GRIL", says, "gril", "interleaved", starts, fixed, slow=GATE)


def gril_layers(features: int, examples: int, layers: int) -> Model:
    """Layers of two heads (gril A.3), each with numbers of its own."""
    f, starts, fixed = features, {}, _encoded("interleaved", features, features, apart=False)
    for i in range(layers):
        starts[f"layers.{i}.mixing"] = Start((3, 3), 1 / 3)
        starts[f"layers.{i}.cross_mixing"] = Start((3, 3), 1 / 3)
        starts[f"layers.{i}.query"] = Start((3,), 3**-0.5)
        starts[f"layers.{i}.beta"] = Start((), 0.0, 1 / examples)
        fixed[f"layers.{i}.count"] = jax().numpy.asarray(CONSTANT)
        fixed[f"layers.{i}.ridge"] = jax().numpy.zeros(())
        fixed[f"layers.{i}.weights"] = jax().numpy.zeros((f, f))
    says = f"{layers} layers of two heads, window 3"
    return neutral_model("GRIL, 2 layers", says, "two-head", "interleaved", starts, fixed)


def scalar_network(features: int, examples: int, hidden: int = 20) -> Model:
    """The scalar-target network (gril A.1) on tokens [x_t y_t, x_{t+1}]."""
    width = 2 * features
    starts = {
        "layers.0.Psi": Start((hidden, width), width**-0.5),
        "layers.0.Theta": Start((hidden, width), width**-0.5),
        "layers.0.beta": Start((), 0.0, 1 / examples),
    }
    fixed = {
        "layers.0.count": jax().numpy.asarray(CONSTANT),
        **_encoded("products", features, 1, apart=True),
    }
    says = f"one layer, products in its tokens, {hidden} states"
    return neutral_model("GRIL", says, "gd-ssm", "products", starts, fixed, single=True)


def ablated_block(features: int, examples: int, *, window: bool, readout: bool) -> Model:
    """A GRIL block without its window, its multiplicative readout, or both (gril C.2)."""
    f, w = features, 3 if window else 1
    starts = {"gate": Start((f, f), 0.1, 0.75), "mixing": Start((w, w), 1 / w)}
    if readout:
        starts |= {"query": Start((w,), w**-0.5), "beta": Start((), 0.0, 1 / examples)}
    else:
        starts["readout"] = Start((f,), f**-0.5 / examples)

    def predict(arrays: Arrays, x: Any, y: Any) -> Any:
        kind = gril.Block if readout else gril_ablations.FixedRead
        count = {"count": Namespace(None).asarray(CONSTANT)} if readout else {}
        return gril_ablations.block(kind(**arrays, **count), x, y, window)

    return Model(_without(window, readout), _removed(window, readout), starts, predict, slow=GATE)


def ablated_network(
    features: int, examples: int, *, window: bool, readout: bool, hidden: int = 20
) -> Model:
    """The scalar-target network without products in its tokens, its multiplicative readout, or both (gril C.1)."""
    width = 2 * features if window else 2 * features + 1
    starts = {"Psi": Start((hidden, width), width**-0.5)}
    if readout:
        starts["Theta"] = Start((hidden, width), width**-0.5)
        starts["beta"] = Start((), 0.0, 1 / examples)
    else:
        starts["readout"] = Start((hidden,), hidden**-0.5 / examples)

    def predict(arrays: Arrays, x: Any, y: Any) -> Any:
        kind = gd_ssm.Scalar if readout else gril_ablations.FixedScalar
        count = {"count": Namespace(None).asarray(CONSTANT)} if readout else {}
        return gril_ablations.network(kind(**arrays, **count), x, y, window)

    return Model(_without(window, readout), _removed(window, readout), starts, predict)


def _without(window: bool, readout: bool) -> str:
    words = [w for w, kept in (("input", window), ("readout", readout)) if not kept]
    return "GRIL without " + " and ".join(words)


def _removed(window: bool, readout: bool) -> str:
    words = [w for w, kept in (("input construction", window), ("readout by C q", readout)) if kept]
    return "one layer with " + (" and ".join(words) or "neither")


def linear_attention(
    features: int,
    targets: int | None,
    layers: int,
    *,
    tokens: str = "labelled",
    width: int = 24,
    heads: int = 2,
    head: int = 16,
) -> Model:
    """Layers of causal multi-head linear attention with residuals, encoding and readout trained."""
    raw = TOKENISATIONS[tokens].width(features, targets or 1)
    keys, values = (
        Start((heads, head, width), width**-0.5),
        Start((heads, head, width), width**-0.5),
    )
    starts = {
        "encode.weight": Start((width, raw), raw**-0.5),
        "encode.bias": Start((width,), 0.02),
        "readout.weight": Start((targets or 1, width), 0.02),
    }
    for i in range(layers):
        starts |= {
            f"layers.{i}.query": keys,
            f"layers.{i}.key": keys,
            f"layers.{i}.value": values,
            f"layers.{i}.output": Start((heads, width, head), 0.02),
        }
    plural = "s" if layers > 1 else ""
    name = f"linear attention, {layers} layer{plural}, {tokens} tokens"
    says = f"{heads} heads of {head} keys, width {width}"
    single = targets is None
    return neutral_model(name, says, "linear-attention", tokens, starts, {}, single=single)


def s5_layers(
    features: int, targets: int | None, *, layers: int = 1, width: int = 32, poles: int = 32
) -> Model:
    """Layers of S5 between two projections; each ends with a gate y ⊙ σ(Wy), all but the first with a residual."""
    k = targets or 1
    starts = {"encode": Start((width, features + k), (features + k) ** -0.5)}
    for i in range(layers):
        starts |= {
            f"layers.{i}.log_rate": Start((poles,), 0.0, math.log(0.5)),
            f"layers.{i}.frequency": Start((poles,), poles / 2),
            f"layers.{i}.input_real": Start((poles, width), (2 * width) ** -0.5),
            f"layers.{i}.input_imag": Start((poles, width), (2 * width) ** -0.5),
            f"layers.{i}.output_real": Start((width, poles), (2 * poles) ** -0.5),
            f"layers.{i}.output_imag": Start((width, poles), (2 * poles) ** -0.5),
            f"layers.{i}.skip": Start((width,), 1.0),
            f"layers.{i}.log_step": Start((poles,), 1.0, math.log(0.03)),
            f"layers.{i}.gating": Start((width, width), width**-0.5),
        }
    starts["readout"] = Start((k, width), width**-0.5)

    def predict(arrays: Arrays, x: Any, y: Any) -> Any:
        stream = TOKENISATIONS["interleaved"].tokens(x, y[:, None] if targets is None else y)
        rows = stream[:, :-1] @ arrays["encode"].T
        for i in range(layers):
            own = (arrays[f"layers.{i}.{name}"] for name in s5.Parameters._fields)
            out = s5.LAYER.outputs(s5.discrete(s5.Parameters(*own)), rows)
            gated = out * sigmoid(out @ arrays[f"layers.{i}.gating"].T)
            rows = gated if i == 0 else rows + gated
        found = arrays["readout"] @ rows[-1]
        return found[0] if targets is None else found

    plural = "s" if layers > 1 else ""
    says = f"{poles} poles, width {width}"
    return Model(f"S5, {layers} layer{plural}", says, starts, predict, slow=GATE)


STATES = 128
"""Rows of S_B and S_C, the states of a channel: what Mamba-2 has unless told otherwise. ssd prints none of its
experiments; with D rows, as in its Def. 3.2, one pass over 300,000 tasks at its rate does not train one layer."""


def _ssd_mask(arrays: Arrays, layer: int, length: int) -> Any:
    """L of an SSD layer with one decay a = exp(−softplus(r)) for all tokens."""
    log_decay = -jax().nn.softplus(plain(arrays[f"layers.{layer}.decay"]))
    return JaxArray(of_scalar(log_decay, length, FLOAT32).within.T)


def ssd_layers(features: int, layers: int, states: int = STATES) -> Model:
    """Layers of SSD (ssd Def. 3.2) on tokens (x_i, y_i), the last one with label 0; read in that label."""
    D, starts = features + 1, {}
    for i in range(layers):
        starts |= _ssd_starts(i, states, D, layers)

    def predict(arrays: Arrays, x: Any, y: Any) -> Any:
        Z = labelled_columns(x, y)
        for i in range(layers):
            S = arrays[f"layers.{i}.S_B"].T @ arrays[f"layers.{i}.S_C"]
            Z = ssd.layer(Z, _ssd_mask(arrays, i, Z.shape[1]), S)
        return Z[-1, -1]

    plural = "s" if layers > 1 else ""
    says = f"S_B, S_C of {states} rows and one decay a layer"
    return Model(f"SSD, {layers} layer{plural}", says, starts, predict)


def hybrid_layers(features: int, layers: int, states: int = STATES) -> Model:
    """Layers of SSD, each followed by linear self-attention (ssd §5.1), on the same tokens."""
    D, starts = features + 1, {}
    for i in range(layers):
        starts |= _ssd_starts(i, states, D, layers)
        starts |= {
            f"layers.{i}.P": Start((D, D), 0.03 / (D**0.5 * layers)),
            f"layers.{i}.Q": Start((D, D), 0.3 / D**0.5),
        }

    def predict(arrays: Arrays, x: Any, y: Any) -> Any:
        Z = labelled_columns(x, y)
        attended = lsa.causal_mask(Namespace(None), Z.shape[1])
        for i in range(layers):
            S = arrays[f"layers.{i}.S_B"].T @ arrays[f"layers.{i}.S_C"]
            P, Q = (arrays[f"layers.{i}.{name}"] for name in "PQ")
            mask = _ssd_mask(arrays, i, Z.shape[1])
            Z = hybrid.layer(hybrid.Parameters(mask, S, attended, P, Q), Z)
        return Z[-1, -1]

    plural = "s" if layers > 1 else ""
    says = f"S_B, S_C of {states} rows and one decay, P and Q a layer"
    return Model(f"SSD∘LSA, {layers} layer{plural}", says, starts, predict)


def _ssd_starts(layer: int, states: int, D: int, layers: int) -> dict[str, Start]:
    """Small: a layer is cubic in its tokens, labels have variance d, and a stack of large layers overflows at once."""
    spread = 0.1 / (D * layers) ** 0.5
    return {
        f"layers.{layer}.S_B": Start((states, D), spread),
        f"layers.{layer}.S_C": Start((states, D), spread),
        f"layers.{layer}.decay": Start((), 0.0, -4.0),
    }


def classifier(features: int, classes: int, examples: int, hidden: int = 64) -> Model:
    """A GRIL block on (φ(x_t), r_t, φ(x_{t+1})) with φ(x) = x + an MLP, read as logits (gril Prop. 4.3, B.5)."""
    d, f = features, features + classes
    starts = {
        "phi.up": Start((hidden, d), d**-0.5),
        "phi.bias": Start((hidden,), 0.1),
        "phi.down": Start((d, hidden), 0.1 * hidden**-0.5),
        "gate": Start((f, f), 0.1, 0.75),
        "mixing": Start((3, 3), 1 / 3),
        "query": Start((3,), 3**-0.5),
        "beta": Start((), 0.0, 1 / examples),
    }

    def predict(arrays: Arrays, x: Any, y: Any) -> Any:
        xp = Namespace(None)
        inner = xp.tanh(x @ arrays["phi.up"].T + arrays["phi.bias"])
        phi = x + inner @ arrays["phi.down"].T
        # Two classes: one logit's error at 0 is σ(0) − y; softmax of one logit would be 1.
        one = classes == 1
        seen = binary_windows(phi, y, xp.zeros((d,))) if one else zero_windows(phi, y)
        names = ("gate", "mixing", "query", "beta")
        block = gril.Block(*(arrays[name] for name in names), count=xp.asarray(CONSTANT))
        out = gril.BLOCK.outputs(block, seen)[-1]
        return out[0] if one else out[:classes]

    says = "one layer on φ(x) and the error at 0, window 3"
    return Model("GRIL", says, starts, predict, slow=GATE)


def gril_recall(letters: int, width: int = 32, window: int = 3) -> Model:
    """GRIL as a general layer: embeddings, a block on causal windows one token apart, gate trained, a readout."""
    starts = {
        "embedding": Start((2 * letters, width), width**-0.5),
        "gate": Start((width, width), 0.02, 0.95),
        "mixing": Start((window, window), 1 / window),
        "query": Start((window,), window**-0.5),
        "readout": Start((letters, width), width**-0.5),
    }

    def predict(arrays: Arrays, tokens: Any) -> Any:
        stream = JaxArray(arrays["embedding"].array[tokens.array])
        one = Namespace(None).asarray(1.0)
        count = Namespace(None).asarray(CONSTANT)
        block = gril.Block(arrays["gate"], arrays["mixing"], arrays["query"], one, count)
        out = gril.BLOCK.outputs(block, left_padded_windows(stream, window))[-1]
        return arrays["readout"] @ (out + stream[-1])

    name = "GRIL" if window > 1 else "GRIL without window"
    return Model(name, f"general layer, window {window}, stride 1", starts, predict, slow=GATE)
