// Stands for gramschmidt of PolyBench, which makes the columns of a matrix orthogonal. Written anew from that method:
// this is one step, which takes the share of a finished column q out of all later columns of the matrix a.
//
// Each thread has one column, goes through its rows twice, and there are no more blocks than an H200 has
// multiprocessors.
extern "C" __global__ void __launch_bounds__(128)
    gramschmidt(const float* __restrict__ q, const float* __restrict__ a, float* __restrict__ next,
                float* __restrict__ shares, int rows, int columns) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= columns) return;
  float share = 0.0f;
  for (int row = 0; row < rows; ++row) share += q[row] * a[static_cast<size_t>(row) * columns + column];
  shares[column] = share;
  for (int row = 0; row < rows; ++row) {
    const size_t at = static_cast<size_t>(row) * columns + column;
    next[at] = a[at] - q[row] * share;
  }
}
