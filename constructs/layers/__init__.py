"""The layers of the sources, one a file: a step function and, where a source prints one, its other form."""
