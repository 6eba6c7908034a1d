// to = from after `steps` times x = x * factor + addend, each a fused multiply-add that waits for the one before.
//
// BLOCK_SIZE  threads in a block
// ITEMS       elements that a thread computes at once, BLOCK_SIZE elements apart; they do not wait for each other
// UNROLL      how far the loop over the steps is unrolled

constexpr int kUnroll = UNROLL;  // nvcc knows no macros in a pragma

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    fused_multiply_add(const float* __restrict__ from, float* __restrict__ to, const int n, const int steps,
                       const float factor, const float addend) {
  const int first = blockIdx.x * (BLOCK_SIZE * ITEMS) + threadIdx.x;
  float x[ITEMS];
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) x[i] = first + i * BLOCK_SIZE < n ? from[first + i * BLOCK_SIZE] : 0.0f;

#pragma unroll kUnroll
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) x[i] = fmaf(x[i], factor, addend);
  }

#pragma unroll
  for (int i = 0; i < ITEMS; ++i)
    if (first + i * BLOCK_SIZE < n) to[first + i * BLOCK_SIZE] = x[i];
}
