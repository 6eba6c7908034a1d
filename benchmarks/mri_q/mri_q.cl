// real and imaginary = for each of n voxels, the sum of magnitude * exp(2 pi i (kx x + ky y + kz z)) over all samples,
// which are four-vectors (kx, ky, kz, magnitude), kx, ky and kz in turns. Their number is a multiple of 256.
//
// BLOCK_SIZE  work-items in a work-group
// ITEMS       voxels of a work-item, BLOCK_SIZE voxels apart; each sample is read once for all of them
// TILE        samples that pass through local memory at a time; 0: each work-item reads them from global memory
// UNROLL      how far the loop over the samples is unrolled
// SINCOS      how sine and cosine are computed: 0: by the library from radians; 1: by the library from turns; 2: by the
//             device's own approximation, after whole turns are taken away

float2 cosine_and_sine(float turns) {
#if SINCOS == 0
  float cosine;
  const float sine = sincos(6.283185307f * turns, &cosine);
  return (float2)(cosine, sine);
#elif SINCOS == 1
  return (float2)(cospi(2.0f * turns), sinpi(2.0f * turns));
#else
  const float radians = 6.283185307f * (turns - rint(turns));
  return (float2)(native_cos(radians), native_sin(radians));
#endif
}

__kernel __attribute__((reqd_work_group_size(BLOCK_SIZE, 1, 1))) void mri_q(
    const int n, const int sample_count, __global const float4* restrict samples, __global const float* restrict x,
    __global const float* restrict y, __global const float* restrict z, __global float* restrict real,
    __global float* restrict imaginary) {
  const int first = get_group_id(0) * (BLOCK_SIZE * ITEMS) + get_local_id(0);
  // Work-items beyond the last voxel compute it too, and store nothing.
  float4 place[ITEMS];
  float2 sums[ITEMS];
  for (int i = 0; i < ITEMS; ++i) {
    const int voxel = min(first + i * BLOCK_SIZE, n - 1);
    place[i] = (float4)(x[voxel], y[voxel], z[voxel], 0.0f);
    sums[i] = (float2)(0.0f);
  }

#if TILE
  __local float4 tile[TILE];
  for (int begin = 0; begin < sample_count; begin += TILE) {
    barrier(CLK_LOCAL_MEM_FENCE);  // before this tile overwrites the last one
    for (int i = get_local_id(0); i < TILE; i += BLOCK_SIZE) tile[i] = samples[begin + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    __local const float4* near = tile;
    const int count = TILE;
#else
  {
    __global const float4* near = samples;
    const int count = sample_count;
#endif
#pragma unroll UNROLL
    for (int j = 0; j < count; ++j) {
      const float4 sample = near[j];
      for (int i = 0; i < ITEMS; ++i) sums[i] += sample.w * cosine_and_sine(dot(sample, place[i]));
    }
  }

  for (int i = 0; i < ITEMS; ++i) {
    const int voxel = first + i * BLOCK_SIZE;
    if (voxel >= n) continue;
    real[voxel] = sums[i].x;
    imaginary[voxel] = sums[i].y;
  }
}
