// C = A * B, with A stored as K rows of M elements, B as K rows of N and C as N rows of M (that is, A and C
// column-major, B row-major). M and N are multiples of 128, K of 32.
//
// A block of threads computes a block of MWG x NWG elements of C, walking along K in slabs of KWG.
//
// MWG, NWG, KWG   the block of C, and how much of K is handled between two barriers
// MDIMC, NDIMC    threads of the block along M and N; each computes (MWG / MDIMC) x (NWG / NDIMC) elements
// MDIMA, NDIMB    the same threads arranged anew for loading a slab of A (MDIMA along M) and of B (NDIMB along N)
// KWI             how far the loop along K inside a slab is unrolled
// VWM, VWN        elements in one load along M and N; C is stored in vectors of VWM
// STRM, STRN      1: the vectors of a thread lie MDIMC (NDIMC) vectors apart; 0: they lie side by side
// SA, SB          1: slabs of A (B) are kept in shared memory; 0: read from global memory at every use
// PRECISION       bits of an element: 32 or 64

#include "../async_copy.cuh"
#include "../pack.cuh"

#if PRECISION == 64
using Real = double;
#else
using Real = float;
#endif
using RealM = Pack<Real, VWM>;
using RealN = Pack<Real, VWN>;

constexpr int kThreads = MDIMC * NDIMC;
constexpr int kVectorsM = MWG / MDIMC / VWM;  // per thread
constexpr int kVectorsN = NWG / NDIMC / VWN;
constexpr int kSlabM = MWG / VWM;  // vectors in a row of a slab of A
constexpr int kSlabN = NWG / VWN;
// Two buffers, so that a slab is loaded while the one before is multiplied, where they fit what a kernel may declare.
constexpr int kMaxShared = 48 * 1024;
constexpr int kBuffers = 2 * KWG * (SA * MWG + SB * NWG) * sizeof(Real) <= kMaxShared ? 2 : 1;

// The i-th of `count` vectors of thread `id` among `ids`: strided or side by side.
template <bool kStrided>
__device__ int place(int i, int count, int id, int ids) {
  return kStrided ? i * ids + id : id * count + i;
}

// Copies the slab that starts at `slab`, whose rows are `pitch` vectors apart, to shared memory. kWidth threads load a
// row of kRow vectors, and the threads of the block as many rows at a time as there are.
template <bool kStrided, int kRow, int kWidth, typename Vector>
__device__ void load_slab(Vector* tile, const Vector* __restrict__ slab, const int pitch) {
  constexpr int kRows = kThreads / kWidth;
  const int id = threadIdx.y * MDIMC + threadIdx.x;
#pragma unroll
  for (int first = 0; first < KWG; first += kRows) {
    const int k = first + id / kWidth;
#pragma unroll
    for (int i = 0; i < kRow / kWidth; ++i) {
      const int at = place<kStrided>(i, kRow / kWidth, id % kWidth, kWidth);
      start_copy(&tile[k * kRow + at], &slab[k * pitch + at]);
    }
  }
}

extern "C" __global__ void __launch_bounds__(kThreads)
    gemm(const int m_size, const int n_size, const int k_size, const RealM* __restrict__ a, const RealN* __restrict__ b,
         RealM* __restrict__ c) {
  const int lm = threadIdx.x;
  const int ln = threadIdx.y;
  const int pitch_a = m_size / VWM;  // in vectors
  const int pitch_b = n_size / VWN;
  a += blockIdx.x * kSlabM;
  b += blockIdx.y * kSlabN;
#if SA
  __shared__ RealM tiles_a[kBuffers][KWG * kSlabM];
#endif
#if SB
  __shared__ RealN tiles_b[kBuffers][KWG * kSlabN];
#endif
  const auto load = [&](int slab) {
    [[maybe_unused]] const int buffer = slab / KWG % kBuffers;
#if SA
    load_slab<STRM, kSlabM, MDIMA>(tiles_a[buffer], a + slab * pitch_a, pitch_a);
#endif
#if SB
    load_slab<STRN, kSlabN, NDIMB>(tiles_b[buffer], b + slab * pitch_b, pitch_b);
#endif
  };

  RealM sums[kVectorsN * VWN][kVectorsM] = {};
  load(0);
#pragma unroll 1
  for (int slab = 0; slab < k_size; slab += KWG) {
    [[maybe_unused]] const bool is_last = slab + KWG >= k_size;
#if SA
    const RealM* tile_a = tiles_a[slab / KWG % kBuffers];
#else
    const RealM* slab_a = a + slab * pitch_a;
#endif
#if SB
    const RealN* tile_b = tiles_b[slab / KWG % kBuffers];
#else
    const RealN* slab_b = b + slab * pitch_b;
#endif
#if SA || SB
    finish_copies();
    __syncthreads();  // this slab is there, and nobody reads the one before any more
    if (kBuffers == 2 && !is_last) load(slab + KWG);
#endif
#pragma unroll 1
    for (int first = 0; first < KWG; first += KWI) {
#pragma unroll
      for (int step = 0; step < KWI; ++step) {
        const int k = first + step;
        RealM row_a[kVectorsM];
#pragma unroll
        for (int i = 0; i < kVectorsM; ++i) {
          const int m = place<STRM>(i, kVectorsM, lm, MDIMC);
#if SA
          row_a[i] = tile_a[k * kSlabM + m];
#else
          row_a[i] = slab_a[k * pitch_a + m];
#endif
        }
        RealN row_b[kVectorsN];
#pragma unroll
        for (int i = 0; i < kVectorsN; ++i) {
          const int n = place<STRN>(i, kVectorsN, ln, NDIMC);
#if SB
          row_b[i] = tile_b[k * kSlabN + n];
#else
          row_b[i] = slab_b[k * pitch_b + n];
#endif
        }
#pragma unroll
        for (int n = 0; n < kVectorsN * VWN; ++n) {
#pragma unroll
          for (int m = 0; m < kVectorsM; ++m) sums[n][m].add_scaled(row_b[n / VWN].element[n % VWN], row_a[m]);
        }
      }
    }
#if SA || SB
    if (kBuffers == 1 && !is_last) {
      __syncthreads();  // before the next slab overwrites this one
      load(slab + KWG);
    }
#endif
  }

  c += blockIdx.y * NWG * pitch_a + blockIdx.x * kSlabM;
#pragma unroll
  for (int i = 0; i < kVectorsN; ++i) {
#pragma unroll
    for (int component = 0; component < VWN; ++component) {
      const int n = place<STRN>(i, kVectorsN, ln, NDIMC) * VWN + component;
#pragma unroll
      for (int m = 0; m < kVectorsM; ++m)
        c[n * pitch_a + place<STRM>(m, kVectorsM, lm, MDIMC)] = sums[i * VWN + component][m];
    }
  }
}
