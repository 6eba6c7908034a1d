"""Types that annotations name. Nothing imports this file while a program runs, so that importing stays quick."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Union

Configuration = dict[str, Any]
"""The value of each parameter: a number, a boolean or a text."""
Record = dict[str, Any]
"""A configuration with its results: the parameters, `time` (seconds; None if it failed), `status`, `message`,
`verified`, `samples` (seconds), `phases` (seconds of compiling, checking and measuring) and each metric."""
Constraint = Union[str, Callable[..., object]]
"""A text in Python's syntax (docs/formats/expressions.md), or a function. The parameters of a function are names of
tuning parameters, whose values it gets, or a single other name, for the configuration as a dict."""
Expression = Union[int, str, Callable[..., object]]
"""A number, a text in the parameters and sizes, or a function of the configuration."""
Dimensions = Union[Expression, Sequence[Expression]]
"""One to three expressions, or a function that returns one to three numbers."""
Metric = Union[str, Callable[[Record], float]]
"""A metric: its name, an expression, or a function of a correct result."""
Check = Callable[..., bool]
"""A check of outputs: it gets a dict of arrays by name and the configuration, and returns True or False."""
