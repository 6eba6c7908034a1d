// Stands for RabbitCT, which computes a body from X-ray images taken around it. Written anew from that method: each
// cell of the body gets from each image the value at the place where the ray through the cell meets it, interpolated
// between four pixels, and weighted by the square of the enlargement there.
//
// The body fills a cube from -1 to 1. The source of the rays is at a distance of kSource from its centre, images show
// what lies within kReach of it, and a place beyond the edge counts as at the edge.
constexpr float kSource = 3.0f;
constexpr float kReach = 2.0f;
constexpr int kMost = 128;  // images

// Returns the place of a coordinate between the pixels of a side.
__device__ float place_of(float at, int pixels) {
  return fminf(fmaxf((at / kReach + 1.0f) * 0.5f * (pixels - 1), 0.0f), pixels - 1);
}

extern "C" __global__ void __launch_bounds__(256)
    back_projection(const float* __restrict__ images, float* __restrict__ body, int side, int count, int pixels) {
  __shared__ float2 directions[kMost];
  const int thread = threadIdx.y * 32 + threadIdx.x;
  if (thread < count) sincospif(2.0f * thread / count, &directions[thread].y, &directions[thread].x);
  __syncthreads();
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, z = blockIdx.z;
  if (x >= side || y >= side) return;
  const float step = 2.0f / side;
  const float right = (x + 0.5f) * step - 1.0f, up = (y + 0.5f) * step - 1.0f, high = (z + 0.5f) * step - 1.0f;
  float sum = 0.0f;
  for (int i = 0; i < count; ++i) {
    const float2 direction = directions[i];
    const float scale = kSource / (kSource - right * direction.x - up * direction.y);
    const float column = place_of((up * direction.x - right * direction.y) * scale, pixels);
    const float row = place_of(high * scale, pixels);
    const int left = min(static_cast<int>(column), pixels - 2), top = min(static_cast<int>(row), pixels - 2);
    const float* pixel = images + (static_cast<size_t>(i) * pixels + top) * pixels + left;
    const float share = column - left, below = row - top;
    const float upper = pixel[0] + share * (pixel[1] - pixel[0]);
    const float lower = pixel[pixels] + share * (pixel[pixels + 1] - pixel[pixels]);
    sum += scale * scale * (upper + below * (lower - upper));
  }
  body[(static_cast<size_t>(z) * side + y) * side + x] = sum;
}
