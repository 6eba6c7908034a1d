// to = from, n floats. n is a multiple of 4.
//
// BLOCK_SIZE  work-items in a work-group
// VECTOR      elements in one load and store
// ITEMS       vectors that a work-item copies, BLOCK_SIZE vectors apart
// BATCH       of them, those that are loaded before the first is stored
// STREAMING   nothing: OpenCL C has no word for it; in CUDA caches are told that nothing is used again

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#if VECTOR == 1
typedef float vector_t;
#else
typedef JOIN(float, VECTOR) vector_t;
#endif

__kernel __attribute__((reqd_work_group_size(BLOCK_SIZE, 1, 1))) void copy(__global const vector_t* restrict from,
                                                                           __global vector_t* restrict to,
                                                                           const int n) {
  const int count = n / VECTOR;
  const int first = get_group_id(0) * (BLOCK_SIZE * ITEMS) + get_local_id(0);
  for (int batch = 0; batch < ITEMS; batch += BATCH) {
    vector_t values[BATCH];
    for (int i = 0; i < BATCH; ++i) {
      const int at = first + (batch + i) * BLOCK_SIZE;
      if (at < count) values[i] = from[at];
    }
    for (int i = 0; i < BATCH; ++i) {
      const int at = first + (batch + i) * BLOCK_SIZE;
      if (at < count) to[at] = values[i];
    }
  }
}
