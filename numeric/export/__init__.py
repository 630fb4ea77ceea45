"""Exports: constructed weights as folders for other codebases, with a manifest and a certificate."""
