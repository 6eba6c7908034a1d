// output = input convolved with a 7x7 filter. The input is the image with a border of three elements on each side;
// width and height are those of the output, and multiples of 512.
//
// A work-group computes a block of (TBY * WPTY) x (TBX * WPTX) outputs, from that block and its halo of inputs.
//
// TBX, TBY          work-items that compute, in each dimension
// WPTX, WPTY        outputs per work-item in each dimension
// LOCAL             where the inputs of a block come from: 0: global memory, at every use;
//                   1: local memory, filled by the computing work-items, which share the halo;
//                   2: local memory, filled by additional work-items for the halo, each loading as many elements as
//                      the computing ones
// TBX_XL, TBY_XL    work-items in the work-group: TBX, TBY and for LOCAL == 2 those for the halo
// VECTOR            elements in one load, multiplication and store along a row
// UNROLL_FACTOR     how far the loop along a row of the filter is unrolled
// PADDING           1: one unused element per row in local memory, against conflicts between memory banks

#define FILTER_SIZE 7
#define HALO (FILTER_SIZE - 1)
#define BLOCK_WIDTH (TBX * WPTX)
#define BLOCK_HEIGHT (TBY * WPTY)
#define TILE_WIDTH (BLOCK_WIDTH + HALO)
#define TILE_HEIGHT (BLOCK_HEIGHT + HALO)
#define TILE_PITCH (TILE_WIDTH + PADDING)
#define VECTORS_X (WPTX / VECTOR)  // per work-item

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#if VECTOR == 1
typedef float vector_t;
#define LOAD(pointer) (*(pointer))
#define STORE(value, pointer) *(pointer) = (value)
#else
typedef JOIN(float, VECTOR) vector_t;
#define LOAD(pointer) JOIN(vload, VECTOR)(0, pointer)
#define STORE(value, pointer) JOIN(vstore, VECTOR)(value, 0, pointer)
#endif

#if LOCAL == 0
#define SOURCE __global const float*
#else
#define SOURCE __local const float*

// Fills `tile` with the block's inputs, whose first element is `corner`.
void load_tile(__local float* tile, __global const float* restrict corner, const int input_pitch) {
  const int lx = get_local_id(0);
  const int ly = get_local_id(1);
#if LOCAL == 1
  for (int y = ly; y < TILE_HEIGHT; y += TBY) {
    for (int i = 0; i < VECTORS_X; ++i) {
      const int x = lx * WPTX + i * VECTOR;
      STORE(LOAD(corner + y * input_pitch + x), tile + y * TILE_PITCH + x);
    }
    for (int x = BLOCK_WIDTH + lx; x < TILE_WIDTH; x += TBX) tile[y * TILE_PITCH + x] = corner[y * input_pitch + x];
  }
#else
  for (int j = 0; j < WPTY; ++j) {
    const int y = ly * WPTY + j;
    for (int i = 0; i < VECTORS_X; ++i) {
      const int x = lx * WPTX + i * VECTOR;
      if (x < TILE_WIDTH && y < TILE_HEIGHT) STORE(LOAD(corner + y * input_pitch + x), tile + y * TILE_PITCH + x);
    }
  }
#endif
  barrier(CLK_LOCAL_MEM_FENCE);
}
#endif

__kernel __attribute__((reqd_work_group_size(TBX_XL, TBY_XL, 1))) void convolution(const int width, const int height, __global const float* restrict input,
                          __constant float* restrict filter, __global float* restrict output) {
  const int block_x = get_group_id(0) * BLOCK_WIDTH;
  const int block_y = get_group_id(1) * BLOCK_HEIGHT;
  const int input_pitch = width + HALO;
  __global const float* corner = input + block_y * input_pitch + block_x;
#if LOCAL == 0
  SOURCE source = corner;
  const int pitch = input_pitch;
#else
  __local float tile[TILE_HEIGHT * TILE_PITCH];
  load_tile(tile, corner, input_pitch);
  SOURCE source = tile;
  const int pitch = TILE_PITCH;
#endif
  const int lx = get_local_id(0);
  const int ly = get_local_id(1);
#if LOCAL == 2
  if (lx >= TBX || ly >= TBY) return;  // they only load
#endif

  source += ly * WPTY * pitch + lx * WPTX;
  vector_t sums[WPTY][VECTORS_X];
  for (int j = 0; j < WPTY; ++j)
    for (int i = 0; i < VECTORS_X; ++i) sums[j][i] = (vector_t)(0.0f);

  for (int fy = 0; fy < FILTER_SIZE; ++fy) {
#if UNROLL_FACTOR == FILTER_SIZE
#pragma unroll
#else
#pragma unroll 1
#endif
    for (int fx = 0; fx < FILTER_SIZE; ++fx) {
      const float weight = filter[fy * FILTER_SIZE + fx];
#pragma unroll
      for (int j = 0; j < WPTY; ++j) {
#pragma unroll
        for (int i = 0; i < VECTORS_X; ++i) sums[j][i] += weight * LOAD(source + (j + fy) * pitch + i * VECTOR + fx);
      }
    }
  }

  output += (block_y + ly * WPTY) * width + block_x + lx * WPTX;
  for (int j = 0; j < WPTY; ++j)
    for (int i = 0; i < VECTORS_X; ++i) STORE(sums[j][i], output + j * width + i * VECTOR);
}
