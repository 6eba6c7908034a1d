// cipher = plain, n blocks of 64 bits encrypted by the Tiny Encryption Algorithm, each by itself, with one key of 128
// bits. n is a multiple of 2.
//
// BLOCK_SIZE  work-items in a work-group
// VECTOR      cipher blocks in one load, operation and store
// ITEMS       vectors that a work-item encrypts, BLOCK_SIZE vectors apart
// BATCH       of them, those that are encrypted together, cycle by cycle; they do not wait for each other
// UNROLL      how far the loop over the 32 cycles is unrolled

// The left halves of the cipher blocks of a vector are its even components.
#if VECTOR == 1
typedef uint half_t;
typedef uint2 vector_t;
#else
typedef uint2 half_t;
typedef uint4 vector_t;
#endif

__kernel __attribute__((reqd_work_group_size(BLOCK_SIZE, 1, 1))) void tea(
    __global const vector_t* restrict plain, __global vector_t* restrict cipher, const int n, const uint key0,
    const uint key1, const uint key2, const uint key3) {
  const int first = get_group_id(0) * (BLOCK_SIZE * ITEMS) + get_local_id(0);
  for (int batch = 0; batch < ITEMS; batch += BATCH) {
    half_t left[BATCH];
    half_t right[BATCH];
    for (int i = 0; i < BATCH; ++i) {
      const int at = first + (batch + i) * BLOCK_SIZE;
      const vector_t vector = at < n / VECTOR ? plain[at] : (vector_t)(0);
      left[i] = vector.even;
      right[i] = vector.odd;
    }
    uint sum = 0;
#pragma unroll UNROLL
    for (int cycle = 0; cycle < 32; ++cycle) {
      sum += 0x9e3779b9u;
      for (int i = 0; i < BATCH; ++i) {
        left[i] += ((right[i] << 4) + key0) ^ (right[i] + sum) ^ ((right[i] >> 5) + key1);
        right[i] += ((left[i] << 4) + key2) ^ (left[i] + sum) ^ ((left[i] >> 5) + key3);
      }
    }
    for (int i = 0; i < BATCH; ++i) {
      const int at = first + (batch + i) * BLOCK_SIZE;
      vector_t vector;
      vector.even = left[i];
      vector.odd = right[i];
      if (at < n / VECTOR) cipher[at] = vector;
    }
  }
}
