"""The interface of Kernel Tuner 1.5.0 on Wattune: a script of Kernel Tuner's runs unchanged.

    from wattune.kernel_tuner import tune_kernel        # in the place of: from kernel_tuner import tune_kernel
    python -m wattune.kernel_tuner script.py            # runs a script as it is

docs/kernel_tuner.md says of each argument whether it means the same, differs or is refused.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .integration import create_device_targets, store_results
    from .interface import run_kernel, tune_cache, tune_kernel, tune_kernel_T1

__version__ = "1.5.0"
"""The version of Kernel Tuner whose interface this is."""

__all__ = [
    "__version__",
    "create_device_targets",
    "run_kernel",
    "store_results",
    "tune_cache",
    "tune_kernel",
    "tune_kernel_T1",
]

_HOMES = {
    "create_device_targets": "integration",
    "run_kernel": "interface",
    "store_results": "integration",
    "tune_cache": "interface",
    "tune_kernel": "interface",
    "tune_kernel_T1": "interface",
}
_MODULES = (
    "accuracy",
    "file_utils",
    "integration",
    "interface",
    "kernelbuilder",
    "nvml",
    "observers",
    "strategies",
    "util",
)


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name in _MODULES:
        return import_module("." + name, __name__)
    if name in _HOMES:
        value: object = getattr(import_module("." + _HOMES[name], __name__), name)
        globals()[name] = value
        return value
    from .refusals import refused_module

    error = refused_module(name)
    if error is not None:
        raise error
    raise AttributeError(f"module 'wattune.kernel_tuner' has no attribute {name!r}")
