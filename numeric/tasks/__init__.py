"""What the constructions are tried on: the sources' samplers, learners, step sizes and metrics."""
