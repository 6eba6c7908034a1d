"""Arguments that depend on a parameter, and the error of outputs as a figure."""

from __future__ import annotations

import re
from collections import UserDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .observers import OutputObserver


class Tunable(UserDict[Any, Any]):
    """An argument that is one of several arrays, chosen by the value of a parameter.

    `param_key` is the name of the parameter, an expression in parameters, or a function of the configuration.
    """

    def __init__(self, param_key: Any, arrays: Mapping[Any, Any] | Sequence[Any]) -> None:
        super().__init__(dict(enumerate(arrays)) if isinstance(arrays, (tuple, list)) else arrays)
        self.param_key = param_key

    def option(self, params: Mapping[str, Any]) -> Any:
        """Returns the key of the array for a configuration."""
        if callable(self.param_key):
            return self.param_key(params)
        if self.param_key in params:
            return params[self.param_key]
        return eval(self.param_key, dict(params))

    def select_for_configuration(self, params: Mapping[str, Any]) -> Any:
        """Returns the array for a configuration. Raises KeyError if there is none for the parameter's value."""
        option = self.option(params)
        if option not in self.data:
            known = ", ".join(map(str, self.data))
            raise KeyError(f"there is no array for {option!r} of {self.param_key!r}, only for {known}")
        chosen = self.data[option]
        return chosen.select_for_configuration(params) if isinstance(chosen, Tunable) else chosen

    def __call__(self, params: Mapping[str, Any]) -> Any:
        return self.select_for_configuration(params)


def _bfloat16() -> Any:
    try:
        import ml_dtypes
    except ImportError:
        return None
    return ml_dtypes.bfloat16


_NAMES = {
    "half": "float16", "f16": "float16", "__half": "float16", "khalf": "float16", "16": "float16",
    "float": "float32", "single": "float32", "f32": "float32", "kfloat": "float32", "32": "float32",
    "double": "float64", "f64": "float64", "kdouble": "float64", "64": "float64",
    "bf16": "bfloat16", "kbfloat16": "bfloat16", "__nv_bfloat16": "bfloat16",
}  # fmt: skip


def _to_float_dtype(name: Any) -> Any:
    """Returns the NumPy type of a name such as half, f32 or bfloat16."""
    import numpy

    key = str(name).lower() if isinstance(name, (str, int)) else name
    key = _NAMES.get(key, key) if isinstance(key, str) else key
    found = _bfloat16() if key == "bfloat16" else None
    return found if found is not None else numpy.dtype(key)


class TunablePrecision(Tunable):
    """An argument whose precision is the value of a parameter.

    `array` is converted to each type of `dtypes`, which is a dict from values of the parameter to NumPy types, or a
    list of names. By default these are half, float and double, and bfloat16 if ml_dtypes is there.
    """

    def __init__(self, param_key: Any, array: Any, dtypes: Mapping[str, Any] | Sequence[str] | None = None) -> None:
        import numpy

        if not dtypes:
            dtypes = {"half": numpy.float16, "float": numpy.float32, "double": numpy.float64}
            found = _bfloat16()
            if found is not None:
                dtypes["bfloat16"] = found
        if not isinstance(dtypes, Mapping):
            dtypes = {name: _to_float_dtype(name) for name in dtypes}
        source = array if isinstance(array, numpy.generic) else numpy.array(array)
        super().__init__(param_key, {name: source.astype(dtype) for name, dtype in dtypes.items()})


_WORDS = {"average": "mean", "avg": "mean", "square": "squared", "sq": "squared", "max": "maximum", "rel": "relative",
          "abs": "absolute", "log": "logarithmic"}  # fmt: skip
_METRICS = {
    "mse": "mse", "mean squared": "mse", "rmse": "rmse", "root mean squared": "rmse", "nrmse": "nrmse",
    "normalized root mean squared": "nrmse", "mae": "mae", "absolute": "mae", "mean absolute": "mae", "mre": "mre",
    "relative": "mre", "mean relative": "mre", "rmsre": "rmsre", "root mean squared relative": "rmsre", "male": "male",
    "mean absolute logarithmic": "male", "rmsle": "rmsle", "root mean squared logarithmic": "rmsle",
    "maximum absolute": "max", "maximum": "max", "maximum relative": "maxrel",
}  # fmt: skip


def error_metric_from_name(user_key: str, EPS: float = 1e-8) -> Callable[[Any, Any], Any]:
    """Returns the function of expected and actual outputs (arrays of equal shape) that a name stands for.

    The names are MSE, RMSE, NRMSE, MAE, MRE, RMSRE, MALE, RMSLE, max and max rel, also written out ("mean squared
    error"). `EPS` is the least magnitude by which relative errors divide. Raises ValueError for any other name.
    """
    import numpy

    key = re.sub(r"[\s_-]+", " ", re.sub(r"\berror\b", " ", user_key.lower())).strip()
    key = " ".join(_WORDS.get(word, word) for word in key.split(" "))
    kind = _METRICS.get(key)
    if kind is None:
        raise ValueError(f"there is no error metric `{user_key}` (MSE, RMSE, NRMSE, MAE, MRE, RMSRE, MALE, RMSLE, max)")

    def error(expected: Any, actual: Any) -> Any:
        a = expected.astype(numpy.float64, copy=False)
        b = actual.astype(numpy.float64, copy=False)
        apart = a - b
        mean = numpy.average
        if kind == "mse":
            return mean(apart**2)
        if kind == "rmse":
            return numpy.sqrt(mean(apart**2))
        if kind == "nrmse":
            return numpy.sqrt(mean(apart**2) / mean(a**2))
        if kind == "mae":
            return mean(numpy.abs(apart))
        if kind == "mre":
            return mean(numpy.abs(apart) / numpy.maximum(numpy.abs(a), EPS))
        if kind == "rmsre":
            return numpy.sqrt(mean(apart**2 / numpy.maximum(a, EPS) ** 2))
        if kind == "male":
            return mean(numpy.abs(numpy.log10(a + EPS) - numpy.log10(b + EPS)))
        if kind == "rmsle":
            return numpy.sqrt(mean((numpy.log10(a + EPS) - numpy.log10(b + EPS)) ** 2))
        if kind == "max":
            return numpy.amax(numpy.abs(apart))
        return numpy.amax(numpy.abs(apart) / numpy.maximum(numpy.abs(a), EPS))

    return error


class AccuracyObserver(OutputObserver):
    """Records the error of the outputs against `answer`, the worst of all outputs, under the name `key`.

    `metric` is a name that error_metric_from_name() knows, or a function of two arrays; RMSE by default.
    """

    def __init__(self, metric: Any = None, key: str = "error", *, atol: float = 1e-8) -> None:
        metric = metric or "rmse"
        self.metric: Callable[[Any, Any], Any] = (
            error_metric_from_name(metric, atol) if isinstance(metric, str) else metric
        )
        self.key = key
        self.result: Any = None

    def process_output(self, answers: Sequence[Any], outputs: Sequence[Any]) -> None:
        """Takes the outputs of a run and the expected ones, None for whatever is not compared."""
        if answers is None or all(each is None for each in answers):
            raise ValueError("AccuracyObserver compares with `answer`, but tune_kernel() got none")
        self.result = max(self.metric(a, b) for a, b in zip(answers, outputs) if a is not None)

    def get_results(self) -> dict[str, Any]:
        """Returns the error of the last run."""
        return {self.key: self.result}
