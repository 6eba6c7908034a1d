// y = A x, with a sparse matrix A in compressed rows: the elements of row r have the numbers row_starts[r] up to
// row_starts[r + 1], each with its value and its column.
//
// BLOCK_SIZE  threads in a block
// LANES       neighbouring threads that share a row and add up their sums
// ROWS        rows of such a group of threads, one after another
// UNROLL      how far a thread's loop over its part of a row is unrolled
// STAGED      0: threads read the elements of their rows; else all threads of the block together compute STAGED
//             products each into shared memory, in the order of memory, from which the rows are then added up

constexpr int kGroups = BLOCK_SIZE / LANES;
constexpr int kUnroll = UNROLL;  // nvcc knows no macros in a pragma

// The sum over the threads that share a row, for all of them.
__device__ float sum_of_lanes(float sum) {
#pragma unroll
  for (int distance = LANES / 2; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
  return sum;
}

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    spmv(const int rows, const int* __restrict__ row_starts, const int* __restrict__ columns,
         const float* __restrict__ values, const float* __restrict__ x, float* __restrict__ y) {
  const int lane = threadIdx.x % LANES;
  const int block_row = blockIdx.x * (kGroups * ROWS);
  const int first_row = block_row + threadIdx.x / LANES;
  int begin[ROWS], end[ROWS];
  float sum[ROWS];
#pragma unroll
  for (int i = 0; i < ROWS; ++i) {
    const int row = first_row + i * kGroups;
    begin[i] = row_starts[min(row, rows)];
    end[i] = row_starts[min(row + 1, rows)];
    sum[i] = 0.0f;
  }

#if STAGED
  constexpr int kTile = BLOCK_SIZE * STAGED;
  __shared__ float products[kTile];
  const int block_begin = row_starts[min(block_row, rows)];
  const int block_end = row_starts[min(block_row + kGroups * ROWS, rows)];
#pragma unroll 1
  for (int tile = block_begin; tile < block_end; tile += kTile) {
    const int tile_end = min(tile + kTile, block_end);
    __syncthreads();  // before this tile overwrites the last one
#pragma unroll
    for (int i = 0; i < STAGED; ++i) {
      const int element = tile + i * BLOCK_SIZE + threadIdx.x;
      if (element < tile_end) products[element - tile] = values[element] * x[columns[element]];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ROWS; ++i) {
      const int last = min(end[i], tile_end);
#pragma unroll kUnroll
      for (int element = max(begin[i], tile) + lane; element < last; element += LANES)
        sum[i] += products[element - tile];
    }
  }
#else
#pragma unroll
  for (int i = 0; i < ROWS; ++i) {
#pragma unroll kUnroll
    for (int element = begin[i] + lane; element < end[i]; element += LANES)
      sum[i] += values[element] * x[columns[element]];
  }
#endif

#pragma unroll
  for (int i = 0; i < ROWS; ++i) {
    const float total = sum_of_lanes(sum[i]);
    const int row = first_row + i * kGroups;
    if (lane == 0 && row < rows) y[row] = total;
  }
}
