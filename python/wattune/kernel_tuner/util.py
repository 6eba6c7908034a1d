"""Helpers that scripts of Kernel Tuner's import."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

from .caches import close_cache, plain, read_cache
from .errors import CompilationFailedConfig, ErrorConfig, InvalidConfig, RuntimeFailedConfig
from .geometry import DEFAULT_BLOCK_SIZE_NAMES as default_block_size_names
from .geometry import Geometry, block_names, problem_extents, thread_block
from .geometry import with_values as replace_param_occurrences
from .metrics import HIGHER_IS_BETTER, Entry, Objectives, with_metrics
from .results import get_config_string
from .sources import detected_language, looks_like_a_filename

objective_default_map = HIGHER_IS_BETTER


class NpEncoder(json.JSONEncoder):
    """An encoder of JSON that takes numbers and arrays of NumPy."""

    def default(self, o: Any) -> Any:
        """Returns an object that JSON has."""
        return plain(o) if hasattr(o, "tolist") else super().default(o)


def delete_temp_file(filename: str | os.PathLike[str]) -> None:
    """Removes a file if it is there."""
    try:
        os.remove(filename)
    except FileNotFoundError:
        pass


def detect_language(kernel_string: str) -> str:
    """Returns the language of a text: CUDA, OpenCL, Julia or C."""
    return {"OPENCL": "OpenCL", "JULIA": "Julia"}.get(found := detected_language(kernel_string), found)


def get_best_config(results: Sequence[Entry], objective: str, objective_higher_is_better: bool = False) -> Entry:
    """Returns the best result."""
    best: Entry = Objectives(objective, objective_higher_is_better, None).best(results)
    return best


def get_pareto_results(results: Sequence[Entry], objectives: Sequence[str],
                       objective_higher_is_better: Sequence[bool]) -> list[Entry]:  # fmt: skip
    """Returns the results that none beats in every objective, marked `optimal`."""
    return Objectives(objectives, objective_higher_is_better, None)._front(results)


def get_objective_defaults(objective: Any, objective_higher_is_better: Any) -> tuple[Any, Any]:
    """Returns objective and direction, "time" and the usual direction where they are None."""
    found = Objectives(objective, objective_higher_is_better, None)
    if isinstance(objective, (list, tuple)):
        return found.names, list(found.directions.values())
    return found.names[0], found.directions[found.names[0]]


def get_instance_string(params: Mapping[str, Any]) -> str:
    """Returns the values of a configuration in one word."""
    return "_".join(str(value) for value in params.values())


def get_problem_size(problem_size: Any, params: Mapping[str, Any]) -> list[int]:
    """Returns the problem size of a configuration in three dimensions."""
    return problem_extents(problem_size, params)


def get_thread_block_dimensions(params: Mapping[str, Any], block_size_names: Any = None) -> tuple[int, int, int]:
    """Returns the threads of a block."""
    return thread_block(block_size_names or default_block_size_names, params)


def get_grid_dimensions(current_problem_size: Any, params: Mapping[str, Any], grid_div: Sequence[Any],
                        block_size_names: Sequence[str]) -> tuple[int, ...]:  # fmt: skip
    """Returns the number of blocks in each dimension."""
    return Geometry(tuple(current_problem_size), grid_div, block_size_names).grid(params)


def get_kernel_string(kernel_source: Any, params: Mapping[str, Any] | None = None) -> str:
    """Returns the text of a source: a text, a file, or a function of the configuration."""
    from .sources import KernelSource

    return KernelSource("", kernel_source, "C", None).text(kernel_source, dict(params or {}))


def process_metrics(params: Entry, metrics: Mapping[str, Any] | None) -> Entry:
    """Adds metrics to a result."""
    return with_metrics(params, metrics)


__all__ = [
    "CompilationFailedConfig", "ErrorConfig", "InvalidConfig", "NpEncoder", "RuntimeFailedConfig", "block_names",
    "close_cache", "default_block_size_names", "delete_temp_file", "detect_language", "get_best_config",
    "get_config_string", "get_grid_dimensions", "get_instance_string", "get_kernel_string", "get_objective_defaults",
    "get_pareto_results", "get_problem_size", "get_thread_block_dimensions", "looks_like_a_filename",
    "objective_default_map", "process_metrics", "read_cache", "replace_param_occurrences",
]  # fmt: skip
