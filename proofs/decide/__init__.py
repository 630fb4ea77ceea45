"""Deciding: find, check, and report; rows and their workers."""
