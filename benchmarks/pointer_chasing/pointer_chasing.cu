// ends[i] = where chain i is after `steps` steps, each from an element of `next` to the element that it names. `next`
// is one cycle through all of its n elements, n is a power of two.
//
// BLOCK_SIZE  threads in a block
// CHAINS      chains that a thread follows at once; their loads do not wait for each other
// UNROLL      how far the loop over the steps is unrolled
// CACHING     what a load asks: 0: all caches; 1: the read-only cache; 2: the L2 cache only

constexpr int kUnroll = UNROLL;  // nvcc knows no macros in a pragma

#if CACHING == 1
using Input = const unsigned* __restrict__;
#else
using Input = const unsigned*;
#endif

__device__ unsigned step_from(Input next, unsigned at) {
#if CACHING == 1
  return __ldg(&next[at]);
#elif CACHING == 2
  return __ldcg(&next[at]);
#else
  return next[at];
#endif
}

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    pointer_chasing(Input next, unsigned* ends, const unsigned n, const unsigned chains, const int steps) {
  const unsigned first = blockIdx.x * (BLOCK_SIZE * CHAINS) + threadIdx.x;
  // Odd numbers modulo a power of two keep the beginnings of up to n chains apart.
  unsigned at[CHAINS];
#pragma unroll
  for (int i = 0; i < CHAINS; ++i) at[i] = (first + i * BLOCK_SIZE) * 2654435761u & (n - 1);

#pragma unroll kUnroll
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int i = 0; i < CHAINS; ++i) at[i] = step_from(next, at[i]);
  }

#pragma unroll
  for (int i = 0; i < CHAINS; ++i)
    if (first + i * BLOCK_SIZE < chains) ends[first + i * BLOCK_SIZE] = at[i];
}
