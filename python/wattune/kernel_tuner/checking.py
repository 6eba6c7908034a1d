"""The check of outputs: `answer`, `atol`, `verify` and observers of outputs."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .._errors import wrong
from .accuracy import Tunable
from .observing import Observation
from .problem import KernelProblem, contiguous, dtype_of, is_array, on_host

RELATIVE = 1e-5
"""The relative tolerance of numpy.allclose(), which Kernel Tuner compares with."""


def with_tolerance(verify: Callable[..., Any] | None) -> Callable[[Any, Any, float], bool] | None:
    """Returns a function of answer, outputs and tolerance, whether the caller's takes `atol` or not."""
    if verify is None:
        return None
    if not callable(verify):
        raise wrong("verify is a function of answer and outputs", repr(verify))
    try:
        parameters = inspect.signature(verify).parameters.values()
        takes_it = any(each.name == "atol" or each.kind is each.VAR_KEYWORD for each in parameters)
    except (TypeError, ValueError):
        takes_it = False

    def checked(answer: Any, outputs: Any, atol: float) -> bool:
        found = verify(answer, outputs, atol=atol) if takes_it else verify(answer, outputs)
        if found is None:
            raise TypeError("the function `verify` returned None; it returns True or False")
        return bool(found)

    return checked


def checked_answer(
    answer: Any, arguments: Sequence[Any], params: Mapping[str, Any], *, by_function: bool
) -> list[Any] | None:
    """Returns the expected outputs by position, None for what is not compared.

    Raises TypeError for another number of entries or another type, ValueError for another size. Whatever a function of
    the caller's compares may be of any type and size.
    """
    if answer is None:
        return None
    given = answer.select_for_configuration(params) if isinstance(answer, Tunable) else answer
    found = list(given)
    if len(found) != len(arguments):
        raise TypeError(f"`answer` has {len(found)} entries for {len(arguments)} arguments; write None for inputs")
    for position, (expected, argument) in enumerate(zip(found, arguments)):
        if expected is not None and not by_function:
            _check_entry(position, expected, argument)
    return None if all(each is None for each in found) else found


def _check_entry(position: int, expected: Any, argument: Any) -> None:
    import numpy

    if not is_array(argument):
        if getattr(expected, "shape", None) != ():
            raise TypeError(f"entry {position} of `answer` is for a number, which a kernel cannot change; write None")
        return
    if not is_array(expected):
        raise TypeError(f"entry {position} of `answer` is a {type(expected).__name__}, and the argument is an array")
    one, other = dtype_of(argument), dtype_of(expected)
    if not numpy.can_cast(one, other):
        raise TypeError(f"entry {position} of `answer` has the type {other}, and the argument {one}")
    there, here = (math.prod(each.shape) for each in (argument, expected))
    if there != here:
        raise ValueError(f"entry {position} of `answer` has {here} elements, and the argument {there}")


def _all_close(answer: Any, outputs: Sequence[Any], atol: float) -> bool:
    import numpy

    pairs = [(a, b) for a, b in zip(answer, outputs) if a is not None and b is not None]
    return all(numpy.allclose(a.ravel(), b.ravel(), rtol=RELATIVE, atol=atol, equal_nan=True) for a, b in pairs)


class Check:
    """How the outputs of a problem are checked: by the library, or by functions of the caller's."""

    def __init__(self, answer: list[Any] | None, arguments: Sequence[Any], atol: float,
                 verify: Callable[..., Any] | None, observation: Observation) -> None:  # fmt: skip
        self._answer = answer
        self._atol = atol
        self._verify = with_tolerance(verify)
        self._observation = observation
        if not self.by_function and any(
            dtype_of(expected) != dtype_of(argument)
            for expected, argument in zip(answer or (), arguments)
            if expected is not None and is_array(argument)
        ):
            self._verify = _all_close  # the library compares elements of one type

    @property
    def by_function(self) -> bool:
        """True if a function sees the outputs."""
        return self._verify is not None or bool(self._observation.of_outputs)

    def describe(self, problem: KernelProblem) -> None:
        """Adds the answer to what the library compares, unless a function decides."""
        if self._answer is None or self.by_function:
            return
        answers = {}
        for position, array in problem.arrays.items():
            expected = self._answer[position]
            if expected is None:
                continue
            from .._arguments import array_from

            argument = problem.options.arguments[position]
            converted = contiguous(position, on_host(expected).astype(dtype_of(argument), copy=False))
            found = array_from(f"answer {position}", converted)
            assert found is not None and found.type == array.type
            answers[problem.description["arguments"][position]["name"]] = found.copy()
            problem.description["arguments"][position]["compared"] = True
        problem.description.update(answers=answers, absolute=self._atol, relative=RELATIVE)

    def function(self, problem: KernelProblem, key: Callable[[Mapping[str, Any]], str]) -> Callable[..., bool]:
        """Returns the check as wattune.tune() takes it: a function of outputs by name and the configuration."""

        def check(outputs: dict[str, Any], params: dict[str, Any]) -> bool:
            by_position = problem.host_outputs(outputs)
            answer = None
            if self._answer is not None:
                answer = [on_host(each) for each in self._answer]
                by_position = [
                    None if expected is None or output is None else _shaped(output, given)
                    for expected, output, given in zip(answer, by_position, problem.options.arguments)
                ]
            else:
                by_position = [
                    None if output is None else _shaped(output, given)
                    for output, given in zip(by_position, problem.options.arguments)
                ]
            if self._observation.of_outputs:
                self._observation.take_outputs(key(params), answer, by_position)
            return self._verify is None or self._verify(answer, by_position, self._atol)

        return check


def _shaped(output: Any, given: Any) -> Any:
    import numpy

    host = numpy.array(output)
    dtype = dtype_of(given)
    return (host if host.dtype == dtype else host.view(dtype)).reshape(given.shape)
