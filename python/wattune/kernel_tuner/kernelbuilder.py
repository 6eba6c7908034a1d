"""PythonKernel: a kernel in one configuration, called like a function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._call import Call
from .._errors import wrong
from .devices import find_device
from .geometry import Geometry, block_names
from .integration import TuneResults
from .problem import KernelOptions, KernelProblem, contiguous, is_array
from .sources import KernelSource


def _is_of_host(given: Any) -> bool:
    return is_array(given) and not hasattr(given, "__cuda_array_interface__") and not hasattr(given, "detach")


class PythonKernel:
    """A kernel that is compiled once and called many times.

    `inputs` and `outputs` tell for each argument whether the call copies it to the device and returns it. By default
    that is every array. A call returns a list of the outputs as new NumPy arrays and leaves the caller's as they are.
    Arrays of a device (CuPy, PyTorch) are used where they are, in their library's stream, and are not in that list.
    With `results_file` the parameters are those of the best configuration that store_results() wrote for this device
    and problem size. All other arguments are those of run_kernel().
    """

    def __init__(
        self,
        kernel_name: str,
        kernel_string: Any,
        problem_size: Any,
        arguments: Sequence[Any],
        params: Mapping[str, Any] | None = None,
        inputs: Sequence[bool] | None = None,
        outputs: Sequence[bool] | None = None,
        device: int = 0,
        platform: int = 0,
        block_size_names: Any = None,
        grid_div_x: Any = None,
        grid_div_y: Any = None,
        grid_div_z: Any = None,
        verbose: bool = True,
        lang: str | None = None,
        results_file: Any = None,
    ) -> None:
        source = KernelSource(kernel_name, kernel_string, lang, None)
        found = find_device(source, device, platform, False, 1, None)
        self.params = dict(params or {})
        if results_file:
            best = TuneResults(results_file).get_best_config(found.name, problem_size)
            self.params.update(best)
        names = block_names(block_size_names, self.params)
        geometry = Geometry(problem_size, (grid_div_x, grid_div_y, grid_div_z), names)
        self.inputs = list(inputs) if inputs else [True for _ in arguments]
        self.outputs = list(outputs) if outputs else [True for _ in arguments]
        for what, given in (("inputs", self.inputs), ("outputs", self.outputs)):
            if len(given) != len(arguments):
                raise wrong(f"`{what}` has a value for each argument", f"{len(given)} for {len(arguments)} arguments")
        self._kept = list(arguments)
        options = KernelOptions(source, geometry, self._kept, None, None, None, None)
        parameters = {name: [value] for name, value in self.params.items()}
        self._problem = KernelProblem(options, parameters, self.params, None, (), {})
        self._problem.description["returned_time"] = ""
        self._call = Call(self._problem.fixed(self.params), found.selector)
        self._problem.close()

    def run_kernel(self, args: Sequence[Any]) -> list[Any]:
        """Runs the kernel and returns its outputs, a list of arrays. `args` are the kernel's arguments."""
        if len(args) != len(self._kept):
            raise wrong(f"the kernel takes {len(self._kept)} arguments", f"{len(args)} are given")
        passed: list[Any] = []
        for position, given in enumerate(args):
            if _is_of_host(given):
                taken = given if self.inputs[position] else self._kept[position]
                passed.append(contiguous(position, taken.copy()))
            else:
                passed.append(contiguous(position, given))
        self._call(*passed)
        results = []
        for position, (array, given) in enumerate(zip(passed, args)):
            if _is_of_host(given):
                self._kept[position] = array
                if self.outputs[position]:
                    results.append(array.view(given.dtype).reshape(given.shape))
        return results

    def __call__(self, *args: Any) -> list[Any]:
        """Runs the kernel as run_kernel() does."""
        return self.run_kernel(args)
