// What each point of a stream would gain by moving to a new centre: its cost less its weight times the square of the
// distance. Coordinates are by dimension, so that neighbouring threads read neighbouring numbers.
//
// BLOCK  threads of a block, a point each; together they bring the centre to shared memory

constexpr int kDimensions = 64;

extern "C" __global__ void __launch_bounds__(BLOCK)
    streamcluster(const float* __restrict__ points, const float* __restrict__ weights, const float* __restrict__ costs,
                  float* __restrict__ gains, int n, int centre) {
  __shared__ float at[kDimensions];
  for (int d = threadIdx.x; d < kDimensions; d += BLOCK) at[d] = points[d * n + centre];
  __syncthreads();
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  float square = 0.0f;
  for (int d = 0; d < kDimensions; ++d) {
    const float off = points[d * n + i] - at[d];
    square += off * off;
  }
  gains[i] = costs[i] - weights[i] * square;
}
