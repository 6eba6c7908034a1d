"""agree(): ranks of a distributed program take the same configurations."""

from __future__ import annotations

from typing import Any

from .._calls import winners
from .._calls.places import say
from .._calls.ranks import agreed_of
from .autotuner import forget_ready


def agree(group: Any = None) -> int:
    """Has all ranks of a group of torch.distributed take the same configurations; returns for how many keys.

    All ranks call it at the same point of the program, such as after the first step. For each kernel, key and model of
    GPU a winner counts more than a guess, and that of a lower rank more than that of a higher one. Ranks may have met
    other keys: each learns those of all. Calls of kernels exchange nothing, so ranks with other shapes do not block.
    """
    from torch import distributed

    everyone: list[Any] = [None] * distributed.get_world_size(group)
    distributed.all_gather_object(everyone, dict(winners.chosen), group=group)
    agreed = agreed_of(everyone)
    if any(choices.keys() != agreed.keys() for choices in everyone):
        say("agree", "ranks met different keys; each now has the configurations of all", level=20)
    winners.agreed.update(agreed)
    forget_ready()
    return len(agreed)
