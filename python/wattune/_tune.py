"""tune() and run(): a kernel and its arguments in, results out."""

from __future__ import annotations

import atexit
import os
import signal
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import FrameType
from typing import Any, Union

from . import _core
from ._arguments import array_from, current_stream, scalar_from, stream_handle
from ._errors import CancelledError, wrong
from ._functions import describe, name_of
from ._log import deliver, listen
from ._problem import Dimensions, Expression, Local, Problem, answers_from, from_file, from_kernel, is_spec
from ._progress import display
from ._results import Record, Results
from ._space import Configuration, Constraint

Metric = Union[str, Callable[[Record], float]]
"""A metric: its name, an expression, or a function of a correct result."""
Check = Callable[..., bool]
"""A check of outputs: it gets a dict of arrays by name and the configuration, and returns True or False."""

_BOARD = ("power", "energy", "dynamic_energy", "temperature", "voltage")
_POLL_SECONDS = 0.1  # between two looks at the progress of a run
_GRACE_SECONDS = 0.8  # that a run gets to end after the second interrupt


class _Interrupts:
    """Counts the interrupts (SIGINT) of the main thread while a run goes on.

    Python's own handler would raise KeyboardInterrupt anywhere. A handler of the application's stays.
    """

    def __init__(self, run: _core.Run) -> None:
        self.count = 0
        self._run = run
        self._before: Any = None

    def take(self, number: int = 0, frame: FrameType | None = None) -> None:
        """Takes an interrupt: the first ends the run after the launch in flight, the second at once."""
        self.count += 1
        if self.count == 1:
            self._run.cancel()
        else:
            self._run.abort()

    def __enter__(self) -> _Interrupts:
        is_main = threading.current_thread() is threading.main_thread()
        if is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._before = signal.signal(signal.SIGINT, self.take)
        return self

    def __exit__(self, *exception: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)


_RUNNING: set[_Worker] = set()


def _end_all() -> None:
    """Ends the runs of other threads when the interpreter exits; their journals have what was measured."""
    running = list(_RUNNING)
    if running:
        _core.expect_leaks()  # threads that the interpreter stops keep what they hold
    for each in running:
        each.is_at_exit = True
        each.abort()
    for each in running:
        each.wait(_GRACE_SECONDS)


class _Worker:
    """The thread of a run."""

    def __init__(self, run: _core.Run) -> None:
        self.error: BaseException | None = None
        self.is_at_exit = False
        self._run = run
        self._over = threading.Event()
        if not _RUNNING:
            atexit.unregister(_end_all)
            atexit.register(_end_all)
        _RUNNING.add(self)
        self._thread = threading.Thread(target=self._work, name="wattune", daemon=True)
        self._thread.start()

    def _work(self) -> None:
        try:
            self._run.execute()
        except BaseException as error:
            self.error = error
        finally:
            _RUNNING.discard(self)
            self._over.set()

    def abort(self) -> None:
        """Ends the run at once."""
        self._run.abort()

    def wait(self, seconds: float) -> bool:
        """Waits for the end; returns whether it came."""
        return self._over.wait(seconds)

    def end(self) -> None:
        """Waits until the thread has ended, too."""
        self._thread.join()


def _follow(worker: _Worker, run: _core.Run, interrupts: _Interrupts, progress: bool | None) -> None:
    shown = display(progress)
    try:
        while not worker.wait(_POLL_SECONDS):
            deliver()
            shown.show(run.progress())
            if interrupts.count > 1:
                worker.wait(_GRACE_SECONDS)
                return
    finally:
        shown.close()


def _execute(run: _core.Run, progress: bool | None) -> None:
    """Runs on a thread of its own. Raises what ended the run early."""
    with _Interrupts(run) as interrupts:
        worker = _Worker(run)
        while True:
            try:
                _follow(worker, run, interrupts, progress)
                break
            except KeyboardInterrupt:  # of an application's own handler
                interrupts.take()
            except BaseException:  # of such a handler, or of a handler of the log
                run.abort()
                worker.wait(_GRACE_SECONDS)
                raise
    if interrupts.count > 1:
        raise KeyboardInterrupt
    if worker.is_at_exit:
        raise SystemExit  # ends a thread without a word
    worker.end()
    deliver(run.notes())
    if worker.error is not None:
        error = worker.error
        worker.error = None
        if isinstance(error, CancelledError) and interrupts.count:
            raise KeyboardInterrupt from None
        raise error


