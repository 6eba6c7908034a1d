// C = A * B for each of many triples of very small matrices: A has SIZE_B rows of SIZE_A elements, B has SIZE_A rows of
// SIZE_C, and C has SIZE_B rows of SIZE_C. Matrices of one kind lie one after another.
//
// A block computes GROUP_SIZE_Z products. Each has SIZE_C columns of GROUP_SIZE_Y threads, which share its rows.
//
// SIZE_A, SIZE_B, SIZE_C  extents of the matrices
// GROUP_SIZE_Y            threads per column of C; each computes every GROUP_SIZE_Y-th of its elements
// GROUP_SIZE_Z            products per block
// CACHING_STRATEGY        1: A and B are kept in shared memory, and a thread computes one element after another; 2: a
//                         thread computes all its elements together, in registers, so that it reads each element of B
//                         once, from global memory where nobody else reads it (GROUP_SIZE_Y is 1)
// PADD_AA, PADD_AB        1: the rows (the matrices) of A lie an element (a row) farther apart in shared memory
// PADD_C                  threads that are added to each row of them, and only help with copying
// DIRECT_WRITE            0: products are gathered in shared memory and written together
// UNROLL_K                1: the loop along SIZE_A is unrolled where threads compute all their elements together

#include "../async_copy.cuh"
#include "../pack.cuh"

// Whether B goes through shared memory.
#define SHARES_B (CACHING_STRATEGY == 1 || GROUP_SIZE_Y > 1)

constexpr int kThreads = (SIZE_C + PADD_C) * GROUP_SIZE_Y * GROUP_SIZE_Z;
constexpr int kMatrixA = SIZE_A * SIZE_B;  // elements in global memory
constexpr int kMatrixB = SIZE_A * SIZE_C;
constexpr int kMatrixC = SIZE_B * SIZE_C;
constexpr int kPitchA = SIZE_A + PADD_AA;  // from row to row of A in shared memory
constexpr int kPaddedA = kPitchA * (SIZE_B + PADD_AB);
constexpr int kRows = (SIZE_B + GROUP_SIZE_Y - 1) / GROUP_SIZE_Y;  // of C, per thread

// The widest vectors that begin at multiples of their own size when each begins `distance` elements after another.
__host__ __device__ constexpr int width_of(int distance) { return distance % 4 == 0 ? 4 : distance % 2 == 0 ? 2 : 1; }
constexpr int kWidthA = PADD_AA ? 1 : width_of(PADD_AB ? SIZE_A : kMatrixA * GROUP_SIZE_Z);
[[maybe_unused]] constexpr int kWidthB = width_of(kMatrixB * GROUP_SIZE_Z);
[[maybe_unused]] constexpr int kWidthC = width_of(kMatrixC * GROUP_SIZE_Z);
constexpr int kStep = width_of(kPitchA);  // elements of A in one load from shared memory

__device__ int thread_index() { return (threadIdx.z * GROUP_SIZE_Y + threadIdx.y) * (SIZE_C + PADD_C) + threadIdx.x; }

// Where an element of the block's matrices A stands in shared memory.
__device__ int place_a(int element) {
  if constexpr (kPaddedA == kMatrixA) return element;
  return element / kMatrixA * kPaddedA + element % kMatrixA / SIZE_A * kPitchA + element % SIZE_A;
}
__device__ int place_b(int element) { return element; }

// Starts to copy so many elements to shared memory, all threads together.
template <int kWidth, int (*kPlace)(int)>
__device__ void load(float* tile, const float* __restrict__ matrices, const int elements) {
  using Vector = Pack<float, kWidth>;
#pragma unroll 8
  for (int i = thread_index() * kWidth; i < elements; i += kThreads * kWidth)
    start_copy(reinterpret_cast<Vector*>(tile + kPlace(i)), reinterpret_cast<const Vector*>(matrices + i));
}

// Writes so many elements that are gathered in shared memory.
template <int kWidth>
__device__ void store(float* __restrict__ matrices, const float* tile, const int elements) {
  using Vector = Pack<float, kWidth>;
#pragma unroll 8
  for (int i = thread_index() * kWidth; i < elements; i += kThreads * kWidth)
    *reinterpret_cast<Vector*>(matrices + i) = *reinterpret_cast<const Vector*>(tile + i);
}

