// Kernels that ptx_kernels_test.cc compiles with nvcc, runs on the interpreter and compares with loops on the host.
#include <cstdio>

extern "C" __global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

extern "C" __global__ void reduce(const int* values, int* sum, int n) {
  __shared__ int of_warp[32];
  int mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) mine += values[i];
  for (int distance = 16; distance > 0; distance /= 2) mine += __shfl_down_sync(~0u, mine, distance);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  mine = threadIdx.x < blockDim.x / 32 ? of_warp[threadIdx.x] : 0;
  for (int distance = 16; distance > 0; distance /= 2) mine += __shfl_xor_sync(~0u, mine, distance);
  if (threadIdx.x == 0) atomicAdd(sum, mine);
}

extern "C" __global__ void transpose(const float* from, float* to, int width, int height) {
  __shared__ float tile[16][17];
  const int x = blockIdx.x * 16 + threadIdx.x;
  const int y = blockIdx.y * 16 + threadIdx.y;
  if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = from[y * width + x];
  __syncthreads();
  const int column = blockIdx.y * 16 + threadIdx.x;
  const int row = blockIdx.x * 16 + threadIdx.y;
  if (column < height && row < width) to[row * height + column] = tile[threadIdx.x][threadIdx.y];
}

extern "C" __global__ void histogram(const unsigned char* bytes, unsigned* counts, int n) {
  extern __shared__ unsigned own[];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) own[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&own[bytes[i]], 1);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&counts[i], own[i]);
}

// The number of steps differs widely between the threads of a warp.
extern "C" __global__ void collatz(unsigned* steps, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long value = i + 1;
  unsigned count = 0;
  for (; value != 1; ++count) value = value % 2 == 0 ? value / 2 : 3 * value + 1;
  steps[i] = count;
}

__device__ __noinline__ unsigned ackermann(unsigned m, unsigned n) {
  if (m == 0) return n + 1;
  return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}
__device__ int minus(int a, int b) { return a - b; }
__device__ int times(int a, int b) { return a * b; }
__device__ int (*const operations[2])(int, int) = {minus, times};

extern "C" __global__ void call(unsigned* results, int* chosen) {
  const unsigned i = threadIdx.x;
  results[i] = ackermann(i % 3, i % 5);
  chosen[i] = operations[i % 2](static_cast<int>(i), 3);
  if (i == 33) printf("thread %u has %d and %.3f\n", i, chosen[i], 0.5 * i);
}

// Functions of libdevice: logarithms, exponentials, sines of large numbers.
extern "C" __global__ void functions(const float* x, float* results, double* doubles, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  results[i] = logf(x[i]) * expf(-x[i]) + sinf(x[i] * 1e5f) / sqrtf(x[i]);
  doubles[i] = pow(static_cast<double>(x[i]), 1.5) + erf(static_cast<double>(x[i]));
}