def _with_note(error: BaseException, run: _core.Run) -> None:
    """Says in a note on the exception where the results so far are."""
    journal = run.journal()
    if journal and hasattr(error, "add_note"):
        error.add_note(f"the results so far are in {journal}")


def _text_or_function(given: Metric, figures: dict[str, Callable[[Record], float]]) -> str:
    if isinstance(given, str):
        return given
    figures[name_of(given)] = given
    return name_of(given)


def _as_metrics(given: Metric | Sequence[str] | None) -> Sequence[Metric]:
    if given is None:
        return ()
    return (given,) if isinstance(given, str) or callable(given) else given


class _Goals:
    """What a run measures and searches for, divided into texts and functions."""

    def __init__(self, metrics: Mapping[str, Metric] | None, minimize: Metric | Sequence[str] | None,
                 maximize: Metric | Sequence[str] | None, slowdown: float | None) -> None:  # fmt: skip
        self.figures: dict[str, Callable[[Record], float]] = {}
        self.objective = ""
        self.maximize = False
        self.texts: dict[str, Any] = {"metrics": {}, "slowdown": slowdown}
        for name, metric in (metrics or {}).items():
            if isinstance(metric, str):
                self.texts["metrics"][name] = metric
            else:
                self.figures[name] = metric
        objectives = []
        for given, greatest in ((minimize, False), (maximize, True)):
            objectives += [(_text_or_function(metric, self.figures), greatest) for metric in _as_metrics(given)]
        self._divide(objectives)
        self.observed = [name for name, _ in objectives if name in _BOARD]

    def _divide(self, objectives: list[tuple[str, bool]]) -> None:
        by_function = [each for each in objectives if each[0] in self.figures]
        if by_function and len(objectives) > 1:
            raise wrong("an objective by a function is the only one", by_function[0][0])
        if by_function:
            self.objective, self.maximize = by_function[0]
        elif objectives:
            self.texts["objectives"] = objectives

    def descriptions(self) -> dict[str, str]:
        """Returns the parts of the run's identity that the functions are."""
        return {f"metric {name}": describe(function) for name, function in self.figures.items()}


def _checked_stop(target: float | None, goals: _Goals) -> float | None:
    if target is None:
        return None
    objectives = goals.texts.get("objectives", [("time", False)])
    if goals.objective or objectives != [("time", False)]:
        raise wrong("`target` is a time, but the objective is another", goals.objective or objectives[0][0])
    return target * 1e9


def _judge(check: Check | None, problem: Problem) -> tuple[Callable[..., object], str] | None:
    if check is None:
        return None

    def judge(raw: Sequence[bytes], configuration: Configuration) -> bool:
        answer: object = check(problem.output_arrays(raw), configuration)
        if answer is None:
            raise TypeError(f"the check {name_of(check)} returned None; it returns True or False")
        return bool(answer)

    return judge, describe(check)


def _divide_observers(observers: Iterable[object]) -> tuple[list[object], list[object]]:
    """Divides observers into functions of each result and objects that measure (metrics, begin, end)."""
    functions: list[object] = []
    meters: list[object] = []
    for each in observers:
        if hasattr(each, "begin") and hasattr(each, "end") and hasattr(each, "metrics"):
            meters.append(each)
        elif callable(each):
            functions.append(each)
        else:
            raise wrong("an observer is a function, or has the methods metrics, begin and end", repr(each))
    return functions, meters


