// y = A x, with a sparse matrix A in compressed rows: the elements of row r have the numbers row_starts[r] up to
// row_starts[r + 1], each with its value and its column.
//
// BLOCK_SIZE  work-items in a work-group
// LANES       neighbouring work-items that share a row and add up their sums
// ROWS        rows of such a group of work-items, one after another
// UNROLL      how far a work-item's loop over its part of a row is unrolled
// STAGED      0: work-items read the elements of their rows; else all work-items of the work-group together compute
//             STAGED products each into local memory, in the order of memory, from which the rows are then added up

#define GROUPS (BLOCK_SIZE / LANES)
#define TILE (BLOCK_SIZE * STAGED)

// The sum over the work-items that share a row, for the first of them.
float sum_of_lanes(float sum, __local float* partials) {
#if LANES > 1
  const int id = get_local_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);  // before these sums overwrite those of the last row
  partials[id] = sum;
  for (int distance = LANES / 2; distance > 0; distance /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id % LANES < distance) partials[id] += partials[id + distance];
  }
  return partials[id];
#else
  return sum;
#endif
}

__kernel __attribute__((reqd_work_group_size(BLOCK_SIZE, 1, 1))) void spmv(
    const int rows, __global const int* restrict row_starts, __global const int* restrict columns,
    __global const float* restrict values, __global const float* restrict x, __global float* restrict y) {
  __local float partials[BLOCK_SIZE];
  const int lane = get_local_id(0) % LANES;
  const int group_row = get_group_id(0) * (GROUPS * ROWS);
  const int first_row = group_row + get_local_id(0) / LANES;
  int begin[ROWS], end[ROWS];
  float sum[ROWS];
  for (int i = 0; i < ROWS; ++i) {
    const int row = first_row + i * GROUPS;
    begin[i] = row_starts[min(row, rows)];
    end[i] = row_starts[min(row + 1, rows)];
    sum[i] = 0.0f;
  }

#if STAGED
  __local float products[TILE];
  const int group_begin = row_starts[min(group_row, rows)];
  const int group_end = row_starts[min(group_row + GROUPS * ROWS, rows)];
  for (int tile = group_begin; tile < group_end; tile += TILE) {
    const int tile_end = min(tile + TILE, group_end);
    barrier(CLK_LOCAL_MEM_FENCE);  // before this tile overwrites the last one
    for (int element = tile + (int)get_local_id(0); element < tile_end; element += BLOCK_SIZE)
      products[element - tile] = values[element] * x[columns[element]];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < ROWS; ++i) {
      const int last = min(end[i], tile_end);
#pragma unroll UNROLL
      for (int element = max(begin[i], tile) + lane; element < last; element += LANES)
        sum[i] += products[element - tile];
    }
  }
#else
  for (int i = 0; i < ROWS; ++i) {
#pragma unroll UNROLL
    for (int element = begin[i] + lane; element < end[i]; element += LANES)
      sum[i] += values[element] * x[columns[element]];
  }
#endif

  for (int i = 0; i < ROWS; ++i) {
    const float total = sum_of_lanes(sum[i], partials);
    const int row = first_row + i * GROUPS;
    if (lane == 0 && row < rows) y[row] = total;
  }
}
