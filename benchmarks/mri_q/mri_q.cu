// real and imaginary = for each of n voxels, the sum of magnitude * exp(2 pi i (kx x + ky y + kz z)) over all samples,
// which are four-vectors (kx, ky, kz, magnitude), kx, ky and kz in turns. Their number is a multiple of 256.
//
// BLOCK_SIZE  threads in a block
// ITEMS       voxels of a thread, BLOCK_SIZE voxels apart; each sample is read once for all of them
// TILE        samples that pass through shared memory at a time; 0: each thread reads them from global memory
// UNROLL      how far the loop over the samples is unrolled
// SINCOS      how sine and cosine are computed: 0: by the library from radians; 1: by the library from turns; 2: by the
//             special function units, after whole turns are taken away

#include "../pack.cuh"

using Sample = Pack<float, 4>;

constexpr int kUnroll = UNROLL;  // nvcc knows no macros in a pragma

__device__ void sine_and_cosine(float turns, float* sine, float* cosine) {
#if SINCOS == 0
  sincosf(6.283185307f * turns, sine, cosine);
#elif SINCOS == 1
  sincospif(2.0f * turns, sine, cosine);
#else
  __sincosf(6.283185307f * (turns - rintf(turns)), sine, cosine);
#endif
}

struct Voxels {
  float x[ITEMS], y[ITEMS], z[ITEMS], real[ITEMS], imaginary[ITEMS];

  __device__ void add(const Sample& sample) {
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      float sine, cosine;
      sine_and_cosine(sample.element[0] * x[i] + sample.element[1] * y[i] + sample.element[2] * z[i], &sine, &cosine);
      real[i] += sample.element[3] * cosine;
      imaginary[i] += sample.element[3] * sine;
    }
  }
};

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    mri_q(const int n, const int sample_count, const Sample* __restrict__ samples, const float* __restrict__ x,
          const float* __restrict__ y, const float* __restrict__ z, float* __restrict__ real,
          float* __restrict__ imaginary) {
  const int first = blockIdx.x * (BLOCK_SIZE * ITEMS) + threadIdx.x;
  // Threads beyond the last voxel compute it too, and store nothing.
  Voxels voxels = {};
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int voxel = min(first + i * BLOCK_SIZE, n - 1);
    voxels.x[i] = x[voxel];
    voxels.y[i] = y[voxel];
    voxels.z[i] = z[voxel];
  }

#if TILE
  __shared__ Sample tile[TILE];
#pragma unroll 1
  for (int begin = 0; begin < sample_count; begin += TILE) {
    __syncthreads();  // before this tile overwrites the last one
    for (int i = threadIdx.x; i < TILE; i += BLOCK_SIZE) tile[i] = samples[begin + i];
    __syncthreads();
#pragma unroll kUnroll
    for (int i = 0; i < TILE; ++i) voxels.add(tile[i]);
  }
#else
#pragma unroll kUnroll
  for (int i = 0; i < sample_count; ++i) voxels.add(samples[i]);
#endif

#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int voxel = first + i * BLOCK_SIZE;
    if (voxel >= n) continue;
    real[voxel] = voxels.real[i];
    imaginary[voxel] = voxels.imaginary[i];
  }
}