class _Call:
    """The kernel in one configuration, called like a function."""

    def __init__(self, spec: _core.Spec, device: str) -> None:
        self._kernel = _core.Kernel(spec, device)
        self._arguments = [each for each in spec.arguments() if each[1] != "other"]

    def __call__(self, *arguments: Any, stream: object = None, sizes: Mapping[str, int] | None = None) -> None:
        """Launches the kernel on the caller's arrays.

        Arrays of a CUDA device are used as they are, in `stream` or else in the current stream of their library, and
        the call does not wait. Arrays of the host are copied to the device, and those that the kernel writes are
        copied back. `sizes` are extents that no scalar argument tells.
        """
        given = [each for each in arguments if not isinstance(each, Local)]
        if len(given) != len(self._arguments):
            names = ", ".join(name for name, *_ in self._arguments)
            raise wrong(f"the kernel takes {len(self._arguments)} arguments ({names})", f"{len(given)} are given")
        arrays = []
        passed: list[Any] = []
        for (name, kind, type_, is_written), each in zip(self._arguments, given):
            if kind == "scalar":
                passed.append(scalar_from(name, each).raw)
                continue
            array = array_from(name, each)
            if array is None or array.type != type_:
                found = type(each).__name__ if array is None else array.type
                raise wrong(f"the argument `{name}` is no array of {type_}", found)
            arrays.append(array)
            passed.append((array, is_written))
        self._launch(passed, arrays, stream, dict(sizes or {}))

    def _launch(self, passed: list[Any], arrays: list[Any], stream: object, sizes: dict[str, int]) -> None:
        devices = {array.device for array in arrays}
        if len(devices) > 1:
            names = ["host" if each < 0 else f"cuda:{each}" for each in sorted(devices)]
            raise wrong("the arrays are on several devices", ", ".join(names))
        if devices and devices != {-1}:
            handle = current_stream(arrays) if stream is None else stream_handle(stream)
            addresses = [each if isinstance(each, bytes) else each[0].address for each in passed]
            self._kernel.call_cuda(addresses, handle, devices.pop(), sizes)
            return
        if stream is not None:
            raise wrong("a stream goes with arrays of a CUDA device")
        memory = [each if isinstance(each, bytes) else (each[0].address, each[0].bytes, each[1]) for each in passed]
        self._kernel.call_host(memory, sizes)


def _problem(kernel: Any, function: str | None, arguments: Any, parameters: Any, *, goals: dict[str, Any],
             sizes: Mapping[str, int] | None, constraints: Any, needs_source: bool, answer: Mapping[str, Any] | None,
             **described: Any) -> Problem:  # fmt: skip
    if is_spec(kernel):
        if function is not None or arguments is not None or parameters is not None:
            raise wrong("a spec has function, arguments and parameters of its own", os.fspath(kernel))
        problem = from_file(kernel, sizes=sizes or {}, constraints=constraints, goals=goals, needs_source=needs_source)
        if answer:
            answers_from(answer, problem.outputs)
            raise wrong("the answer of a spec stands in its [reference]", os.fspath(kernel))
        return problem
    return from_kernel(kernel, function, () if arguments is None else arguments, parameters or {}, sizes=sizes or {},
                       constraints=constraints, goals=goals, answer=answer, **described)  # fmt: skip


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
    listen()
    goals = _Goals(metrics, minimize, maximize, slowdown)
    texts = {**goals.texts, "absolute": absolute, "relative": relative}
    problem = None
    if kernel is not None:
        problem = _problem(
            kernel, function, arguments, parameters, goals=texts, sizes=sizes, constraints=constraints,
            needs_source=replay is None, answer=answer, outputs=outputs, block=block, grid=grid, shared=shared,
            default=default or {}, language=language, options=options, compiler=compiler,
        returned_time=returned_time,
        )  # fmt: skip
    elif replay is None:
        raise wrong("tune() needs a kernel, a spec or a replay")
    functions, meters = _divide_observers(observers)
    run_options: dict[str, Any] = {
        "device": device, "strategy": strategy, "strategy_options": dict(strategy_options or {}), "method": method,
        "seed": seed, "journal": None if journal is None else os.fspath(journal), "cache": cache,
        "stop": _core.StopRule(evaluations, seconds, _checked_stop(target, goals), fraction, no_improvement),
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
    try:
        _execute(run, progress)
    except BaseException as error:
        _with_note(error, run)
        raise
    make = None if problem is None or replay is not None else _kernel_maker(problem, run.device())
    return Results(run.results(), journal=run.journal(), make_kernel=make)


def _functions_of(problem: Problem | None, check: Check | None) -> dict[str, Any]:
    if problem is None:
        return {}
    return {"predicates": problem.predicates, "computed": problem.computed, "writer": problem.writer,
            "judge": _judge(check, problem)}  # fmt: skip


def _kernel_maker(problem: Problem, device: str) -> Callable[[Record], Callable[..., None]]:
    return lambda configuration: _Call(problem.fixed(configuration), device)


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
    listen()
    goals = _Goals(metrics, None, None, None)
    chosen = dict(configuration or {})
    problem = _problem(
        kernel, function, arguments, None if is_spec(kernel) else {name: [each] for name, each in chosen.items()},
        goals={**goals.texts, "absolute": absolute, "relative": relative}, sizes=sizes, constraints=(),
        needs_source=True, answer=answer, outputs=outputs, block=block, grid=grid, shared=shared, default={},
        language=language, options=options, compiler=compiler,
        returned_time=returned_time,
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
    _execute(one, False)
    return Results(one.results(), make_kernel=_kernel_maker(problem, one.device()), outputs=kept)


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
