"""Measured tightness: how near to a claim's bounds its left sides can be brought, by gradient ascent over inputs."""
