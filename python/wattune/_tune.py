"""tune() and run(): a kernel and its arguments in, results out."""

from __future__ import annotations

import os

from . import _core
from ._errors import wrong
from ._goals import Goals, checked_stop, divide_observers, judge_from
from ._log import listen
from ._results import Results

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from ._problem import Problem
    from ._types import Check, Configuration, Constraint, Dimensions, Expression, Metric, Record


def tune(
    kernel: Any = None,
    function: str | None = None,
    arguments: Mapping[str, Any] | Sequence[Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
    *,
    outputs: Sequence[str] | None = None,
    block: Dimensions | None = None,
    grid: Dimensions | None = None,
    shared: Expression | None = None,
    sizes: Mapping[str, int] | None = None,
    constraints: Sequence[Constraint] | Constraint = (),
    default: Mapping[str, object] | None = None,
    answer: Mapping[str, Any] | None = None,
    check: Check | None = None,
    absolute: float | None = None,
    relative: float | None = None,
    check_outputs: str = "every",
    metrics: Mapping[str, Metric] | None = None,
    minimize: Metric | Sequence[str] | None = None,
    maximize: Metric | Sequence[str] | None = None,
    slowdown: float | None = None,
    observe: Sequence[str] = (),
    counters: Sequence[str] = (),
    observers: Iterable[object] = (),
    device: str = "auto",
    language: str | None = None,
    options: Sequence[str] = (),
    compiler: str | None = None,
    returned_time: str | None = None,
    strategy: str = "",
    strategy_options: Mapping[str, float] | None = None,
    method: str = "",
    evaluations: int | None = None,
    seconds: float | None = None,
    target: float | None = None,
    fraction: float | None = None,
    no_improvement: int | None = None,
    stop: Callable[[Record], bool] | None = None,
    seed: int = 1,
    journal: str | os.PathLike[str] | None = None,
    replay: Results | None = None,
    earlier: Sequence[Results] = (),
    cache: str = "warm",
    launch: str = "each",
    min_samples: int | None = None,
    max_samples: int | None = None,
    compile_seconds: float | None = None,
    run_seconds: float | None = None,
    compile_processes: int | None = None,
    in_process: bool = False,
    show_output: bool = False,
    progress: bool | None = None,
) -> Results:
    """Searches the configurations of a kernel for the best correct one.

    `kernel` is a source text, a file of one (.cu, .cl, .cc, .c), a function of the configuration that returns a text, a
    RawKernel of CuPy, or the file of a spec (.toml, .json), which has everything else. `function` is the kernel's name
    in the source. `arguments` are those of the kernel in its order, as a list or by name: arrays of NumPy, CuPy,
    PyTorch, or of anything with DLPack, a buffer or __cuda_array_interface__; NumPy or ctypes scalars; Local; Number;
    None for a null pointer. Arrays are contiguous and are copied: the caller's stay as they are. An integer scalar is
    also a size, by its name in the source. `parameters` are the values of each macro of the kernel.

    Geometry: `block` and `grid` are numbers, texts or functions of the configuration, one or a tuple of up to three;
    `grid` counts blocks. `shared` is dynamic shared memory in bytes. `sizes` are further names for expressions.

    Outputs: `outputs` names what the kernel writes (by default whatever it does not declare const). Each is compared
    with `answer`, a dict of arrays, within `absolute` + `relative` * |expected|, or without one with what the default
    configuration leaves; `check` is a function of the outputs and the configuration that returns True or False.

    Goal: the least time unless `minimize` or `maximize` names a metric, a figure of the board ("energy"), or a function
    of a result. `slowdown` bounds how much longer the best may take than the fastest (0.05). `metrics` are expressions
    or functions of a result. Several names make a Pareto front.

    Compiling: `options` go to the compiler. `compiler` is "nvcc" in place of NVRTC, or the program that compiles C and
    C++. `returned_time` is the unit ("ms") of the number that a function of the host returns as its time.

    Limits: `evaluations`, `seconds`, `target` (a time in seconds), `fraction` of the space, `no_improvement` (a number
    of evaluations), and `stop`, a function of each result that returns True to end the search, without a final.

    Measuring: `cache` is "warm" or "cold". `launch="graph"` times short kernels in CUDA graphs, so that the host does
    not rank them.

    Each result is in the file `journal` before the next launch; a journal that exists is continued. `replay` answers
    from results in place of a device; `earlier` results are what a strategy begins with.

    Kernels run in a worker process, which a crash ends alone. With `in_process` they run in this process, which a
    crashing kernel ends, with all that was not saved. Ctrl-C ends the run after the launch in flight and returns what
    was measured; a second one raises KeyboardInterrupt within a second. Whatever a function of the caller's raises ends
    the run after its result, and is raised here.

    Raises InvalidArgumentError, NotFoundError, MismatchError (an argument and the kernel, a journal and the problem),
    UnavailableError (no device, no compiler), and the others of Error.
    """
    from ._problem import problem_from  # loads what importing the package leaves alone
    from ._run import execute

    listen()
    goals = Goals(metrics, minimize, maximize, slowdown)
    texts = {**goals.texts, "absolute": absolute, "relative": relative}
    problem = None
    if kernel is not None:
        problem = problem_from(
            kernel, function, arguments, parameters, goals=texts, sizes=sizes, constraints=constraints,
            needs_source=replay is None, answer=answer, outputs=outputs, block=block, grid=grid, shared=shared,
            default=default or {}, language=language, options=options, compiler=compiler,
            returned_time=returned_time,
        )  # fmt: skip
    elif replay is None:
        raise wrong("tune() needs a kernel, a spec or a replay")
    functions, meters = divide_observers(observers)
    run_options: dict[str, Any] = {
        "device": device, "strategy": strategy, "strategy_options": dict(strategy_options or {}), "method": method,
        "seed": seed, "journal": None if journal is None else os.fspath(journal), "cache": cache,
        "stop": _core.StopRule(evaluations, seconds, checked_stop(target, goals), fraction, no_improvement),
        "launch": launch,
        "observe": list(dict.fromkeys([*observe, *goals.observed])), "counters": list(counters),
        "observers": functions, "meters": meters, "stop_function": stop, "check": check_outputs,
        "figures": list(goals.figures.items()), "objective": goals.objective, "maximize": goals.maximize,
        "descriptions": goals.descriptions(), "min_samples": min_samples, "max_samples": max_samples,
        "compile_seconds": compile_seconds, "run_seconds": run_seconds, "compile_processes": compile_processes,
        "in_process": in_process, "show_output": show_output, "earlier": [each._results for each in earlier],
        "replay": None if replay is None else replay._results, **_functions_of(problem, check),
    }  # fmt: skip
    run = _core.Run(None if problem is None else problem.spec, run_options)
    execute(run, progress)
    make = None if problem is None or replay is not None else _kernel_maker(problem, run.device())
    return Results(run.take_results(), journal=run.journal(), make_kernel=make)


def _functions_of(problem: Problem | None, check: Check | None) -> dict[str, Any]:
    if problem is None:
        return {}
    return {"predicates": problem.predicates, "computed": problem.computed, "writer": problem.writer,
            "judge": judge_from(check, problem)}  # fmt: skip


def _kernel_maker(problem: Problem, device: str) -> Callable[[Record], Callable[..., None]]:
    def make(configuration: Record) -> Callable[..., None]:
        from ._call import Call

        return Call(problem.fixed(configuration), device)

    return make


def run(
    kernel: Any,
    function: str | None = None,
    arguments: Mapping[str, Any] | Sequence[Any] | None = None,
    configuration: Mapping[str, object] | None = None,
    *,
    outputs: Sequence[str] | None = None,
    block: Dimensions | None = None,
    grid: Dimensions | None = None,
    shared: Expression | None = None,
    sizes: Mapping[str, int] | None = None,
    answer: Mapping[str, Any] | None = None,
    check: Check | None = None,
    absolute: float | None = None,
    relative: float | None = None,
    metrics: Mapping[str, Metric] | None = None,
    device: str = "auto",
    language: str | None = None,
    options: Sequence[str] = (),
    compiler: str | None = None,
    returned_time: str | None = None,
    cache: str = "warm",
    launch: str = "each",
    compile_seconds: float | None = None,
    run_seconds: float | None = None,
    in_process: bool = False,
    show_output: bool = False,
) -> Results:
    """Runs one configuration, checks its outputs and times it; the arguments are those of tune().

    The single result is `results[0]`, and `results.outputs` has the outputs by name. Parameters that `configuration`
    leaves out of a spec have their defaults. Raises as tune() does; a configuration that fails is a result.
    """
    from ._problem import is_spec, problem_from
    from ._run import execute

    listen()
    goals = Goals(metrics, None, None, None)
    chosen = dict(configuration or {})
    problem = problem_from(
        kernel, function, arguments, None if is_spec(kernel) else {name: [each] for name, each in chosen.items()},
        goals={**goals.texts, "absolute": absolute, "relative": relative}, sizes=sizes, constraints=(),
        needs_source=True, answer=answer, outputs=outputs, block=block, grid=grid, shared=shared, default={},
        language=language, options=options, compiler=compiler, returned_time=returned_time,
    )  # fmt: skip
    kept: dict[str, Any] = {}

    def keep(arrays: dict[str, Any], at: Configuration) -> bool:
        kept.update(arrays)
        return True if check is None else check(arrays, at)

    run_options = {
        "device": device, "configuration": chosen, "cache": cache, "launch": launch, "compile_seconds": compile_seconds,
        "run_seconds": run_seconds, "in_process": in_process, "show_output": show_output, "compile_processes": 0,
        "stop": _core.StopRule(1, None, None, None, None), "figures": list(goals.figures.items()),
        **_functions_of(problem, keep),
    }  # fmt: skip
    one = _core.Run(problem.spec, run_options)
    execute(one, False)
    return Results(one.take_results(), make_kernel=_kernel_maker(problem, one.device()), outputs=kept)


def devices() -> list[dict[str, Any]]:
    """Returns the facts of every device of this machine: selector, name, kind, backend, languages.

    Drivers are loaded by a worker process, not by this one. Raises UnavailableError if it cannot start.
    """
    return _core.devices()


def advise(
    kernel: Results,
    others: Sequence[Results],
    *,
    clocks: int = 2,
    slowdown: float | None = None,
    power: float | None = None,
    confidence: float = 0.9,
) -> dict[str, Any]:
    """Names the clock of least energy of a kernel, from results of `others` on the same board.

    All results are recordings of a kernel at several graphics clocks, with times and joules. `clocks` of the kernel's
    are taken as measured, the highest first. `slowdown` is how much longer than at the highest clock it may take (0.1),
    `power` how many watts the board may draw, and `confidence` the probability with which both are to be kept. Raises
    InvalidArgumentError for fewer than three other kernels, NotFoundError if no clock keeps the limits.

    Method: Gaussian regression on curves of time and energy (docs/model.md).
    """
    return _core.advise(kernel._results, [each._results for each in others], clocks, slowdown, power, confidence)
