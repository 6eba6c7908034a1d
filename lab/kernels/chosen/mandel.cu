// steps[y][x] = after how many steps of z <- z * z + c the orbit of 0 leaves the circle of radius 2, at most `most`.
// The threads of a warp run for different times, and so do blocks: those at the left edge end after a few steps.
extern "C" __global__ void __launch_bounds__(256)
    mandel(int* steps, int width, int height, float left, float top, float pitch, int most) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float real = left + x * pitch;
  const float imaginary = top - y * pitch;
  float a = 0.0f, b = 0.0f, a2 = 0.0f, b2 = 0.0f;
  int step = 0;
  while (step < most && a2 + b2 <= 4.0f) {
    b = 2.0f * a * b + imaginary;
    a = a2 - b2 + real;
    a2 = a * a;
    b2 = b * b;
    ++step;
  }
  steps[y * width + x] = step;
}