// A column of a matrix B in memory.
struct Column {
  const float* first;
  __device__ float operator[](int k) const { return first[k * SIZE_C]; }
};

// Elements of a column of C in kCount rows, which are GROUP_SIZE_Y apart, from those rows of A and the column of B.
template <int kCount, typename ColumnOfB>
__device__ void multiply(float (&sums)[kCount], const float* rows, const int first_row, const ColumnOfB& column) {
  constexpr int kUnroll = UNROLL_K || CACHING_STRATEGY == 1 ? SIZE_A : 1;
#pragma unroll kUnroll
  for (int k = 0; k < SIZE_A; k += kStep) {
    float of_b[kStep];
#pragma unroll
    for (int i = 0; i < kStep; ++i) of_b[i] = k + i < SIZE_A ? column[k + i] : 0.0f;
#pragma unroll
    for (int row = 0; row < kCount; ++row) {
      if (SIZE_B % GROUP_SIZE_Y != 0 && first_row + row * GROUP_SIZE_Y >= SIZE_B) break;
      const auto of_a = *reinterpret_cast<const Pack<float, kStep>*>(rows + row * GROUP_SIZE_Y * kPitchA + k);
#pragma unroll
      for (int i = 0; i < kStep; ++i)
        if (k + i < SIZE_A) sums[row] += of_a.element[i] * of_b[i];
    }
  }
}

// A thread's elements of C.
template <typename ColumnOfB>
__device__ void multiply_column(float* c, const float* a, const ColumnOfB& column) {
  constexpr int kAtOnce = CACHING_STRATEGY == 1 ? 1 : kRows;
  for (int first = threadIdx.y; first < SIZE_B; first += kAtOnce * GROUP_SIZE_Y) {
    float sums[kAtOnce] = {};
    multiply(sums, a + first * kPitchA, first, column);
#pragma unroll
    for (int row = 0; row < kAtOnce; ++row)
      if (first + row * GROUP_SIZE_Y < SIZE_B) c[(first + row * GROUP_SIZE_Y) * SIZE_C] = sums[row];
  }
}

extern "C" __global__ void __launch_bounds__(kThreads)
    gemm_batched(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, const int batch) {
  alignas(16) __shared__ float tile_a[kPaddedA * GROUP_SIZE_Z];
  const int first = blockIdx.x * GROUP_SIZE_Z;
  const int products = min(GROUP_SIZE_Z, batch - first);  // the last block may have fewer than the others
  const bool is_full = products == GROUP_SIZE_Z;
  a += static_cast<size_t>(first) * kMatrixA;
  b += static_cast<size_t>(first) * kMatrixB;
  c += static_cast<size_t>(first) * kMatrixC;
  const int at_b = threadIdx.z * kMatrixB + threadIdx.x;
  const int at_c = threadIdx.z * kMatrixC + threadIdx.x;
  const bool multiplies = threadIdx.x < SIZE_C && threadIdx.z < products;

  if (is_full)
    load<kWidthA, place_a>(tile_a, a, GROUP_SIZE_Z * kMatrixA);
  else
    load<1, place_a>(tile_a, a, products * kMatrixA);
#if SHARES_B
  alignas(16) __shared__ float tile_b[kMatrixB * GROUP_SIZE_Z];
  if (is_full)
    load<kWidthB, place_b>(tile_b, b, GROUP_SIZE_Z * kMatrixB);
  else
    load<1, place_b>(tile_b, b, products * kMatrixB);
  const Column column{tile_b + at_b};
#elif UNROLL_K
  float column[SIZE_A];  // under way together with A
#pragma unroll
  for (int k = 0; k < SIZE_A; ++k) column[k] = multiplies ? b[at_b + k * SIZE_C] : 0.0f;
#else
  const Column column{b + at_b};
#endif
  finish_copies();
  __syncthreads();

  const float* matrix_a = tile_a + threadIdx.z * kPaddedA;
#if DIRECT_WRITE
  if (multiplies) multiply_column(c + at_c, matrix_a, column);
#else
  alignas(16) __shared__ float tile_c[kMatrixC * GROUP_SIZE_Z];
  if (multiplies) multiply_column(tile_c + at_c, matrix_a, column);
  __syncthreads();
  if (is_full)
    store<kWidthC>(c, tile_c, GROUP_SIZE_Z * kMatrixC);
  else
    store<1>(c, tile_c, products * kMatrixC);
#endif
}
