// What each point of a stream would gain by moving to a new centre: its cost less its weight times the square of the
// distance. Coordinates are by dimension, so that neighbouring work-items read neighbouring numbers.
//
// BLOCK  work-items of a work-group, a point each; together they bring the centre to local memory

#define DIMENSIONS 64

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void streamcluster(
    __global const float* restrict points, __global const float* restrict weights, __global const float* restrict costs,
    __global float* restrict gains, const int n, const int centre) {
  __local float at[DIMENSIONS];
  for (int d = get_local_id(0); d < DIMENSIONS; d += BLOCK) at[d] = points[d * n + centre];
  barrier(CLK_LOCAL_MEM_FENCE);
  const int i = get_global_id(0);
  if (i >= n) return;
  float square = 0.0f;
  for (int d = 0; d < DIMENSIONS; ++d) {
    const float off = points[d * n + i] - at[d];
    square += off * off;
  }
  gains[i] = costs[i] - weights[i] * square;
}
