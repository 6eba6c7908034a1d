// Stands for fdtd-2d of PolyBench, which follows an electromagnetic wave in two dimensions. Written anew from that
// method: this is the half of a time step that computes the magnetic field from the electric one. Beyond the edge the
// electric field is that of the edge.
extern "C" __global__ void __launch_bounds__(256)
    fdtd2d(const double* __restrict__ ex, const double* __restrict__ ey, const double* __restrict__ hz,
           double* __restrict__ next, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const size_t at = static_cast<size_t>(y) * width + x;
  const size_t right = x + 1 < width ? at + 1 : at;
  const size_t below = y + 1 < height ? at + width : at;
  next[at] = hz[at] - 0.7 * (ex[right] - ex[at] + ey[below] - ey[at]);
}
