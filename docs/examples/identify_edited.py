"""identify: edit the weights of an export, take its manifest away, and ask which learning rule they implement now.

scanproof export gril.prop4.1 --target numpy --features 4 --targets 1 --examples 20 --output gril
python docs/examples/identify_edited.py gril
"""

import sys
import tempfile
from pathlib import Path

from safetensors.numpy import load_file, save_file

from scanproof import identify


def unchanged(weights, encoding):
    pass


def half_the_step(weights, encoding):
    weights["layers.0.beta"] /= 2


def another_scale_of_the_first_feature(weights, encoding):
    encoding["encode.weight"][0, 0] = 3


def a_gate_that_forgets(weights, encoding):
    weights["layers.0.gate"][4, 0] = 0.9


original = Path(sys.argv[1])
for edit in (unchanged, half_the_step, another_scale_of_the_first_feature, a_gate_that_forgets):
    weights = load_file(original / "model.safetensors")
    encoding = load_file(original / "encoding.safetensors")
    edit(weights, encoding)
    with tempfile.TemporaryDirectory() as folder:
        save_file(weights, Path(folder, "model.safetensors"))
        save_file(encoding, Path(folder, "encoding.safetensors"))
        report = identify(folder)
    print(f"{edit.__name__.replace('_', ' ')}: {report.verdict}")
    for entry in report.deviations:
        print(
            f"  {entry.entry} is {entry.found:g}, and {entry.expected:g} in {report.nearest_construction}"
        )
