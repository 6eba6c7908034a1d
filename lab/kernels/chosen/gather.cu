// sums[i] = the sum of eight elements of a table at places that a hash scatters over all of it. Reads of a warp hardly
// ever meet in a sector of 32 bytes, and none waits for another.
__device__ unsigned scattered(unsigned number) {
  number ^= number >> 16;
  number *= 0x7feb352du;
  number ^= number >> 15;
  number *= 0x846ca68bu;
  return number ^ number >> 16;
}

extern "C" __global__ void __launch_bounds__(256)
    gather(const float* __restrict__ table, float* __restrict__ sums, unsigned places, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
#pragma unroll
  for (unsigned k = 0; k < 8; ++k) sum += table[scattered(i * 8 + k) & places - 1];
  sums[i] = sum;
}
