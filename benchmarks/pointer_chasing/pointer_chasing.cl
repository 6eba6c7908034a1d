// ends[i] = where chain i is after `steps` steps, each from an element of `next` to the element that it names. `next`
// is one cycle through all of its n elements, n is a power of two.
//
// BLOCK_SIZE  work-items in a work-group
// CHAINS      chains that a work-item follows at once; their loads do not wait for each other
// UNROLL      how far the loop over the steps is unrolled
// CACHING     1: `next` is declared unaliased, for a read-only cache; 0 and 2 are the same, as OpenCL C has no word for
//             the caches that a load asks

#if CACHING == 1
#define INPUT __global const uint* restrict
#else
#define INPUT __global const uint*
#endif

__kernel __attribute__((reqd_work_group_size(BLOCK_SIZE, 1, 1))) void pointer_chasing(
    INPUT next, __global uint* ends, const uint n, const uint chains, const int steps) {
  const uint first = get_group_id(0) * (BLOCK_SIZE * CHAINS) + get_local_id(0);
  // Odd numbers modulo a power of two keep the beginnings of up to n chains apart.
  uint at[CHAINS];
  for (int i = 0; i < CHAINS; ++i) at[i] = (first + i * BLOCK_SIZE) * 2654435761u & (n - 1);

#pragma unroll UNROLL
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < CHAINS; ++i) at[i] = next[at[i]];
  }

  for (int i = 0; i < CHAINS; ++i)
    if (first + i * BLOCK_SIZE < chains) ends[first + i * BLOCK_SIZE] = at[i];
}
