// to = from, n floats. n is a multiple of 4.
//
// BLOCK_SIZE  threads in a block
// VECTOR      elements in one load and store
// ITEMS       vectors that a thread copies, BLOCK_SIZE vectors apart
// BATCH       of them, those that are loaded before the first is stored
// STREAMING   1: caches are told that nothing is used again

template <int kWidth>
struct VectorOf;
template <>
struct VectorOf<1> {
  using type = float;
};
template <>
struct VectorOf<2> {
  using type = float2;
};
template <>
struct VectorOf<4> {
  using type = float4;
};
using Vector = VectorOf<VECTOR>::type;

__device__ Vector load(const Vector* from) {
#if STREAMING
  return __ldcs(from);
#else
  return *from;
#endif
}

__device__ void store(Vector* to, const Vector& value) {
#if STREAMING
  __stcs(to, value);
#else
  *to = value;
#endif
}

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    copy(const Vector* __restrict__ from, Vector* __restrict__ to, const int n) {
  const int count = n / VECTOR;
  const int first = blockIdx.x * (BLOCK_SIZE * ITEMS) + threadIdx.x;
#pragma unroll
  for (int batch = 0; batch < ITEMS; batch += BATCH) {
    Vector values[BATCH];
#pragma unroll
    for (int i = 0; i < BATCH; ++i) {
      const int at = first + (batch + i) * BLOCK_SIZE;
      if (at < count) values[i] = load(&from[at]);
    }
#pragma unroll
    for (int i = 0; i < BATCH; ++i) {
      const int at = first + (batch + i) * BLOCK_SIZE;
      if (at < count) store(&to[at], values[i]);
    }
  }
}
