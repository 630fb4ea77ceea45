"""Rows of the source `ssd`, in the order of the paper: importing a module adds its rows."""

from . import duality  # noqa: I001
from . import theorem41
from . import stacking
from . import theorem51
from . import theorem51_features
from . import theorem51_labels
from . import theorem51_existence
from . import theorem51_printed
from . import theorem51_rule
from . import theorem51_error
from . import theorem52
from . import theorem52_errors
from . import figures  # after the modules of §5, whose rows come before the figures
from .source import ssd as SOURCE

__all__ = [
    "SOURCE",
    "duality",
    "figures",
    "stacking",
    "theorem41",
    "theorem51",
    "theorem51_error",
    "theorem51_existence",
    "theorem51_features",
    "theorem51_labels",
    "theorem51_printed",
    "theorem51_rule",
    "theorem52",
    "theorem52_errors",
]
