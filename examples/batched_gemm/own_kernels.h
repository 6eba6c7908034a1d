// The application's own kernels, in text that is both OpenCL C and CUDA C++. The first kernel multiplies matrices of
// any size, and runs until a tuned kernel is available. The second collects some products of a batch for checking. The
// third is the reference of the tuned kernel.
#pragma once

namespace batched_gemm {

// The macros with which a kernel's text is valid in both languages.
inline constexpr char kEitherLanguage[] = R"(
#ifdef __OPENCL_VERSION__
#define KERNEL __kernel
#define GLOBAL __global
#define LOCAL __local
#define FUNCTION
#define LOCAL_PARAMETER , __local float* tile
#define DECLARE_LOCAL
#define SYNCHRONIZE barrier(CLK_LOCAL_MEM_FENCE)
#define GROUP (int)get_group_id(0)
#define ITEM (int)get_local_id(0)
#define ITEMS (int)get_local_size(0)
typedef size_t Index;
#else
#define KERNEL extern "C" __global__
#define GLOBAL
#define LOCAL
#define FUNCTION __device__
#define LOCAL_PARAMETER
#define DECLARE_LOCAL extern __shared__ float4 vectors[]; float* const tile = (float*)vectors;
#define SYNCHRONIZE __syncthreads()
#define GROUP (int)blockIdx.x
#define ITEM (int)threadIdx.x
#define ITEMS (int)blockDim.x
typedef unsigned long long Index;
#endif
)";

// The source of the application's kernels. ROWS and COLUMNS are the rows and columns of the block of C that a work-item
// computes at once.
inline constexpr char kOwnKernels[] = R"(
// Both begin at a multiple of four elements.
FUNCTION void load(LOCAL float* to, GLOBAL const float* from, int elements) {
#pragma unroll 4
  for (int i = ITEM; i < elements / 4; i += ITEMS) ((LOCAL float4*)to)[i] = ((GLOBAL const float4*)from)[i];
  for (int i = elements / 4 * 4 + ITEM; i < elements; i += ITEMS) to[i] = from[i];
}

// A work-group computes `products` of them, a multiple of four, some of them at a time. What a work-item does for each is
// the same block of C, so that it divides only once; where the block goes beyond C, it computes the last row or column
// again and leaves it out.
KERNEL void multiply_any(GLOBAL const float* a, GLOBAL const float* b, GLOBAL float* c, int batch, int size_a,
                         int size_b, int size_c, int products LOCAL_PARAMETER) {
  DECLARE_LOCAL
  const int first = GROUP * products;
  const int here = products < batch - first ? products : batch - first;
  const int of_a = size_a * size_b;
  const int of_b = size_a * size_c;
  const int of_c = size_b * size_c;
  LOCAL float* const tile_b = tile + products * of_a;
  load(tile, a + (Index)first * of_a, here * of_a);
  load(tile_b, b + (Index)first * of_b, here * of_b);
  SYNCHRONIZE;
  c += (Index)first * of_c;
  const int columns = (size_c + COLUMNS - 1) / COLUMNS;           // of work-items
  const int items = (size_b + ROWS - 1) / ROWS * columns;
  const int at_once = ITEMS / items;
  const int begin = ITEM / items;
  const int y = (ITEM - begin * items) / columns * ROWS;
  const int x = (ITEM - begin * items) % columns;
  int row_at[ROWS];
  int column_at[COLUMNS];
#pragma unroll
  for (int i = 0; i < ROWS; ++i) row_at[i] = (y + i < size_b ? y + i : size_b - 1) * size_a;
#pragma unroll
  for (int j = 0; j < COLUMNS; ++j) column_at[j] = x + j * columns < size_c ? x + j * columns : size_c - 1;
  for (int product = begin < at_once ? begin : here; product < here; product += at_once) {
    LOCAL const float* const rows = tile + product * of_a;
    LOCAL const float* row_of_b = tile_b + product * of_b;
    float sums[ROWS][COLUMNS];
#pragma unroll
    for (int i = 0; i < ROWS * COLUMNS; ++i) sums[i / COLUMNS][i % COLUMNS] = 0.0f;
#pragma unroll 4
    for (int k = 0; k < size_a; ++k) {
      float of_row[ROWS];
      float of_column[COLUMNS];
#pragma unroll
      for (int i = 0; i < ROWS; ++i) of_row[i] = rows[row_at[i] + k];
#pragma unroll
      for (int j = 0; j < COLUMNS; ++j) of_column[j] = row_of_b[column_at[j]];
#pragma unroll
      for (int i = 0; i < ROWS * COLUMNS; ++i)
        sums[i / COLUMNS][i % COLUMNS] += of_row[i / COLUMNS] * of_column[i % COLUMNS];
      row_of_b += size_c;
    }
    GLOBAL float* const block = c + product * of_c + y * size_c + x;
#pragma unroll
    for (int i = 0; i < ROWS * COLUMNS; ++i)
      if (y + i / COLUMNS < size_b && x + i % COLUMNS * columns < size_c)
        block[i / COLUMNS * size_c + i % COLUMNS * columns] = sums[i / COLUMNS][i % COLUMNS];
  }
}

// Every `stride`-th product from `first` on, one by each work-group, round the end of the batch.
KERNEL void collect(GLOBAL const float* c, GLOBAL float* samples, int batch, int elements, int first, int stride) {
  const Index product = (first + (Index)GROUP * stride) % batch;
  for (int i = ITEM; i < elements; i += ITEMS) samples[GROUP * elements + i] = c[product * elements + i];
}
)";

// The source of the reference, which is compiled with the macros of the tuned kernel. Each work-item computes one
// element of C; elements are numbered through the batch.
inline constexpr char kReference[] = R"(
KERNEL void multiply_simply(GLOBAL const float* a, GLOBAL const float* b, GLOBAL float* c, int batch) {
  const Index element = (Index)GROUP * ITEMS + ITEM;
  const Index product = element / (SIZE_B * SIZE_C);
  if (product >= batch) return;
  const int row = element % (SIZE_B * SIZE_C) / SIZE_C;
  float sum = 0.0f;
  for (int k = 0; k < SIZE_A; ++k)
    sum += a[(product * SIZE_B + row) * SIZE_A + k] * b[(product * SIZE_A + k) * SIZE_C + element % SIZE_C];
  c[element] = sum;
}
)";

}  // namespace batched_gemm
