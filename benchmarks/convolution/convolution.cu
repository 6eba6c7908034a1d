// output = input convolved with a 7x7 filter. The input is the image with a border of three elements on each side;
// width and height are those of the output, and multiples of 512.
//
// A block computes (TBY * WPTY) x (TBX * WPTX) outputs, from as many inputs and their halo.
//
// TBX, TBY          threads that compute, in each dimension
// WPTX, WPTY        outputs per thread in each dimension
// LOCAL             where the inputs of a block come from: 0: global memory, at every use;
//                   1: shared memory, filled by the computing threads, which share the halo;
//                   2: shared memory, filled by additional threads for the halo, each loading as many elements as the
//                      computing ones
// TBX_XL, TBY_XL    threads in the block: TBX, TBY and for LOCAL == 2 those for the halo
// VECTOR            elements in one addition and store along a row; inputs lie at any element, so that they load singly
// UNROLL_FACTOR     how far the loop along a row of the filter is unrolled
// PADDING           1: one unused element per row in shared memory, against conflicts between memory banks

#include "../pack.cuh"

constexpr int kFilterSize = 7;
constexpr int kHalo = kFilterSize - 1;
constexpr int kBlockWidth = TBX * WPTX;
constexpr int kBlockHeight = TBY * WPTY;
constexpr int kVectorsX = WPTX / VECTOR;  // per thread
constexpr int kThreads = TBX_XL * TBY_XL;
constexpr int kMaxThreads = 1024;  // larger blocks exist in the space, but on no GPU

using Elements = Pack<float, VECTOR>;

__device__ Elements load(const float* from) {
  Elements elements;
#pragma unroll
  for (int i = 0; i < VECTOR; ++i) elements.element[i] = from[i];
  return elements;
}

#if LOCAL
constexpr int kTileWidth = kBlockWidth + kHalo;
constexpr int kTileHeight = kBlockHeight + kHalo;
constexpr int kTilePitch = kTileWidth + PADDING;

// Fills `tile` with the block's inputs, whose first element is `corner`.
__device__ void load_tile(float* tile, const float* __restrict__ corner, const int input_pitch) {
  const int lx = threadIdx.x;
  const int ly = threadIdx.y;
#if LOCAL == 1
  for (int y = ly; y < kTileHeight; y += TBY) {
    for (int i = 0; i < WPTX; ++i) tile[y * kTilePitch + lx * WPTX + i] = corner[y * input_pitch + lx * WPTX + i];
    for (int x = kBlockWidth + lx; x < kTileWidth; x += TBX) tile[y * kTilePitch + x] = corner[y * input_pitch + x];
  }
#else
  for (int j = 0; j < WPTY; ++j) {
    const int y = ly * WPTY + j;
    for (int i = 0; i < WPTX; ++i) {
      const int x = lx * WPTX + i;
      if (x < kTileWidth && y < kTileHeight) tile[y * kTilePitch + x] = corner[y * input_pitch + x];
    }
  }
#endif
  __syncthreads();
}
#endif

extern "C" __global__ void __launch_bounds__(kThreads < kMaxThreads ? kThreads : kMaxThreads)
    convolution(const int width, const int height, const float* __restrict__ input, const float* __restrict__ filter,
                float* __restrict__ output) {
  const int block_x = blockIdx.x * kBlockWidth;
  const int block_y = blockIdx.y * kBlockHeight;
  const int input_pitch = width + kHalo;
  const float* corner = input + block_y * input_pitch + block_x;
#if LOCAL
  __shared__ float tile[kTileHeight * kTilePitch];
  load_tile(tile, corner, input_pitch);
  const float* source = tile;
  constexpr int pitch = kTilePitch;
#else
  const float* source = corner;
  const int pitch = input_pitch;
#endif
  const int lx = threadIdx.x;
  const int ly = threadIdx.y;
#if LOCAL == 2
  if (lx >= TBX || ly >= TBY) return;  // they only load
#endif

  source += ly * WPTY * pitch + lx * WPTX;
  Elements sums[WPTY][kVectorsX] = {};
#pragma unroll 1
  for (int fy = 0; fy < kFilterSize; ++fy) {
#pragma unroll UNROLL_FACTOR
    for (int fx = 0; fx < kFilterSize; ++fx) {
      const float weight = filter[fy * kFilterSize + fx];
#pragma unroll
      for (int j = 0; j < WPTY; ++j) {
#pragma unroll
        for (int i = 0; i < kVectorsX; ++i)
          sums[j][i].add_scaled(weight, load(source + (j + fy) * pitch + i * VECTOR + fx));
      }
    }
  }

  output += (block_y + ly * WPTY) * width + block_x + lx * WPTX;
#pragma unroll
  for (int j = 0; j < WPTY; ++j) {
#pragma unroll
    for (int i = 0; i < kVectorsX; ++i) reinterpret_cast<Elements*>(output + j * width)[i] = sums[j][i];
  }
}
