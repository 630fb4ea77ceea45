"""Studies: layers that are trained, the sources' figures beside ours, bounds that ascent tries to break, pictures."""
