// c = a + b, element by element.
//
// block_size_x  threads in a block
// vector        elements that one load, addition and store handle
// items         vectors that one thread handles
// strided       1: the vectors of a thread lie block_size_x vectors apart, so that neighbouring threads touch
// neighbouring
//               memory at every step; 0: they lie side by side

#include "../pack.cuh"

using Elements = Pack<float, vector>;

extern "C" __global__ void __launch_bounds__(block_size_x)
    vector_add(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, const int n) {
  const int first = blockIdx.x * block_size_x * items;  // of this block, in vectors
#pragma unroll
  for (int item = 0; item < items; ++item) {
    const int index = first + (strided ? item * block_size_x + threadIdx.x : threadIdx.x * items + item);
    if ((index + 1) * vector <= n) {
      Elements sum = reinterpret_cast<const Elements*>(a)[index];
      sum += reinterpret_cast<const Elements*>(b)[index];
      reinterpret_cast<Elements*>(c)[index] = sum;
    } else {
      for (int i = index * vector; i < n; ++i) c[i] = a[i] + b[i];
    }
  }
}
