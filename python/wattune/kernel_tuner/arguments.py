"""The arguments of tune_kernel() and run_kernel(): defaults, and whether each means what it does in Kernel Tuner."""

from __future__ import annotations

from typing import Any, NamedTuple

REQUIRED = object()
"""The default of an argument that must be given."""


class Argument(NamedTuple):
    """One argument. The table of docs/kernel_tuner.md holds these, and a test compares them."""

    name: str
    default: Any
    verdict: str  # "same", "differs" or "refused"
    note: str  # how it differs and which argument undoes that, or what to use instead


_SAME = "same"
_DIFFERS = "differs"
_REFUSED = "refused"

_COMPILER = 'serves `lang="C"`; with CUDA only `nvcc` is taken, others are refused instead of passed over'
_OPTIONS = 'host code is compiled with `-O2` and C++20 first; `compiler_options=["-O0", "-std=..."]` undoes it'
_DEVICE = "Ray is not needed; `parallel` adds the other devices of this machine"
_SOURCE = "host code that launches kernels itself (nvcc) is refused: tune the kernel that it launches"
_LANG = "`HIP`, `JULIA`, `HYPERTUNER` and `PYCUDA` are refused; the CUDA names all mean NVRTC"
_TEXTURES = "refused: texture references are gone since CUDA 12; an image of a [spec](spec.md) is a texture object"

TUNE_KERNEL = (
    Argument("kernel_name", REQUIRED, _SAME, ""),
    Argument("kernel_source", REQUIRED, _DIFFERS, _SOURCE),
    Argument("problem_size", REQUIRED, _SAME, ""),
    Argument("arguments", REQUIRED, _DIFFERS,
             "the caller's arrays are copied, never written; a write past an argument's end fails the configuration"),
    Argument("tune_params", REQUIRED, _SAME, ""),
    Argument("grid_div_x", None, _SAME, ""),
    Argument("grid_div_y", None, _SAME, ""),
    Argument("grid_div_z", None, _SAME, ""),
    Argument("restrictions", None, _DIFFERS,
             "a function is called, never read as text, so that it may capture variables; nothing undoes it"),
    Argument("answer", None, _DIFFERS,
             "a wrong output fails its configuration (`__error__`) and the search goes on; only if none is right, "
             "RuntimeError is raised; `verify` may raise to end the search"),
    Argument("atol", 1e-6, _SAME, ""),
    Argument("verify", None, _SAME, ""),
    Argument("verbose", False, _SAME, ""),
    Argument("lang", None, _DIFFERS, _LANG),
    Argument("device", 0, _SAME, ""),
    Argument("platform", 0, _SAME, ""),
    Argument("smem_args", None, _SAME, ""),
    Argument("cmem_args", None, _SAME, ""),
    Argument("texmem_args", None, _REFUSED, _TEXTURES),
    Argument("compiler", None, _DIFFERS, _COMPILER),
    Argument("compiler_options", None, _DIFFERS, _OPTIONS),
    Argument("defines", None, _SAME, ""),
    Argument("log", None, _SAME, ""),
    Argument("iterations", 7, _DIFFERS,
             "`time` is the median of these runs, not the mean; warm-up runs come before; `metrics` that read `times` "
             "undo it"),
    Argument("block_size_names", None, _SAME, ""),
    Argument("quiet", False, _SAME, ""),
    Argument("strategy", None, _DIFFERS,
             "the strategies are Wattune's own of these names; `skopt`, `pyatf_strategies` and objects of one's own "
             "are refused; `None` runs the whole space and undoes it"),
    Argument("strategy_options", None, _DIFFERS,
             "options go to Wattune's searches; one without a counterpart is named in a warning; leaving it out "
             "undoes it"),
    Argument("cache", None, _SAME, ""),
    Argument("metrics", None, _SAME, ""),
    Argument("simulation_mode", None, _SAME, ""),
    Argument("parallel", None, _DIFFERS, _DEVICE),
    Argument("observers", None, _DIFFERS,
             "NVML, NCU, Register, Accuracy and observers of one's own without hooks of each iteration; the others are "
             "refused by name"),
    Argument("objective", None, _SAME, ""),
    Argument("objective_higher_is_better", None, _SAME, ""),
    Argument("objectives", None, _SAME, ""),
    Argument("seed", None, _DIFFERS, "every strategy takes it; without one the seed is 1, and a run can be repeated"),
)  # fmt: skip
"""The arguments of tune_kernel(), in their order."""

RUN_KERNEL = (
    Argument("kernel_name", REQUIRED, _SAME, ""),
    Argument("kernel_source", REQUIRED, _DIFFERS, _SOURCE),
    Argument("problem_size", REQUIRED, _SAME, ""),
    Argument("arguments", REQUIRED, _DIFFERS, "as in tune_kernel(): the caller's arrays stay as they are"),
    Argument("params", REQUIRED, _SAME, ""),
    Argument("grid_div_x", None, _SAME, ""),
    Argument("grid_div_y", None, _SAME, ""),
    Argument("grid_div_z", None, _SAME, ""),
    Argument("lang", None, _DIFFERS, _LANG),
    Argument("device", 0, _SAME, ""),
    Argument("platform", 0, _SAME, ""),
    Argument("smem_args", None, _SAME, ""),
    Argument("cmem_args", None, _SAME, ""),
    Argument("texmem_args", None, _REFUSED, _TEXTURES),
    Argument("compiler", None, _DIFFERS, _COMPILER),
    Argument("compiler_options", None, _DIFFERS, _OPTIONS),
    Argument("defines", None, _SAME, ""),
    Argument("block_size_names", None, _SAME, ""),
    Argument("quiet", False, _SAME, ""),
    Argument("log", None, _SAME, ""),
)
"""The arguments of run_kernel(), in their order."""


def table() -> str:
    """Returns the table of the documentation, as Markdown."""
    lines = ["| argument | default | | |", "| --- | --- | --- | --- |"]
    for function, arguments in (("tune_kernel", TUNE_KERNEL), ("run_kernel", RUN_KERNEL)):
        lines.append(f"| **`{function}`**, {len(arguments)} arguments | | | |")
        for each in arguments:
            default = "" if each.default is REQUIRED else f"`{each.default}`"
            lines.append(f"| `{each.name}` | {default} | {each.verdict} | {each.note} |")
    return "\n".join(lines) + "\n"
