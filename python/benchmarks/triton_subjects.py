"""Four kernels of Triton with lists of configurations and eight sizes each, for triton_kernels.py.

The lists were committed before anything was measured. `SUBJECTS` holds for each kernel the list, a space of about ten
times as many configurations, and a function that makes the arguments of a size.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import triton
import triton.language as tl


@triton.jit
def matmul(a, b, c, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
           BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr):  # fmt: skip
    """Computes c = a b in half precision with sums in single precision, M x K times K x N."""
    blocks_m = tl.cdiv(M, BLOCK_M)
    blocks_n = tl.cdiv(N, BLOCK_N)
    program = tl.program_id(0)
    in_group = GROUP * blocks_n
    first = (program // in_group) * GROUP
    rows = tl.minimum(blocks_m - first, GROUP)
    block_m = first + (program % in_group) % rows
    block_n = (program % in_group) // rows
    at_m = (block_m * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    at_n = (block_n * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    at_k = tl.arange(0, BLOCK_K)
    a_at = a + at_m[:, None] * stride_am + at_k[None, :] * stride_ak
    b_at = b + at_k[:, None] * stride_bk + at_n[None, :] * stride_bn
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        left = tl.load(a_at, mask=at_k[None, :] < K - k * BLOCK_K, other=0.0)
        right = tl.load(b_at, mask=at_k[:, None] < K - k * BLOCK_K, other=0.0)
        total = tl.dot(left, right, total)
        a_at += BLOCK_K * stride_ak
        b_at += BLOCK_K * stride_bk
    to_m = block_m * BLOCK_M + tl.arange(0, BLOCK_M)
    to_n = block_n * BLOCK_N + tl.arange(0, BLOCK_N)
    inside = (to_m[:, None] < M) & (to_n[None, :] < N)
    tl.store(c + to_m[:, None] * stride_cm + to_n[None, :] * stride_cn, total.to(tl.float16), mask=inside)


@triton.jit
def softmax(x, y, rows, columns, BLOCK: tl.constexpr, UNROLL: tl.constexpr):
    """Computes the softmax of each row: one pass for the greatest element and the sum, one for the quotients."""
    row = tl.program_id(0)
    from_row = x + row.to(tl.int64) * columns
    to_row = y + row.to(tl.int64) * columns
    greatest = tl.full((BLOCK,), float("-inf"), dtype=tl.float32)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for begin in tl.range(0, columns, BLOCK, loop_unroll_factor=UNROLL):
        at = begin + tl.arange(0, BLOCK)
        value = tl.load(from_row + at, mask=at < columns, other=float("-inf")).to(tl.float32)
        larger = tl.maximum(greatest, value)
        safe = tl.where(larger == float("-inf"), 0.0, larger)
        total = total * tl.exp(greatest - safe) + tl.exp(value - safe)
        greatest = larger
    top = tl.max(greatest, 0)
    total_of_row = tl.sum(total * tl.exp(greatest - top), 0)
    for begin in tl.range(0, columns, BLOCK, loop_unroll_factor=UNROLL):
        at = begin + tl.arange(0, BLOCK)
        value = tl.load(from_row + at, mask=at < columns, other=float("-inf")).to(tl.float32)
        tl.store(to_row + at, (tl.exp(value - top) / total_of_row).to(tl.float16), mask=at < columns)


@triton.jit
def attention(q, k, v, o, length, scale, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, WIDTH: tl.constexpr):
    """Computes softmax(q k^T scale) v for each head; q, k, v and o are heads x length x WIDTH."""
    head = tl.program_id(1).to(tl.int64) * length * WIDTH
    at_m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    at_w = tl.arange(0, WIDTH)
    query = tl.load(q + head + at_m[:, None] * WIDTH + at_w[None, :], mask=at_m[:, None] < length, other=0.0)
    greatest = tl.full((BLOCK_M,), float("-inf"), dtype=tl.float32)
    total = tl.zeros((BLOCK_M,), dtype=tl.float32)
    result = tl.zeros((BLOCK_M, WIDTH), dtype=tl.float32)
    for begin in range(0, length, BLOCK_N):
        at_n = begin + tl.arange(0, BLOCK_N)
        keys = tl.load(k + head + at_n[None, :] * WIDTH + at_w[:, None], mask=at_n[None, :] < length, other=0.0)
        scores = tl.dot(query, keys) * (scale * 1.44269504)
        scores = tl.where(at_n[None, :] < length, scores, float("-inf"))
        larger = tl.maximum(greatest, tl.max(scores, 1))
        weights = tl.exp2(scores - larger[:, None])
        shrink = tl.exp2(greatest - larger)
        total = total * shrink + tl.sum(weights, 1)
        values = tl.load(v + head + at_n[:, None] * WIDTH + at_w[None, :], mask=at_n[:, None] < length, other=0.0)
        result = tl.dot(weights.to(tl.float16), values, result * shrink[:, None])
        greatest = larger
    result = result / total[:, None]
    tl.store(o + head + at_m[:, None] * WIDTH + at_w[None, :], result.to(tl.float16), mask=at_m[:, None] < length)


@triton.jit
def layer_norm(x, y, weight, bias, columns, epsilon, BLOCK: tl.constexpr, UNROLL: tl.constexpr):
    """Computes the layer norm of each row, with mean and variance by sums of values and squares."""
    row = tl.program_id(0)
    from_row = x + row.to(tl.int64) * columns
    to_row = y + row.to(tl.int64) * columns
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    squares = tl.zeros((BLOCK,), dtype=tl.float32)
    for begin in tl.range(0, columns, BLOCK, loop_unroll_factor=UNROLL):
        at = begin + tl.arange(0, BLOCK)
        value = tl.load(from_row + at, mask=at < columns, other=0.0).to(tl.float32)
        total += value
        squares += value * value
    mean = tl.sum(total, 0) / columns
    variance = tl.sum(squares, 0) / columns - mean * mean
    inverse = 1.0 / tl.sqrt(variance + epsilon)
    for begin in tl.range(0, columns, BLOCK, loop_unroll_factor=UNROLL):
        at = begin + tl.arange(0, BLOCK)
        inside = at < columns
        value = tl.load(from_row + at, mask=inside, other=0.0).to(tl.float32)
        w = tl.load(weight + at, mask=inside, other=0.0).to(tl.float32)
        b = tl.load(bias + at, mask=inside, other=0.0).to(tl.float32)
        tl.store(to_row + at, ((value - mean) * inverse * w + b).to(tl.float16), mask=inside)


@dataclasses.dataclass
class Subject:
    """A kernel with its configurations, sizes, and the arguments of a size: positional, by name, and the grid."""

    kernel: Any
    key: list[str]
    configs: list[triton.Config]
    parameters: dict[str, list[Any]]
    constraints: list[str]
    outputs: list[str]
    sizes: list[tuple[int, ...]]
    arguments: Callable[..., tuple[list[Any], dict[str, Any], Callable[[dict[str, Any]], tuple[int, ...]]]]


def _half(*shape: int) -> Any:
    import torch

    return torch.randn(shape, dtype=torch.float16, device="cuda")


def _matmul(m: int, n: int, k: int) -> Any:
    import torch

    a, b = _half(m, k), _half(k, n)
    c = torch.empty((m, n), dtype=torch.float16, device="cuda")
    arguments = [a, b, c, m, n, k, *a.stride(), *b.stride(), *c.stride()]
    return arguments, {}, lambda at: (triton.cdiv(at["M"], at["BLOCK_M"]) * triton.cdiv(at["N"], at["BLOCK_N"]),)


def _softmax(rows: int, columns: int) -> Any:
    x = _half(rows, columns)
    return [x, x.new_empty(x.shape), rows, columns], {}, lambda at: (at["rows"],)


def _attention(heads: int, length: int) -> Any:
    width = 64
    q, k, v = (_half(heads, length, width) for _ in range(3))
    arguments = [q, k, v, q.new_empty(q.shape), length, width**-0.5]
    return arguments, {"WIDTH": width}, lambda at: (triton.cdiv(at["length"], at["BLOCK_M"]), heads)


def _layer_norm(rows: int, columns: int) -> Any:
    x = _half(rows, columns)
    arguments = [x, x.new_empty(x.shape), _half(columns), _half(columns), columns, 1e-5]
    return arguments, {}, lambda at: (rows,)


def _tiles(*rows: tuple[int, int, int, int, int, int]) -> list[triton.Config]:
    return [
        triton.Config({"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k, "GROUP": group}, num_warps=warps, num_stages=stages)
        for m, n, k, group, warps, stages in rows
    ]


_ROWS = [
    triton.Config({"BLOCK": block, "UNROLL": unroll}, num_warps=warps)
    for block, warps in ((256, 1), (256, 2), (512, 2), (512, 4), (1024, 2), (1024, 4), (1024, 8), (2048, 4),
                         (2048, 8), (2048, 16), (4096, 8), (4096, 16))
    for unroll in (1, 2)
]  # fmt: skip
_ROW_SPACE: dict[str, list[Any]] = {
    "BLOCK": [128, 256, 512, 1024, 2048, 4096, 8192],
    "UNROLL": [1, 2, 4],
    "num_warps": [1, 2, 4, 8, 16],
    "num_stages": [1, 2, 3, 4],
}

SUBJECTS = {
    "matmul": Subject(
        matmul,
        ["M", "N", "K"],
        _tiles(
            (128, 256, 64, 8, 8, 3), (64, 256, 32, 8, 4, 4), (128, 128, 32, 8, 4, 4), (128, 64, 32, 8, 4, 4),
            (64, 128, 32, 8, 4, 4), (128, 32, 32, 8, 4, 4), (64, 32, 32, 8, 2, 5), (32, 64, 32, 8, 2, 5),
            (128, 128, 64, 8, 8, 3), (128, 128, 64, 8, 4, 4), (64, 64, 64, 8, 4, 4), (128, 256, 64, 8, 8, 4),
            (256, 128, 64, 8, 8, 3), (256, 64, 64, 8, 4, 4), (64, 128, 64, 8, 4, 4), (64, 64, 128, 8, 4, 3),
        ),
        {"BLOCK_M": [32, 64, 128, 256], "BLOCK_N": [32, 64, 128, 256], "BLOCK_K": [32, 64, 128], "GROUP": [8],
         "num_warps": [4, 8], "num_stages": [3, 4]},
        ["BLOCK_M * BLOCK_N <= 32768", "BLOCK_M * BLOCK_N >= 2048",
         "(BLOCK_M + BLOCK_N) * BLOCK_K * num_stages <= 110000"],
        ["c"],
        [(512, 512, 512), (1024, 1024, 1024), (2048, 2048, 2048), (4096, 4096, 4096), (16, 4096, 4096),
         (128, 8192, 1024), (8192, 1024, 4096), (3000, 1500, 700)],
        _matmul,
    ),
    "softmax": Subject(
        softmax, ["rows", "columns"], _ROWS, _ROW_SPACE, ["BLOCK >= 32 * num_warps"], ["y"],
        [(4096, 256), (4096, 1024), (4096, 4096), (4096, 12672), (512, 32768), (64, 131072), (32768, 781),
         (16384, 2048)],
        _softmax,
    ),
    "attention": Subject(
        attention,
        ["length"],
        [
            triton.Config({"BLOCK_M": m, "BLOCK_N": n}, num_warps=warps, num_stages=stages)
            for m, n in ((64, 32), (64, 64), (128, 32), (128, 64), (128, 128))
            for warps in (4, 8)
            for stages in (2, 3)
        ],
        {"BLOCK_M": [32, 64, 128, 256], "BLOCK_N": [16, 32, 64, 128, 256], "num_warps": [2, 4, 8, 16],
         "num_stages": [1, 2, 3, 4]},
        ["BLOCK_M * BLOCK_N <= 32768"],
        ["o"],
        [(64, 128), (64, 512), (64, 1024), (32, 2048), (32, 4096), (16, 8192), (128, 777), (8, 16384)],
        _attention,
    ),
    "layer_norm": Subject(
        layer_norm, ["columns"], _ROWS, _ROW_SPACE, ["BLOCK >= 32 * num_warps"], ["y"],
        [(4096, 256), (4096, 1024), (4096, 4096), (4096, 8192), (2048, 16384), (512, 32768), (16384, 768),
         (8192, 1600)],
        _layer_norm,
    ),
}  # fmt: skip
"""The four kernels. `attention` and `layer_norm` have eight sizes with different keys."""
