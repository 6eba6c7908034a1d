// Each row is divided by the root of its mean square and multiplied by `gain`. One warp has a row, which it reads
// twice.
extern "C" __global__ void __launch_bounds__(128) row_norm(const float* __restrict__ in, const float* __restrict__ gain,
                                                           float* __restrict__ out, int rows, int columns) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float* from = in + static_cast<size_t>(row) * columns;
  float* to = out + static_cast<size_t>(row) * columns;
  float sum = 0.0f;
  for (int column = lane; column < columns; column += 32) sum += from[column] * from[column];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
  const float scale = rsqrtf(sum / columns + 1e-5f);
  for (int column = lane; column < columns; column += 32) to[column] = from[column] * scale * gain[column];
}
