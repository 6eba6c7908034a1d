// result = sum of the n elements of data.
//
// WORK_GROUP_SIZE_X  threads in a block
// UNBOUNDED_WG       1: as many blocks as it takes for each thread to read one vector; 0: WG_NUM blocks, which stride
//                    over the data
// WG_NUM             number of blocks when UNBOUNDED_WG is 0
// VECTOR_SIZE        elements in one load
// USE_ATOMICS        1: every block adds its sum to the result atomically; 0: every block leaves its sum in `partials`,
//                    and the last one to finish adds them up
//
// `result` starts at 0. `partials` (one element per block) and `ticket` start at 0 and are left at 0.

#include "../pack.cuh"

using Elements = Pack<float, VECTOR_SIZE>;

// The sum of `value` over the block, for its first thread.
__device__ float sum_of_block(float value, float* scratch) {
  const int id = threadIdx.x;
  scratch[id] = value;
  for (int half_size = WORK_GROUP_SIZE_X / 2; half_size > 0; half_size /= 2) {
    __syncthreads();
    if (id < half_size) scratch[id] += scratch[id + half_size];
  }
  return scratch[id];
}

extern "C" __global__ void __launch_bounds__(WORK_GROUP_SIZE_X)
    reduce(const float* __restrict__ data, const int n, float* result, float* partials, int* ticket) {
  __shared__ float scratch[WORK_GROUP_SIZE_X];
  const auto* vectors = reinterpret_cast<const Elements*>(data);
  const int count = n / VECTOR_SIZE;
  const int id = blockIdx.x * WORK_GROUP_SIZE_X + threadIdx.x;

  Elements sums{};
#if UNBOUNDED_WG
  if (id < count) sums = vectors[id];
#else
  for (int i = id; i < count; i += WG_NUM * WORK_GROUP_SIZE_X) sums += vectors[i];
#endif
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < VECTOR_SIZE; ++i) sum += sums.element[i];
  if (id == 0)
    for (int i = count * VECTOR_SIZE; i < n; ++i) sum += data[i];
  sum = sum_of_block(sum, scratch);

#if USE_ATOMICS
  if (threadIdx.x == 0) atomicAdd(result, sum);
#else
  // Exchanging is how one block sees another's partial sum, and leaves the zero that the next launch needs.
  __shared__ bool is_last;
  const int blocks = gridDim.x;
  if (threadIdx.x == 0) {
    atomicExch(&partials[blockIdx.x], sum);
    __threadfence();
    is_last = atomicAdd(ticket, 1) == blocks - 1;
  }
  __syncthreads();
  const bool last = is_last;
  float total = 0.0f;
  if (last)
    for (int i = threadIdx.x; i < blocks; i += WORK_GROUP_SIZE_X) total += atomicExch(&partials[i], 0.0f);
  total = sum_of_block(total, scratch);
  if (last && threadIdx.x == 0) {
    *result = total;
    *ticket = 0;
  }
#endif
}
