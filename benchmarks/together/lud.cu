// A step of an LU decomposition: the part of the matrix to the right of and below a panel of kPanel columns and rows,
// less the product of what the panel has to its left and above it. The panel itself is decomposed already.
//
// A block computes BLOCK x BLOCK elements, with BLOCK columns and rows of the panel at a time in shared memory.
//
// BLOCK  threads of a block in each dimension; divides kPanel

constexpr int kPanel = 32;

extern "C" __global__ void __launch_bounds__(BLOCK* BLOCK)
    lud(const float* __restrict__ matrix, float* __restrict__ result, int n) {
  __shared__ float left[BLOCK][BLOCK];
  __shared__ float above[BLOCK][BLOCK];
  const int column = threadIdx.x;
  const int row = threadIdx.y;
  const int rest = n - kPanel;
  const int x = blockIdx.x * BLOCK + column;
  const int y = blockIdx.y * BLOCK + row;
  float product = 0.0f;
  for (int k = 0; k < kPanel; k += BLOCK) {
    left[row][column] = y < rest ? matrix[(kPanel + y) * n + k + column] : 0.0f;
    above[row][column] = x < rest ? matrix[(k + row) * n + kPanel + x] : 0.0f;
    __syncthreads();
    for (int i = 0; i < BLOCK; ++i) product += left[row][i] * above[i][column];
    __syncthreads();
  }
  if (x < rest && y < rest) result[y * rest + x] = matrix[(kPanel + y) * n + kPanel + x] - product;
}
