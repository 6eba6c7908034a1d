// Stands for EP of the NAS parallel benchmarks, which makes pairs of normal deviates and counts them by square rings.
// Written anew from that method: x <- 5^13 x modulo 2^46 makes uniform numbers, and the polar method accepts the pairs
// inside of the unit circle.
//
// Each thread makes `pairs` pairs from its own place in the sequence. A block leaves ten counts and two sums.
constexpr unsigned long long kFactor = 1220703125ULL;
constexpr unsigned long long kMask = (1ULL << 46) - 1;

__device__ unsigned long long factor_to_the(unsigned long long exponent) {
  unsigned long long power = 1, square = kFactor;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) power = power * square & kMask;
    square = square * square & kMask;
  }
  return power;
}

__device__ double next(unsigned long long& state) {
  state = state * kFactor & kMask;
  return 2.0 / (1ULL << 46) * state - 1.0;
}

extern "C" __global__ void __launch_bounds__(128) deviates(int* counts, double* sums, int pairs) {
  __shared__ int rings[10];
  __shared__ double parts[2][128];
  if (threadIdx.x < 10) rings[threadIdx.x] = 0;
  __syncthreads();
  const unsigned long long thread = blockIdx.x * 128ULL + threadIdx.x;
  unsigned long long state = 271828183ULL * factor_to_the(2 * thread * pairs) & kMask;
  double sum_x = 0.0, sum_y = 0.0;
  for (int pair = 0; pair < pairs; ++pair) {
    const double x = next(state), y = next(state);
    const double square = x * x + y * y;
    if (square > 1.0) continue;
    const double scale = sqrt(-2.0 * log(square) / square);
    sum_x += x * scale;
    sum_y += y * scale;
    atomicAdd(&rings[min(9, static_cast<int>(fmax(fabs(x * scale), fabs(y * scale))))], 1);
  }
  parts[0][threadIdx.x] = sum_x;
  parts[1][threadIdx.x] = sum_y;
  for (int distance = 64; distance > 0; distance /= 2) {
    __syncthreads();
    if (threadIdx.x >= distance) continue;
    parts[0][threadIdx.x] += parts[0][threadIdx.x + distance];
    parts[1][threadIdx.x] += parts[1][threadIdx.x + distance];
  }
  __syncthreads();
  if (threadIdx.x < 10) counts[blockIdx.x * 10 + threadIdx.x] = rings[threadIdx.x];
  if (threadIdx.x < 2) sums[blockIdx.x * 2 + threadIdx.x] = parts[threadIdx.x][0];
}
