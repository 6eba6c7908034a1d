"""What Kernel Tuner has and this package does not: each by its name, with what to use instead."""

from __future__ import annotations

import builtins

from .._errors import UnavailableError

REPOSITORY = "docs/kernel_tuner.md"
_INTERNALS = "tune_kernel and run_kernel are the interface; scripts that change internals need Kernel Tuner itself"


class RefusedError(UnavailableError, NotImplementedError):
    """A part of Kernel Tuner that Wattune does not have. str() is one line, which says what to use instead."""


class RefusedImportError(RefusedError, builtins.ImportError):
    """A module of Kernel Tuner that Wattune does not have."""


LANGUAGES = {
    "HIP": "run it on a CUDA or OpenCL device, or replay a cache with simulation_mode=True",
    "JULIA": 'write the kernel in CUDA, OpenCL or C++ (lang="CUDA")',
    "HYPERTUNER": "wattune score compares strategies on recorded spaces",
    "PYCUDA": 'lang="CUDA" compiles the same kernel with NVRTC, and compiler="nvcc" with nvcc',
}
"""The languages that are refused, and what to use."""

STRATEGIES = {
    "skopt": 'strategy="bayes_opt" searches by a model, too',
    "pyatf_strategies": "auc_bandit, pattern_search and torczon of wattune.tune() are its techniques",
}
"""The strategies that are refused, and what to use."""

MODULES = {
    "utils.directives": "write the loop as a kernel, or tune the whole function with lang='C'",
    "observers.pmt": "NVMLObserver(['nvml_energy', 'nvml_power']) measures the board",
    "observers.powersensor": "NVMLObserver(['nvml_energy', 'nvml_power']) measures the board",
    "observers.tegra": "NVMLObserver measures boards that NVML knows",
    "observers.amd": "NVMLObserver measures boards that NVML knows",
    "observers.julia": "NVMLObserver and NCUObserver serve CUDA kernels",
    "energy": "wattune advise names the clock of least energy from recordings at several clocks",
    "energy.energy": "wattune advise names the clock of least energy from recordings at several clocks",
    "hyper": "wattune score compares strategies and their options on recorded spaces",
    "searchspace": "wattune.Space(parameters, constraints) counts, lists and samples configurations",
    "core": _INTERNALS,
    "backends": _INTERNALS,
    "runners": _INTERNALS,
    "strategies.common": "wattune.Search proposes configurations, and a program of one's own measures them",
    "strategies.wrapper": "wattune.Search proposes configurations, and a program of one's own measures them",
}
"""The modules that are refused, and what to use."""


def refused(what: str, instead: str) -> RefusedError:
    """Returns the error for a part of Kernel Tuner that is not to be had."""
    error = RefusedError(f"wattune.kernel_tuner has no {what}: {instead} ({REPOSITORY})")
    error.message = f"wattune.kernel_tuner has no {what}"
    error.hint = instead
    return error


def refused_module(name: str) -> RefusedImportError | None:
    """Returns the error for a module, named without its package; None if the module is not refused."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        instead = MODULES.get(".".join(parts[:length]))
        if instead is not None:
            error = RefusedImportError(f"wattune.kernel_tuner has no module `{name}`: {instead} ({REPOSITORY})")
            error.message = f"wattune.kernel_tuner has no module `{name}`"
            error.hint = instead
            return error
    return None
