// Stands for tpacf of Parboil, which counts the pairs of galaxies by the angle between them. Written anew from that
// method: the cosine of each pair's angle is looked up among falling edges by a search by halves, and the count of its
// bin in shared memory grows by an atomic addition.
//
// A block has 256 points and compares them with `chunk` others. Points are given by declination and right ascension.
__device__ float3 direction(float2 place) {
  float sine, cosine, sine_of_right, cosine_of_right;
  sincosf(place.x, &sine, &cosine);
  sincosf(place.y, &sine_of_right, &cosine_of_right);
  return {cosine * cosine_of_right, cosine * sine_of_right, sine};
}

extern "C" __global__ void __launch_bounds__(256)
    separations(const float2* __restrict__ sky, const float* __restrict__ edges, int* __restrict__ counts, int chunk) {
  __shared__ float3 others[256];
  __shared__ float limits[32];
  __shared__ int bins[32];
  if (threadIdx.x < 32) {
    limits[threadIdx.x] = edges[threadIdx.x];
    bins[threadIdx.x] = 0;
  }
  const float3 own = direction(sky[blockIdx.x * 256 + threadIdx.x]);
  for (int first = blockIdx.y * chunk; first < (blockIdx.y + 1) * chunk; first += 256) {
    __syncthreads();
    others[threadIdx.x] = direction(sky[first + threadIdx.x]);
    __syncthreads();
    for (int i = 0; i < 256; ++i) {
      const float3 other = others[i];
      const float cosine = own.x * other.x + own.y * other.y + own.z * other.z;
      int bin = 0;
      for (int step = 16; step > 0; step /= 2)
        if (cosine < limits[bin + step - 1]) bin += step;
      atomicAdd(&bins[bin], 1);
    }
  }
  __syncthreads();
  if (threadIdx.x < 32) counts[(blockIdx.y * gridDim.x + blockIdx.x) * 32 + threadIdx.x] = bins[threadIdx.x];
}
