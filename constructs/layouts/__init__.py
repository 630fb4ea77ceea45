"""Layouts of other codebases: pure functions from named arrays to the key names, shapes and settings that they load."""
