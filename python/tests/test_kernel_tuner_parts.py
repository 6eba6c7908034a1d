"""Parts of the interface of Kernel Tuner: sources, geometry, restrictions, metrics, accuracy, results in files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import wattune
from wattune.kernel_tuner import create_device_targets, store_results, util
from wattune.kernel_tuner.accuracy import AccuracyObserver, Tunable, TunablePrecision, error_metric_from_name
from wattune.kernel_tuner.file_utils import store_metadata_file, store_output_file
from wattune.kernel_tuner.geometry import Geometry, block_names, problem_extents
from wattune.kernel_tuner.integration import TuneResults
from wattune.kernel_tuner.metrics import Objectives, with_metrics
from wattune.kernel_tuner.restrictions import constraints_from
from wattune.kernel_tuner.sources import KernelSource, Writer, looks_like_a_filename

numpy = pytest.importorskip("numpy")

PARAMS = {"block_size_x": 32, "tile": 4, "kind": "float"}


def geometry(problem_size: Any = 1000, x: Any = None, y: Any = None, names: Any = None) -> Geometry:
    return Geometry(problem_size, (x, y, None), block_names(names, PARAMS))


@pytest.mark.parametrize(
    ("problem_size", "x", "grid"),
    [
        (1000, None, (32, 1, 1)),
        (1000, ["block_size_x", "tile"], (8, 1, 1)),
        (1000, ["block_size_x * tile"], (8, 1, 1)),
        (1000, [], (1000, 1, 1)),
        (1000, 10, (100, 1, 1)),
        (1000, lambda p: p["block_size_x"] / 3, (94, 1, 1)),
        (1000, "tile", (250, 1, 1)),
        ("tile * 64", None, (8, 1, 1)),
        (("tile * 64", 3), None, (8, 3, 1)),
        (lambda p: (p["tile"] * 32, 2, 5), None, (4, 2, 5)),
        ((numpy.int64(64), 2), None, (2, 2, 1)),
    ],
)
def test_grids(problem_size: Any, x: Any, grid: Any) -> None:
    assert geometry(problem_size, x).grid(PARAMS) == grid


def test_blocks() -> None:
    assert geometry().block(PARAMS) == (32, 1, 1)
    assert geometry().block({}) == (256, 1, 1)
    assert block_names(None, ["BLOCK_SIZE_Y", "Block_size_X"]) == ["Block_size_X", "BLOCK_SIZE_Y", "block_size_z"]
    assert block_names(["tile"], ["tile"]) == ["tile", "block_size_y", "block_size_z"]
    with pytest.raises(TypeError):
        problem_extents([1.5], {})


def written(source: Any, lang: str = "CUDA", defines: Any = None, options: Any = ()) -> str:
    made = KernelSource("k", source, lang, None)
    writer = Writer(made, geometry(), defines, list(PARAMS), options, "")
    try:
        return writer(dict(PARAMS))
    finally:
        writer.close()


def test_macros() -> None:
    text = written("code")
    for line in ("#define grid_size_x 32", "#define block_size_x 32", "#define block_size_y 1", "#define tile 4",
                 "#define kind float", "#define kernel_tuner 1", "#line 1\ncode"):  # fmt: skip
        assert line in text
    assert text.index("#undef tile") < text.index("#define tile 4")
    own = written("code", defines={"A": "tile * 2", "B": lambda p: p["tile"] + 1, "C": 3})
    assert "#define A 4 * 2\n#define B 5\n#define C 3\n" in own
    assert "#define tile" not in own
    with pytest.raises(wattune.InvalidArgumentError, match="identifier"):
        written("code", defines={"a b": 1})


def test_unrolling() -> None:
    made = KernelSource("k", "{\n  #pragma unroll loop_unroll_factor_a\n  for (;;);\n}", "CUDA", None)
    writer = Writer(made, geometry(), None, ["loop_unroll_factor_a"], (), "")
    kept = writer({"loop_unroll_factor_a": 4})
    assert "constexpr int loop_unroll_factor_a = 4;" in kept
    assert "#pragma unroll loop_unroll_factor_a" in kept
    assert "#pragma" not in writer({"loop_unroll_factor_a": 0})


def test_sources(tmp_path: Path) -> None:
    file = tmp_path / "kernel.cu"
    file.write_text("from a file")
    assert "from a file" in written(str(file))
    assert "from a file" in written(file)
    assert "tile is 4" in written(lambda p: f"tile is {p['tile']}")
    header = tmp_path / "more.cuh"
    header.write_text("int more = tile;")
    text = written([f'#include "{header}"\nvoid k() {{}}', str(header)])
    assert str(header) not in text
    assert KernelSource("k", "__global__ void k() {}", None, None).language == "CUDA"
    assert KernelSource("k", "__kernel void k() {}", None, None).language == "OpenCL"
    assert KernelSource("k", "float k() {}", None, None).language == "C++"
    assert not looks_like_a_filename("float k();")
    assert looks_like_a_filename("folder/kernel.cu")


def test_restrictions() -> None:
    space = {"block_size_x": [1, 2, 4], "tile": [1, 2]}
    least = 2

    def valid(*restrictions: Any, most: int | None = None) -> int:
        given = list(restrictions) if len(restrictions) != 1 or isinstance(restrictions[0], str) else restrictions[0]
        return len(wattune.Space(space, constraints_from(given, list(space), most)))

    assert valid("block_size_x >= 2", "block_size_x * tile <= 4") == 3
    assert valid([lambda p: p["tile"] == least]) == 3
    assert valid(lambda p: p["block_size_x"] > p["tile"]) == 3
    assert valid([lambda block_size_x, tile: block_size_x == tile]) == 2
    assert valid([lambda **p: p["tile"] == 1]) == 3
    assert valid([(lambda t: t == 2, ["tile"])]) == 3
    assert valid(["(block_size_x | 1) == 3"]) == 2, "what expressions lack, Python evaluates"
    assert valid(["tile in [2, 3]"]) == 3
    assert len(wattune.Space(space, constraints_from(("tile == 1", "block_size_x > 1"), list(space), None))) == 2
    assert len(wattune.Space(space, constraints_from((lambda t: t == 2, ["tile"]), list(space), None))) == 3
    assert valid([], most=2) == 4, "the default names stay within the device's block"
    constraint = pytest.importorskip("constraint", reason="python-constraint is not there")
    assert valid([constraint.MaxProdConstraint(4)]) == 5


def test_metrics_and_objectives() -> None:
    entry = with_metrics({"time": 2.0, "tile": 4}, {"a": "tile / time", "b": lambda p: p["a"] + 1})
    assert (entry["a"], entry["b"]) == (2.0, 3.0)
    results = [
        {"time": 1.0, "GFLOP/s": 5},
        {"time": 2.0, "GFLOP/s": 9},
        {"__error__": "x"},
        {"time": 3.0, "GFLOP/s": 7},
    ]
    assert Objectives(None, None, None).best(results)["time"] == 1.0
    assert Objectives("GFLOP/s", None, None).best(results)["time"] == 2.0
    front = Objectives(None, None, {"time": False, "GFLOP/s": True}).best(results)
    assert [each["time"] for each in front] == [1.0, 2.0]
    assert all(each["optimal"] for each in front)
    assert util.get_config_string({"a": 1, "b": 0.12345}, ["b"], {"b": "ms"}) == "b=0.123ms"


def test_accuracy() -> None:
    a, b = numpy.array([1.0, 2.0]), numpy.array([1.0, 4.0])
    expected = {"MSE": 2.0, "rmse": 2**0.5, "mean absolute error": 1.0, "MRE": 0.5, "max": 2.0, "max rel": 1.0,
                "NRMSE": 0.8**0.5, "root_mean_squared": 2**0.5}  # fmt: skip
    for name, value in expected.items():
        assert error_metric_from_name(name)(a, b) == pytest.approx(value), name
    for name in ("RMSRE", "MALE", "RMSLE"):
        assert error_metric_from_name(name)(a, b) > 0
    with pytest.raises(ValueError, match="unheard"):
        error_metric_from_name("unheard")
    observer = AccuracyObserver("max", "worst")
    observer.process_output([None, a], [None, b])
    assert observer.get_results() == {"worst": 2.0}
    precision = TunablePrecision("type", a, ["half", "double"])
    assert precision({"type": "half"}).dtype == numpy.float16
    nested = Tunable("x", {1: Tunable("y", [a, b])})
    assert nested({"x": 1, "y": 1}) is b
    with pytest.raises(KeyError, match="3"):
        nested({"x": 3})


def results_of(time: float = 1.0) -> list[dict[str, Any]]:
    return [{"x": x, "time": time + x / 100, "compile_time": 1.0, "benchmark_time": 1.0, "verification_time": 0,
             "framework_time": 0.0, "strategy_time": 0.0, "times": [1.0], "timestamp": "now"}
            for x in range(5)] + [{"x": 9, "__error__": util.InvalidConfig()}]  # fmt: skip


def test_results_in_files(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    env = {"device_name": "My GPU (3)"}
    store_results(file, "k", "code", {"x": [0]}, (8, 2), results_of(), env)
    store_results(file, "k", "code", {"x": [0]}, 16, [*results_of(), {"x": 1, "time": 0.5}], env, top=1)
    store_results(file, "k", "code", {"x": [0]}, 16, [{"x": 1, "time": 0.5}], {"device_name": "other"})
    found = TuneResults(file)
    assert found.get_best_config("My GPU (3)", (8, 2)) == {"x": 0}
    assert found.get_best_config("My_GPU_3_", 16) == {"x": 1}
    assert found.get_best_config() == {"x": 1}
    header = tmp_path / "targets.h"
    create_device_targets(header, file)
    text = header.read_text()
    assert "#ifdef TARGET_My_GPU_3_\n#define x 1" in text
    assert "#elif TARGET_other\n#define x 1" in text
    with pytest.raises(ValueError, match="kernel"):
        store_results(file, "another", "code", {"x": [0]}, 16, results_of(), env)


def test_t4_files(tmp_path: Path) -> None:
    store_output_file(str(tmp_path / "new" / "out"), results_of(), {"x": [0]})
    found = json.loads((tmp_path / "new" / "out.json").read_text())
    assert found["results"][0]["measurements"] == [{"name": "time", "value": 1.0, "unit": "ms"}]
    assert found["results"][-1]["invalidity"] == "constraints"
    assert len(wattune.read(tmp_path / "new" / "out.json")) == 6
    store_metadata_file(str(tmp_path / "metadata.json"))
    assert json.loads((tmp_path / "metadata.json").read_text())["metadata"]["operating_system"] == "Linux"
