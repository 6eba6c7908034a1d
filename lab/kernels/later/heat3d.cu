// Stands for heat-3d of PolyBench, which follows heat through a solid. Written anew from that method: each inner cell
// moves an eighth of the way towards its two neighbours along each axis. Cells of the surface keep their heat.
extern "C" __global__ void __launch_bounds__(256)
    heat3d(const double* __restrict__ heat, double* __restrict__ next, int width, int height, int depth) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z;
  if (x >= width || y >= height) return;
  const size_t plane = static_cast<size_t>(width) * height;
  const size_t at = z * plane + static_cast<size_t>(y) * width + x;
  const double own = heat[at];
  double change = 0.0;
  if (min(x, min(y, z)) > 0 && x + 1 < width && y + 1 < height && z + 1 < depth)
    change = heat[at - 1] + heat[at + 1] + heat[at - width] + heat[at + width] + heat[at - plane] + heat[at + plane] -
             6.0 * own;
  next[at] = own + 0.125 * change;
}
