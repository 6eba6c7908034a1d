// to = for each point of a grid inside its faces, centre times itself and neighbour times the sum of the six around it;
// points on the faces stay as they are.
//
// A work-item walks through planes and keeps what it needs of the planes below and above in registers.
//
// BLOCK_X, BLOCK_Y  work-items in a work-group
// ROWS              rows of a work-item, BLOCK_Y rows apart
// PLANES            planes of a work-group
// UNROLL            how far the loop over the planes is unrolled
// STAGED            1: the plane and a frame of one point around it go through local memory; 0: neighbours in the
//                   plane are read from global memory

#define TILE_X (BLOCK_X + 2)
#define TILE_Y (BLOCK_Y * ROWS + 2)
// The point itself, or the nearest one of the plane.
#define POINT(x, y, z) from[((z) * height + clamp(y, 0, height - 1)) * width + clamp(x, 0, width - 1)]

__kernel __attribute__((reqd_work_group_size(BLOCK_X, BLOCK_Y, 1))) void stencil(
    __global const float* restrict from, __global float* restrict to, const int width, const int height,
    const int depth, const float centre, const float neighbour) {
  const int local_x = get_local_id(0);
  const int local_y = get_local_id(1);
  const int x = (int)get_group_id(0) * BLOCK_X + local_x;
  const int y = (int)get_group_id(1) * BLOCK_Y * ROWS + local_y;
  const int first = get_group_id(2) * PLANES;
  const int last = min(first + PLANES, depth);
  float below[ROWS], here[ROWS], above[ROWS];
  for (int i = 0; i < ROWS; ++i) {
    here[i] = POINT(x, y + i * BLOCK_Y, max(first - 1, 0));
    above[i] = POINT(x, y + i * BLOCK_Y, first);
  }
#if STAGED
  __local float tile[TILE_Y][TILE_X];
#endif

#pragma unroll UNROLL
  for (int z = first; z < last; ++z) {
    for (int i = 0; i < ROWS; ++i) {
      below[i] = here[i];
      here[i] = above[i];
      above[i] = POINT(x, y + i * BLOCK_Y, min(z + 1, depth - 1));
    }
#if STAGED
    barrier(CLK_LOCAL_MEM_FENCE);  // before this plane overwrites the last one
    for (int ty = local_y; ty < TILE_Y; ty += BLOCK_Y)
      for (int tx = local_x; tx < TILE_X; tx += BLOCK_X)
        tile[ty][tx] = POINT(x - local_x + tx - 1, y - local_y + ty - 1, z);
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    for (int i = 0; i < ROWS; ++i) {
      const int row = y + i * BLOCK_Y;
      if (x >= width || row >= height) continue;
      float result = here[i];
      if (x > 0 && x < width - 1 && row > 0 && row < height - 1 && z > 0 && z < depth - 1) {
#if STAGED
        __local const float* point = &tile[local_y + i * BLOCK_Y + 1][local_x + 1];
        const int pitch = TILE_X;
#else
        __global const float* point = &POINT(x, row, z);
        const int pitch = width;
#endif
        const float around = point[-1] + point[1] + point[-pitch] + point[pitch];
        result = centre * result + neighbour * (around + below[i] + above[i]);
      }
      to[(z * height + row) * width + x] = result;
    }
  }
}
