// to = for each point of a grid inside its faces, centre times itself and neighbour times the sum of the six around it;
// points on the faces stay as they are.
//
// A thread walks through planes and keeps what it needs of the planes below and above in registers.
//
// BLOCK_X, BLOCK_Y  threads in a block
// ROWS              rows of a thread, BLOCK_Y rows apart
// PLANES            planes of a block
// UNROLL            how far the loop over the planes is unrolled
// STAGED            1: the plane and a frame of one point around it go through shared memory; 0: neighbours in the
//                   plane are read from global memory

constexpr int kUnroll = UNROLL;  // nvcc knows no macros in a pragma

struct Grid {
  const float* __restrict__ points;
  int width, height, depth;

  // The point itself, or the nearest one of the plane.
  __device__ float operator()(int x, int y, int z) const {
    x = min(max(x, 0), width - 1);
    y = min(max(y, 0), height - 1);
    return points[(z * height + y) * width + x];
  }
};

#if STAGED
// A plane of the block with its frame.
struct Tile {
  float point[BLOCK_Y * ROWS + 2][BLOCK_X + 2];

  __device__ void load(const Grid& from, const float (&here)[ROWS], int x, int y, int z) {
    const int column = threadIdx.x + 1;
#pragma unroll
    for (int i = 0; i < ROWS; ++i) {
      const int row = threadIdx.y + i * BLOCK_Y + 1;
      point[row][column] = here[i];
      if (threadIdx.x == 0) point[row][0] = from(x - 1, y + i * BLOCK_Y, z);
      if (threadIdx.x == BLOCK_X - 1) point[row][BLOCK_X + 1] = from(x + 1, y + i * BLOCK_Y, z);
    }
    if (threadIdx.y == 0) point[0][column] = from(x, y - 1, z);
    if (threadIdx.y == BLOCK_Y - 1) point[BLOCK_Y * ROWS + 1][column] = from(x, y + (ROWS - 1) * BLOCK_Y + 1, z);
  }
};
#endif

extern "C" __global__ void __launch_bounds__(BLOCK_X* BLOCK_Y)
    stencil(const float* __restrict__ from, float* __restrict__ to, const int width, const int height, const int depth,
            const float centre, const float neighbour) {
  const Grid grid = {from, width, height, depth};
  const int x = blockIdx.x * BLOCK_X + threadIdx.x;
  const int y = blockIdx.y * (BLOCK_Y * ROWS) + threadIdx.y;
  const int first = blockIdx.z * PLANES;
  const int last = min(first + PLANES, depth);
  float below[ROWS], here[ROWS], above[ROWS];
#pragma unroll
  for (int i = 0; i < ROWS; ++i) {
    here[i] = grid(x, y + i * BLOCK_Y, max(first - 1, 0));
    above[i] = grid(x, y + i * BLOCK_Y, first);
  }
#if STAGED
  __shared__ Tile tile;
#endif

#pragma unroll kUnroll
  for (int z = first; z < last; ++z) {
#pragma unroll
    for (int i = 0; i < ROWS; ++i) {
      below[i] = here[i];
      here[i] = above[i];
      above[i] = grid(x, y + i * BLOCK_Y, min(z + 1, depth - 1));
    }
#if STAGED
    __syncthreads();  // before this plane overwrites the last one
    tile.load(grid, here, x, y, z);
    __syncthreads();
#endif
#pragma unroll
    for (int i = 0; i < ROWS; ++i) {
      const int row = y + i * BLOCK_Y;
      if (x >= width || row >= height) continue;
      float result = here[i];
      if (x > 0 && x < width - 1 && row > 0 && row < height - 1 && z > 0 && z < depth - 1) {
#if STAGED
        const int ty = threadIdx.y + i * BLOCK_Y + 1;
        const int tx = threadIdx.x + 1;
        const float around =
            tile.point[ty][tx - 1] + tile.point[ty][tx + 1] + tile.point[ty - 1][tx] + tile.point[ty + 1][tx];
#else
        const float* point = &from[(z * height + row) * width + x];
        const float around = point[-1] + point[1] + point[-width] + point[width];
#endif
        result = centre * result + neighbour * (around + below[i] + above[i]);
      }
      to[(z * height + row) * width + x] = result;
    }
  }
}
