// output = transposed input. The input has `height` rows of `width` elements; both are multiples of 64.
//
// A block transposes one tile of TILE_SIZE_Y rows and TILE_SIZE_X vectors, WORK_GROUP_SIZE_Y rows at a time.
//
// VECTOR_TYPE        elements in one load
// CR                 1: the input is declared read-only and unaliased, so that loads may go through the read-only cache
// PREFETCH           how many steps ahead a thread asks for its data; 0: not at all
// LOCAL_MEM          1: through a tile in shared memory, so that stores are as contiguous as loads; 0: directly
// PADD_LOCAL         1: one unused element per row of the tile, against conflicts between memory banks
// WORK_GROUP_SIZE_X, WORK_GROUP_SIZE_Y, TILE_SIZE_X, TILE_SIZE_Y   shapes; TILE_SIZE_X equals WORK_GROUP_SIZE_X
// DIAGONAL_MAP       1: neighbouring blocks take tiles along a diagonal, against conflicts between memory channels

#include "../pack.cuh"

using Elements = Pack<float, VECTOR_TYPE>;

#if CR
using Input = const Elements* __restrict__;
#else
using Input = Elements*;
#endif

constexpr int kBlockSize = WORK_GROUP_SIZE_X * WORK_GROUP_SIZE_Y;
constexpr int kRows = TILE_SIZE_Y / WORK_GROUP_SIZE_Y;  // per thread
// Of them, those that are loaded before the first is stored: the memory's latency is paid once for up to 16 elements.
constexpr int kBatch = kRows * VECTOR_TYPE < 16 ? kRows : 16 / VECTOR_TYPE;
constexpr int kMaxBlockSize = 1024;  // larger ones exist in the space, but on no GPU

extern "C" __global__ void __launch_bounds__(kBlockSize < kMaxBlockSize ? kBlockSize : kMaxBlockSize)
    transpose(float* output, Input input, const int width, const int height) {
  const int pitch = width / VECTOR_TYPE;  // of the input, in vectors
  int tile_x = blockIdx.x;
  int tile_y = blockIdx.y;
#if DIAGONAL_MAP
  const int block = tile_x + tile_y * gridDim.x;
  tile_y = block % gridDim.y;
  tile_x = (block / gridDim.y + tile_y) % gridDim.x;
#endif
  const int x = tile_x * TILE_SIZE_X + threadIdx.x;  // in vectors
  const int first_row = tile_y * TILE_SIZE_Y;
#if LOCAL_MEM
  __shared__ float tile[TILE_SIZE_Y][TILE_SIZE_X + PADD_LOCAL];
#endif

  for (int batch = threadIdx.y; batch < TILE_SIZE_Y; batch += kBatch * WORK_GROUP_SIZE_Y) {
    Elements values[kBatch];
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      const int row = batch + i * WORK_GROUP_SIZE_Y;
#if PREFETCH
      const int ahead = row + PREFETCH * WORK_GROUP_SIZE_Y;
      if (ahead < TILE_SIZE_Y) asm volatile("prefetch.global.L2 [%0];" ::"l"(&input[(first_row + ahead) * pitch + x]));
#endif
      values[i] = input[(first_row + row) * pitch + x];
    }
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      const int row = batch + i * WORK_GROUP_SIZE_Y;
#if LOCAL_MEM
      tile[row][threadIdx.x] = values[i].element[0];
#else
#pragma unroll
      for (int j = 0; j < VECTOR_TYPE; ++j)
        output[(x * VECTOR_TYPE + j) * height + first_row + row] = values[i].element[j];
#endif
    }
  }

#if LOCAL_MEM
  // The threads line up along the rows of the output, which are the columns of the tile.
  __syncthreads();
  const int id = threadIdx.y * WORK_GROUP_SIZE_X + threadIdx.x;
  const int row = id % TILE_SIZE_Y;
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    const int column = id / TILE_SIZE_Y + i * (kBlockSize / TILE_SIZE_Y);
    output[(tile_x * TILE_SIZE_X + column) * height + first_row + row] = tile[row][column];
  }
#endif
}
