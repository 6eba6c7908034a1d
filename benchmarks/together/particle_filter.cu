// The likelihood of each particle of a filter that follows an object in a film: how far the pixels of the frame under
// the object, where the particle says that it is, are from the background and how near to the object's brightness.
//
// BLOCK  threads of a block, a particle each

constexpr int kBackground = 100;
constexpr int kObject = 228;

extern "C" __global__ void __launch_bounds__(BLOCK)
    particle_filter(const int* __restrict__ frame, const float* __restrict__ at_x, const float* __restrict__ at_y,
                    const int* __restrict__ offsets, float* __restrict__ likelihood, int width, int height,
                    int particles, int points) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= particles) return;
  const int x = static_cast<int>(at_x[i] + 0.5f);
  const int y = static_cast<int>(at_y[i] + 0.5f);
  float sum = 0.0f;
  for (int k = 0; k < points; ++k) {
    const int pixel_x = min(max(x + offsets[2 * k], 0), width - 1);
    const int pixel_y = min(max(y + offsets[2 * k + 1], 0), height - 1);
    const int pixel = frame[pixel_y * width + pixel_x];
    const int background = pixel - kBackground;
    const int object = pixel - kObject;
    sum += static_cast<float>(background * background - object * object) / 50.0f;
  }
  likelihood[i] = sum / static_cast<float>(points);
}
