// output = transposed input. The input has `height` rows of `width` elements; both are multiples of 64.
//
// A work-group transposes one tile of TILE_SIZE_Y rows and TILE_SIZE_X vectors, WORK_GROUP_SIZE_Y rows at a time.
//
// VECTOR_TYPE        elements in one load
// CR                 1: the input is declared read-only and unaliased, so that loads may go through a read-only cache
// PREFETCH           how many steps ahead a work-item asks for its data; 0: not at all
// LOCAL_MEM          1: through a tile in local memory, so that stores are as contiguous as loads; 0: directly
// PADD_LOCAL         1: one unused element per row of the tile, against conflicts between memory banks
// WORK_GROUP_SIZE_X, WORK_GROUP_SIZE_Y, TILE_SIZE_X, TILE_SIZE_Y   shapes; TILE_SIZE_X equals WORK_GROUP_SIZE_X
// DIAGONAL_MAP       1: neighbouring work-groups take tiles along a diagonal, against conflicts between memory channels

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#if VECTOR_TYPE == 1
typedef float vector_t;
#define STORE(value, pointer) *(pointer) = (value)
#else
typedef JOIN(float, VECTOR_TYPE) vector_t;
#define STORE(value, pointer) JOIN(vstore, VECTOR_TYPE)(value, 0, pointer)
#endif

#if CR
#define INPUT __global const vector_t* restrict
#else
#define INPUT __global vector_t*
#endif

#define GROUP_SIZE (WORK_GROUP_SIZE_X * WORK_GROUP_SIZE_Y)

__kernel __attribute__((reqd_work_group_size(WORK_GROUP_SIZE_X, WORK_GROUP_SIZE_Y, 1))) void transpose(__global float* output, INPUT input, const int width, const int height) {
  const int pitch = width / VECTOR_TYPE;  // of the input, in vectors
  int tile_x = get_group_id(0);
  int tile_y = get_group_id(1);
#if DIAGONAL_MAP
  const int group = tile_x + tile_y * get_num_groups(0);
  tile_y = group % get_num_groups(1);
  tile_x = (group / get_num_groups(1) + tile_y) % get_num_groups(0);
#endif
  const int x = tile_x * TILE_SIZE_X + get_local_id(0);  // in vectors
  const int first_row = tile_y * TILE_SIZE_Y;
#if LOCAL_MEM
  __local float tile[TILE_SIZE_Y][TILE_SIZE_X + PADD_LOCAL];
#endif

  for (int row = get_local_id(1); row < TILE_SIZE_Y; row += WORK_GROUP_SIZE_Y) {
#if PREFETCH
    const int ahead = row + PREFETCH * WORK_GROUP_SIZE_Y;
    if (ahead < TILE_SIZE_Y) prefetch(&input[(first_row + ahead) * pitch + x], 1);
#endif
    const int y = first_row + row;
    const vector_t values = input[y * pitch + x];
#if LOCAL_MEM
    tile[row][get_local_id(0)] = values;
#else
    float components[VECTOR_TYPE];
    STORE(values, components);
    for (int i = 0; i < VECTOR_TYPE; ++i) output[(x * VECTOR_TYPE + i) * height + y] = components[i];
#endif
  }

#if LOCAL_MEM
  // The work-items line up along the rows of the output, which are the columns of the tile.
  barrier(CLK_LOCAL_MEM_FENCE);
  const int id = get_local_id(1) * WORK_GROUP_SIZE_X + get_local_id(0);
  const int row = id % TILE_SIZE_Y;
  for (int column = id / TILE_SIZE_Y; column < TILE_SIZE_X; column += GROUP_SIZE / TILE_SIZE_Y)
    output[(tile_x * TILE_SIZE_X + column) * height + first_row + row] = tile[row][column];
#endif
}
