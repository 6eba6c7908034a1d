// to = from after `steps` times x = x * factor + addend, each a fused multiply-add that waits for the one before.
//
// BLOCK_SIZE  work-items in a work-group
// ITEMS       elements that a work-item computes at once, BLOCK_SIZE elements apart; they do not wait for each other
// UNROLL      how far the loop over the steps is unrolled

__kernel __attribute__((reqd_work_group_size(BLOCK_SIZE, 1, 1))) void fused_multiply_add(
    __global const float* restrict from, __global float* restrict to, const int n, const int steps, const float factor,
    const float addend) {
  const int first = get_group_id(0) * (BLOCK_SIZE * ITEMS) + get_local_id(0);
  float x[ITEMS];
  for (int i = 0; i < ITEMS; ++i) x[i] = first + i * BLOCK_SIZE < n ? from[first + i * BLOCK_SIZE] : 0.0f;

#pragma unroll UNROLL
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < ITEMS; ++i) x[i] = fma(x[i], factor, addend);
  }

  for (int i = 0; i < ITEMS; ++i)
    if (first + i * BLOCK_SIZE < n) to[first + i * BLOCK_SIZE] = x[i];
}
