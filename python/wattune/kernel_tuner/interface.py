"""tune_kernel(), run_kernel() and tune_cache(), with the arguments of Kernel Tuner 1.5.0."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from .._errors import Error, wrong
from .._tune import run as run_configuration
from .accuracy import AccuracyObserver, Tunable
from .arguments import TUNE_KERNEL
from .caches import CacheFile, Header, read_cache
from .checking import checked_answer, with_tolerance
from .devices import MOST_THREADS, Device, find_device
from .geometry import DEFAULT_BLOCK_SIZE_NAMES, Geometry, block_names
from .metrics import Entry, Objectives, check_metrics
from .observing import Observation
from .problem import RUN_SECONDS, KernelOptions, KernelProblem, contiguous
from .refusals import refused
from .restrictions import constraints_from
from .results import Console, NothingCorrectError, warn
from .simulation import simulate
from .sources import KernelSource
from .strategies import TABLE, planned
from .tuning import Task, run

strategy_map = TABLE
"""The strategies by their names."""

_FORBIDDEN = ("grid_size_x", "grid_size_y", "grid_size_z", "time")
_PARALLEL = "KERNEL_TUNER_PARALLEL"


def _log_to_file(log: Any, kernel_name: str) -> None:
    if log:
        stamp = datetime.now().strftime("%Y%m%d-%H:%M:%S")
        logging.basicConfig(filename=f"{kernel_name}{stamp}.log", level=log)


def _options(kernel_name: str, kernel_source: Any, problem_size: Any, arguments: Sequence[Any], divisors: Sequence[Any],
             lang: str | None, smem_args: Any, cmem_args: Any, texmem_args: Any, compiler: str | None,
             compiler_options: Any, defines: Any, names: list[str]) -> KernelOptions:  # fmt: skip
    """Returns what tune_kernel() and run_kernel() share. Raises for whatever cannot be, before anything is compiled."""
    if texmem_args is not None:
        raise refused("texmem_args", "an image of a spec is a texture object (docs/formats/spec.md)")
    if defines is not None and not isinstance(defines, Mapping):
        raise wrong("defines are a dict of macros", type(defines).__name__)
    if isinstance(compiler_options, str):
        raise wrong("compiler_options are a list of texts", compiler_options)
    if not isinstance(arguments, (list, tuple)):
        raise TypeError(f"`arguments` is a list, not {type(arguments).__name__}")
    source = KernelSource(kernel_name, kernel_source, lang, compiler)
    for name, given in (("smem_args", smem_args), ("cmem_args", cmem_args)):
        if given and not source.is_cuda:
            raise refused(f"{name} for {source.lang}", "they belong to CUDA kernels")
    geometry = Geometry(problem_size, divisors, names)
    for position, each in enumerate(arguments):
        if not isinstance(each, Tunable):
            contiguous(position, each)
    return KernelOptions(source, geometry, arguments, smem_args, cmem_args, compiler_options, defines)


def _parameters(tune_params: Any) -> dict[str, list[Any]]:
    if not isinstance(tune_params, Mapping):
        raise wrong("tune_params are a dict from names to lists of values", type(tune_params).__name__)
    found: dict[str, list[Any]] = {}
    for name, values in tune_params.items():
        if name in _FORBIDDEN:
            raise wrong(f"no parameter may have the name `{name}`")
        if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
            raise wrong(f"the parameter `{name}` needs a list of values", repr(values))
        plain = [each.item() if hasattr(each, "item") else each for each in values]
        for each in plain:
            if not isinstance(each, (int, float, str)):
                what = f"value of the type {type(each).__name__} for the parameter `{name}`"
                raise refused(what, "number the values, or name them by texts, and look them up in a function")
        found[name] = list(dict.fromkeys(plain))
    return found


def tune_kernel(
    kernel_name: str,
    kernel_source: Any,
    problem_size: Any,
    arguments: Sequence[Any],
    tune_params: Mapping[str, Sequence[Any]],
    grid_div_x: Any = None,
    grid_div_y: Any = None,
    grid_div_z: Any = None,
    restrictions: Any = None,
    answer: Any = None,
    atol: float = 1e-6,
    verify: Any = None,
    verbose: bool = False,
    lang: str | None = None,
    device: int = 0,
    platform: int = 0,
    smem_args: Any = None,
    cmem_args: Any = None,
    texmem_args: Any = None,
    compiler: str | None = None,
    compiler_options: Any = None,
    defines: Any = None,
    log: Any = None,
    iterations: int = 7,
    block_size_names: Any = None,
    quiet: bool = False,
    strategy: Any = None,
    strategy_options: Any = None,
    cache: Any = None,
    metrics: Any = None,
    simulation_mode: Any = None,
    parallel: Any = None,
    observers: Any = None,
    objective: Any = None,
    objective_higher_is_better: Any = None,
    objectives: Any = None,
    seed: int | None = None,
) -> tuple[list[Entry], dict[str, Any]]:
    """Runs a kernel in the configurations of a space and returns the results and the environment.

    The arguments are those of Kernel Tuner 1.5.0; docs/kernel_tuner.md has a table that says of each whether it means
    the same. A result is a dict with the parameters, `time` and `times` in ms, figures of observers, metrics, the times
    of compiling, checking and measuring in ms, and a time stamp. A failed configuration has `__error__` in the place of
    a time. The environment has `device_name`, `best_config` and sums of times.

    Raises RefusedError for what Wattune does not have, InvalidArgumentError (a ValueError) and TypeError for wrong
    arguments, all before anything is compiled; NothingCorrectError (a RuntimeError) if no configuration is right.
    """
    _log_to_file(log, kernel_name)
    parameters = _parameters(tune_params)
    names = _block_names(block_size_names, parameters)
    check_metrics(metrics)
    goals = Objectives(objective, objective_higher_is_better, objectives)
    plan = planned(strategy, strategy_options)
    default = _start(strategy_options, parameters)
    if parallel is None:
        parallel = bool(os.environ.get(_PARALLEL))
    console = Console(quiet, verbose, [*parameters, *(metrics or {})], goals)
    header = Header("", kernel_name, "callable" if callable(problem_size) else problem_size, parameters, goals.names)
    if simulation_mode:  # compiles nothing, so that any language and source will do
        if parallel:
            raise wrong("simulation_mode and parallel exclude each other")
        constraints = constraints_from(restrictions, list(parameters), None)
        return simulate(cache, header, constraints, metrics, goals, plan, _seed(seed), default, console)
    options = _options(
        kernel_name, kernel_source, problem_size, arguments, (grid_div_x, grid_div_y, grid_div_z), lang, smem_args,
        cmem_args, texmem_args, compiler, compiler_options, defines, names,
    )  # fmt: skip
    facts = {"device": device, "platform": platform, "compiler": compiler, "lang": options.source.lang}
    observation = Observation(observers, facts)
    observation.check_parameters(list(parameters))
    if not isinstance(iterations, int) or iterations < 1:
        raise wrong("`iterations` is the number of runs, 1 or more", repr(iterations))
    with_tolerance(verify)
    source = options.source
    first = {name: values[0] for name, values in parameters.items() if values}
    if not any(isinstance(each, Tunable) for each in (*arguments, answer)):
        by_function = verify is not None or bool(observation.of_outputs)
        expected = checked_answer(answer, arguments, first, by_function=by_function)
        if expected is None and any(isinstance(each, AccuracyObserver) for each in observation.of_outputs):
            raise wrong("an AccuracyObserver compares outputs with `answer`, but there is none")
    limit = None if source.lang == "OPENCL" else MOST_THREADS
    constraints = constraints_from(restrictions, list(parameters), limit)
    found = find_device(source, device, platform, parallel, iterations, compiler_options)
    console.expect(found)
    observation.device.found = found
    observation.device.language = source.language
    file = None if not cache else CacheFile(cache, header._replace(device_name=found.cache_name))
    task = Task(
        options, parameters, constraints, answer, atol, verify, metrics, goals, observation, plan, iterations,
        _seed(seed), default, found, file, console,
    )  # fmt: skip
    if verbose:
        from .._space import Space

        print(f"Searchspace has {len(Space(parameters, constraints))} configurations after restrictions.")
    return run(task)


def _block_names(given: Any, parameters: Mapping[str, Any]) -> list[str]:
    names = block_names(given, parameters)
    for name in given or ():
        if name not in parameters:
            warn(f"Block size name {name} is not specified in the tunable parameters list!")
    if given is None and not any(name.lower() in DEFAULT_BLOCK_SIZE_NAMES for name in parameters):
        warn("None of the tunable parameters specify thread block dimensions!")
    return names


def _seed(seed: int | None) -> int:
    return 1 if seed is None else int(seed)


def _start(strategy_options: Any, parameters: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    """Returns the configuration with which a search begins, from the option x0."""
    x0 = (strategy_options or {}).get("x0")
    if x0 is None:
        return {}
    if len(x0) != len(parameters):
        raise wrong("`x0` has a value for each parameter", list(x0))
    return dict(zip(parameters, x0))


def run_kernel(
    kernel_name: str,
    kernel_source: Any,
    problem_size: Any,
    arguments: Sequence[Any],
    params: Mapping[str, Any],
    grid_div_x: Any = None,
    grid_div_y: Any = None,
    grid_div_z: Any = None,
    lang: str | None = None,
    device: int = 0,
    platform: int = 0,
    smem_args: Any = None,
    cmem_args: Any = None,
    texmem_args: Any = None,
    compiler: str | None = None,
    compiler_options: Any = None,
    defines: Any = None,
    block_size_names: Any = None,
    quiet: bool = False,
    log: Any = None,
) -> list[Any]:
    """Runs a kernel once and returns all of its arguments after the run, as NumPy arrays and numbers.

    The arguments are those of tune_kernel(), with one configuration, `params`. Raises RuntimeError if it fails.
    """
    _log_to_file(log, kernel_name)
    configuration = dict(params)
    names = block_names(block_size_names, configuration)
    options = _options(
        kernel_name, kernel_source, problem_size, arguments, (grid_div_x, grid_div_y, grid_div_z), lang, smem_args,
        cmem_args, texmem_args, compiler, compiler_options, defines, names,
    )  # fmt: skip
    found = find_device(options.source, device, platform, False, 1, compiler_options)
    if not quiet:
        print(f"Using: {found.name}")
    return run_once(options, configuration, found)


def run_once(options: KernelOptions, configuration: dict[str, Any], device: Device) -> list[Any]:
    """Runs a configuration once and returns all arguments after it."""
    arguments = [each.select_for_configuration(configuration) if isinstance(each, Tunable) else each
                 for each in options.arguments]  # fmt: skip
    options = options._replace(arguments=arguments)
    problem = KernelProblem(
        options, {name: [value] for name, value in configuration.items()}, configuration, None, (), {}
    )
    problem.description["returned_time"] = ""
    try:
        results = run_configuration(
            problem, configuration=configuration, device=device.selector, run_seconds=RUN_SECONDS
        )
    except Error:
        device.require()
        raise
    finally:
        problem.close()
    record = results[0]
    if record["status"] != "correct":
        text = f"the kernel `{options.source.name}` failed: {record['message'] or record['status']}"
        error = NothingCorrectError(text)
        error.message = text
        raise error
    return problem.after(results.outputs)


def tune_cache(cache_path: Any, restrictions: Any = None, **kwargs: Any) -> tuple[list[Entry], dict[str, Any]]:
    """Searches a recorded cache, with further restrictions (a list) and any argument of tune_kernel()."""
    found = read_cache(cache_path)
    size = found.get("problem_size", 1)
    if size == "callable":
        raise wrong(
            "the problem size of this cache was a function", cache_path, "call tune_kernel(simulation_mode=True)"
        )
    if restrictions and not isinstance(restrictions, list):
        raise wrong("the restrictions of tune_cache() are a list", repr(restrictions))
    unknown = [name for name in kwargs if name not in [each.name for each in TUNE_KERNEL]]
    if unknown:
        raise TypeError(f"tune_kernel() has no argument `{unknown[0]}`")
    names = list(found["tune_params_keys"])
    correct = {tuple(entry[name] for name in names) for entry in found["cache"].values() if "__error__" not in entry}

    def is_recorded(wattune_configuration: Mapping[str, Any]) -> bool:
        return tuple(wattune_configuration[name] for name in names) in correct

    given: dict[str, Any] = {
        "kernel_name": found["kernel_name"], "kernel_source": "", "problem_size": size, "arguments": [],
        "tune_params": found.get("tune_params") or _values_in(found), **kwargs, "cache": cache_path,
        "restrictions": [is_recorded, *(restrictions or [])], "simulation_mode": True,
    }  # fmt: skip
    return tune_kernel(**given)


def _values_in(found: Mapping[str, Any]) -> dict[str, list[Any]]:
    entries = found["cache"].values()
    return {name: list(dict.fromkeys(entry[name] for entry in entries)) for name in found["tune_params_keys"]}


def tune_kernel_T1(*_: Any, **__: Any) -> Any:
    """Is refused: the command `wattune tune` takes T1 files themselves."""
    raise refused(
        "tune_kernel_T1", "`wattune tune input.json` reads the file, and wattune.tune('input.json') does, too"
    )
