// cipher = plain, n blocks of 64 bits encrypted by the Tiny Encryption Algorithm, each by itself, with one key of 128
// bits. n is a multiple of 2.
//
// BLOCK_SIZE  threads in a block
// VECTOR      cipher blocks in one load and store
// ITEMS       vectors that a thread encrypts, BLOCK_SIZE vectors apart
// BATCH       of them, those that are encrypted together, cycle by cycle; they do not wait for each other
// UNROLL      how far the loop over the 32 cycles is unrolled

#include "../pack.cuh"

using Vector = Pack<unsigned, 2 * VECTOR>;

constexpr int kUnroll = UNROLL;  // nvcc knows no macros in a pragma

struct Key {
  unsigned word[4];
};

__device__ void encrypt(Vector (&vectors)[BATCH], const Key& key) {
  unsigned sum = 0;
#pragma unroll kUnroll
  for (int cycle = 0; cycle < 32; ++cycle) {
    sum += 0x9e3779b9u;
#pragma unroll
    for (int i = 0; i < BATCH * VECTOR; ++i) {
      unsigned& left = vectors[i / VECTOR].element[i % VECTOR * 2];
      unsigned& right = vectors[i / VECTOR].element[i % VECTOR * 2 + 1];
      left += ((right << 4) + key.word[0]) ^ (right + sum) ^ ((right >> 5) + key.word[1]);
      right += ((left << 4) + key.word[2]) ^ (left + sum) ^ ((left >> 5) + key.word[3]);
    }
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    tea(const Vector* __restrict__ plain, Vector* __restrict__ cipher, const int n, const unsigned key0,
        const unsigned key1, const unsigned key2, const unsigned key3) {
  const int first = blockIdx.x * (BLOCK_SIZE * ITEMS) + threadIdx.x;
#pragma unroll 1
  for (int batch = 0; batch < ITEMS; batch += BATCH) {
    Vector vectors[BATCH] = {};
#pragma unroll
    for (int i = 0; i < BATCH; ++i) {
      const int at = first + (batch + i) * BLOCK_SIZE;
      if (at < n / VECTOR) vectors[i] = plain[at];
    }
    encrypt(vectors, {{key0, key1, key2, key3}});
#pragma unroll
    for (int i = 0; i < BATCH; ++i) {
      const int at = first + (batch + i) * BLOCK_SIZE;
      if (at < n / VECTOR) cipher[at] = vectors[i];
    }
  }
}
