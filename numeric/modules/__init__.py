"""Modules for torch that run the definitions; `recurrence` imports torch, this package does not."""
