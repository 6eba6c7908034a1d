// A step of an LU decomposition: the part of the matrix to the right of and below a panel of PANEL columns and rows,
// less the product of what the panel has to its left and above it. The panel itself is decomposed already.
//
// A work-group computes BLOCK x BLOCK elements, with BLOCK columns and rows of the panel at a time in local memory.
//
// BLOCK  work-items of a work-group in each dimension; divides PANEL

#define PANEL 32

__kernel __attribute__((reqd_work_group_size(BLOCK, BLOCK, 1))) void lud(__global const float* restrict matrix,
                                                                       __global float* restrict result, const int n) {
  __local float left[BLOCK][BLOCK];
  __local float above[BLOCK][BLOCK];
  const int column = get_local_id(0);
  const int row = get_local_id(1);
  const int rest = n - PANEL;
  const int x = (int)get_group_id(0) * BLOCK + column;
  const int y = (int)get_group_id(1) * BLOCK + row;
  float product = 0.0f;
  for (int k = 0; k < PANEL; k += BLOCK) {
    left[row][column] = y < rest ? matrix[(PANEL + y) * n + k + column] : 0.0f;
    above[row][column] = x < rest ? matrix[(k + row) * n + PANEL + x] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < BLOCK; ++i) product += left[row][i] * above[i][column];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (x < rest && y < rest) result[y * rest + x] = matrix[(PANEL + y) * n + PANEL + x] - product;
}
