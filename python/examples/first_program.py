"""Tunes a kernel of OpenCL, shows the results and runs the best configuration."""

import numpy as np
import wattune

SOURCE = """
__kernel void add(__global const float* a, __global const float* b, __global float* c, int n) {
  int first = (get_group_id(0) * BLOCK + get_local_id(0)) * PER;
  for (int i = first; i < first + PER && i < n; ++i) c[i] = a[i] + b[i];
}"""


def main() -> None:
    a = np.random.default_rng(1).random(1 << 20, dtype=np.float32)
    c = np.zeros_like(a)
    arguments = [a, a, c, np.int32(a.size)]
    parameters = {"BLOCK": [64, 128, 256], "PER": [1, 2, 4]}
    grid = "-(-n // (BLOCK * PER))"
    results = wattune.tune(SOURCE, "add", arguments, parameters, block="BLOCK", grid=grid, answer={"c": a + a})
    print(results)
    results(*arguments)
    print("the sum is right:", bool(np.array_equal(c, a + a)))


if __name__ == "__main__":
    main()
