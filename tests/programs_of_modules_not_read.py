"""A module for torch that imports what is not read."""

import torch
import torch.distributed


def twice(x):
    return x * 2 + torch.distributed.world
