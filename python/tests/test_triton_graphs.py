"""What PyTorch sees of a kernel that wattune.triton tunes: one configuration, the recorded winner. Needs no GPU."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

triton = pytest.importorskip("triton", reason="Triton is not installed, so graphs of PyTorch are not tested")
torch = pytest.importorskip("torch", reason="PyTorch is not installed, so its graphs are not tested")
pytest.importorskip("wattune.triton", reason="wattune.triton cannot be imported")

import fake_gpu  # noqa: E402
import kernels  # noqa: E402
from wattune._calls import places  # noqa: E402
from wattune._calls.winners import Winners  # noqa: E402
from wattune.triton import Autotuner, autotune  # noqa: E402

side_table = pytest.importorskip("torch._higher_order_ops.triton_kernel_wrap").kernel_side_table
BLOCKS = (64, 128, 1024)


@pytest.fixture(autouse=True)
def gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("WATTUNE_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr("torch.utils._triton.has_triton", lambda: True)
    monkeypatch.setattr("wattune._calls.torch_arrays.device", fake_gpu.device)
    fake_gpu.use()
    places._said.clear()
    torch._dynamo.reset()
    side_table.reset_table()
    yield
    side_table.reset_table()


def configs() -> list[triton.Config]:
    return [triton.Config({"BLOCK": block}) for block in BLOCKS]


def record(kernel: Autotuner, n: int, block: int) -> None:
    """Puts a winner for float32 into the wisdom of the user."""
    key = kernel._key({"n": n}, [("x", "torch.float32", ""), ("y", "torch.float32", "")], kernel._list({}).space)
    configuration = {"BLOCK": block, "num_warps": 4, "num_stages": 3, "num_ctas": 1}
    Winners(None, 1.0).put(kernel._identity(), fake_gpu.device(), key, configuration, (1e-5, 1e-5, 1e-5), 3, tuned=True)


def shown() -> list[int]:
    """Returns the blocks of the configurations of the kernel that PyTorch made last."""
    *_, last = side_table.id_to_kernel.values()
    return [each.kwargs["BLOCK"] for each in last.configs]


def backend(graph: torch.fx.GraphModule, _examples: list[torch.Tensor]) -> object:
    return lambda *arguments: [argument for argument in arguments if isinstance(argument, torch.Tensor)][:1]


def launch(kernel: Autotuner, x: torch.Tensor) -> torch.Tensor:
    y = torch.empty_like(x)
    n = x.numel()
    kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, y, 2.0, n)
    return y


@pytest.mark.parametrize("dynamic", [False, True])
def test_dynamo_sees_the_winner_of_each_key(dynamic: bool) -> None:
    kernel = autotune(configs(), ["n"])(kernels.scale)
    record(kernel, 1000, 1024)
    record(kernel, 500, 128)
    compiled = torch.compile(lambda x: launch(kernel, x), backend=backend, fullgraph=True, dynamic=dynamic)
    compiled(torch.ones(1000))
    assert shown() == [1024]
    compiled(torch.ones(500))
    assert shown() == [128]


def test_dynamo_sees_the_default_if_nothing_is_recorded(caplog: pytest.LogCaptureFixture) -> None:
    kernel = autotune(configs(), ["n"])(kernels.scale)
    torch.compile(lambda x: launch(kernel, x), backend=backend, fullgraph=True)(torch.ones(1000))
    assert shown() == [64]
    assert any("default configuration" in each.getMessage() for each in caplog.records)


def test_a_space_shows_its_winner() -> None:
    kernel = autotune(parameters={"BLOCK": list(BLOCKS), "num_warps": [4, 8]}, key=["n"])(kernels.scale)
    assert kernel._space is not None
    key = kernel._key({"n": 1000}, [("x", "torch.float32", ""), ("y", "torch.float32", "")], kernel._space)
    Winners(None, 1.0).put(
        kernel._identity(), fake_gpu.device(), key, {"BLOCK": 128, "num_warps": 8}, (1e-5,) * 3, 3, tuned=True
    )
    torch.compile(lambda x: launch(kernel, x), backend=backend, fullgraph=True)(torch.ones(1000))
    assert shown() == [128]


def test_stacked_heuristics_show_one_configuration() -> None:
    even = triton.heuristics({"EVEN": lambda arguments: arguments["n"] % arguments["BLOCK"] == 0})
    kernel = autotune(configs(), ["n"])(even(kernels.add_to))

    def call(x: torch.Tensor) -> torch.Tensor:
        y = torch.zeros_like(x)
        n = x.numel()
        kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, y, n)
        return y

    torch.compile(call, backend=backend, fullgraph=True)(torch.ones(1024))
    assert shown() == [64]


def test_triton_op_sees_the_winner() -> None:
    from torch._dynamo.backends.common import aot_autograd
    from torch.library import triton_op, wrap_triton

    kernel = autotune(configs(), ["n"])(kernels.scale)
    record(kernel, 1000, 1024)

    @triton_op("wattune_test::scale", mutates_args={})
    def scale(x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        n = x.numel()
        wrap_triton(kernel)[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, y, 2.0, n)
        return y

    torch.compile(lambda x: scale(x), backend=aot_autograd(fw_compiler=backend), fullgraph=True)(torch.ones(1000))
    assert shown() == [1024]
