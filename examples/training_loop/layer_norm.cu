// The layer norm of each row: (x - mean) / sqrt(variance + epsilon) * weight + bias. A block computes ROWS rows, one
// after another, with THREADS threads that read VECTOR elements at a time. `columns` is a multiple of 4.
struct Pair {
  float sum, squares;
};

__device__ Pair sum_of_block(Pair mine) {
  __shared__ Pair of_warps[32];
  for (int distance = 16; distance > 0; distance /= 2) {
    mine.sum += __shfl_xor_sync(0xffffffffu, mine.sum, distance);
    mine.squares += __shfl_xor_sync(0xffffffffu, mine.squares, distance);
  }
  const int warp = threadIdx.x / 32;
  __syncthreads();
  if (threadIdx.x % 32 == 0) of_warps[warp] = mine;
  __syncthreads();
  Pair total{0.0f, 0.0f};
  for (int i = 0; i < THREADS / 32; ++i) {
    total.sum += of_warps[i].sum;
    total.squares += of_warps[i].squares;
  }
  return total;
}

struct alignas(4 * VECTOR) Values {
  float of[VECTOR];
};

extern "C" __global__ void __launch_bounds__(THREADS)
    layer_norm(const float* x, const float* weight, const float* bias, float* y, int rows, int columns) {
  const int vectors = columns / VECTOR;
  for (int row = blockIdx.x * ROWS; row < min(rows, (int(blockIdx.x) + 1) * ROWS); ++row) {
    const Values* const from = reinterpret_cast<const Values*>(x + static_cast<long long>(row) * columns);
    Values* const to = reinterpret_cast<Values*>(y + static_cast<long long>(row) * columns);
    Pair mine{0.0f, 0.0f};
    for (int at = threadIdx.x; at < vectors; at += THREADS) {
      const Values values = from[at];
      for (float value : values.of) {
        mine.sum += value;
        mine.squares += value * value;
      }
    }
    const Pair total = sum_of_block(mine);
    const float mean = total.sum / columns;
    const float inverse = rsqrtf(total.squares / columns - mean * mean + 1e-5f);
    for (int at = threadIdx.x; at < vectors; at += THREADS) {
      const Values values = from[at];
      const Values w = reinterpret_cast<const Values*>(weight)[at];
      const Values b = reinterpret_cast<const Values*>(bias)[at];
      Values result;
      for (int i = 0; i < VECTOR; ++i) result.of[i] = (values.of[i] - mean) * inverse * w.of[i] + b.of[i];
      to[at] = result;
    }
  }
}
