// One step of a lattice Boltzmann method in two dimensions with nine directions. Each cell takes what flows in from its
// neighbours and relaxes towards the equilibrium of its density and velocity. The edges are joined.
__constant__ double kWeights[9] = {4.0 / 9, 1.0 / 9, 1.0 / 9, 1.0 / 9, 1.0 / 9, 1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36};

extern "C" __global__ void __launch_bounds__(128)
    lattice(const double* __restrict__ from, double* __restrict__ to, int width, int height, double rate) {
  constexpr int kX[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
  constexpr int kY[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y;
  if (x >= width) return;
  const size_t plane = static_cast<size_t>(width) * height;
  double flow[9], density = 0.0, right = 0.0, up = 0.0;
#pragma unroll
  for (int k = 0; k < 9; ++k) {
    int source_x = x - kX[k], source_y = y - kY[k];
    if (source_x < 0) source_x += width;
    if (source_x == width) source_x = 0;
    if (source_y < 0) source_y += height;
    if (source_y == height) source_y = 0;
    flow[k] = from[k * plane + static_cast<size_t>(source_y) * width + source_x];
    density += flow[k];
    right += kX[k] * flow[k];
    up += kY[k] * flow[k];
  }
  right /= density;
  up /= density;
  const double still = 1.0 - 1.5 * (right * right + up * up);
#pragma unroll
  for (int k = 0; k < 9; ++k) {
    const double along = 3.0 * (kX[k] * right + kY[k] * up);
    const double balance = kWeights[k] * density * (still + along + 0.5 * along * along);
    to[k * plane + static_cast<size_t>(y) * width + x] = flow[k] + rate * (balance - flow[k]);
  }
}
