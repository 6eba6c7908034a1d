// C = A * B, with A stored as K rows of M elements, B as K rows of N and C as N rows of M (that is, A and C
// column-major, B row-major). M and N are multiples of 128, K of 32.
//
// A work-group computes a block of MWG x NWG elements of C, walking along K in slabs of KWG.
//
// MWG, NWG, KWG   the block of C, and how much of K is handled between two barriers
// MDIMC, NDIMC    work-items of the work-group along M and N; each computes (MWG / MDIMC) x (NWG / NDIMC) elements
// MDIMA, NDIMB    the same work-items arranged anew for loading a slab of A (MDIMA along M) and of B (NDIMB along N)
// KWI             how far the loop along K inside a slab is unrolled
// VWM, VWN        elements in one load along M and N; C is stored in vectors of VWM
// STRM, STRN      1: the vectors of a work-item lie MDIMC (NDIMC) vectors apart; 0: they lie side by side
// SA, SB          1: slabs of A (B) are kept in local memory; 0: read from global memory at every use
// PRECISION       bits of an element: 32 or 64

#if PRECISION == 64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define REAL double
#else
#define REAL float
#endif

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
typedef REAL real;
#if VWM == 1
typedef REAL real_m;
#else
typedef JOIN(REAL, VWM) real_m;
#endif
#if VWN == 1
typedef REAL real_n;
#define SPLIT_N(vector, pointer) *(pointer) = (vector)
#else
typedef JOIN(REAL, VWN) real_n;
#define SPLIT_N(vector, pointer) JOIN(vstore, VWN)(vector, 0, pointer)
#endif

#define THREADS (MDIMC * NDIMC)
#define KDIMA (THREADS / MDIMA)  // work-items along K when loading A
#define KDIMB (THREADS / NDIMB)
#define VECTORS_M (MWG / MDIMC / VWM)  // per work-item
#define VECTORS_N (NWG / NDIMC / VWN)
#define SLAB_M (MWG / VWM)  // vectors in a row of a slab of A
#define SLAB_N (NWG / VWN)

// The i-th of `count` vectors of work-item `id` among `ids`: strided or side by side.
#if STRM
#define PLACE_M(i, count, id, ids) ((i) * (ids) + (id))
#else
#define PLACE_M(i, count, id, ids) ((id) * (count) + (i))
#endif
#if STRN
#define PLACE_N(i, count, id, ids) ((i) * (ids) + (id))
#else
#define PLACE_N(i, count, id, ids) ((id) * (count) + (i))
#endif

#if SA
// Copies the slab of A that starts at `slab`, whose rows are `pitch` vectors apart, to local memory.
void load_a(__local real_m* tile, __global const real_m* slab, const int pitch) {
  const int id = get_local_id(1) * MDIMC + get_local_id(0);
  for (int k = id / MDIMA; k < KWG; k += KDIMA) {
    for (int i = 0; i < SLAB_M / MDIMA; ++i) {
      const int m = PLACE_M(i, SLAB_M / MDIMA, id % MDIMA, MDIMA);
      tile[k * SLAB_M + m] = slab[k * pitch + m];
    }
  }
}
#endif

#if SB
void load_b(__local real_n* tile, __global const real_n* slab, const int pitch) {
  const int id = get_local_id(1) * MDIMC + get_local_id(0);
  for (int k = id / NDIMB; k < KWG; k += KDIMB) {
    for (int i = 0; i < SLAB_N / NDIMB; ++i) {
      const int n = PLACE_N(i, SLAB_N / NDIMB, id % NDIMB, NDIMB);
      tile[k * SLAB_N + n] = slab[k * pitch + n];
    }
  }
}
#endif

__kernel __attribute__((reqd_work_group_size(MDIMC, NDIMC, 1))) void gemm(
    const int m_size, const int n_size, const int k_size, __global const real_m* restrict a,
    __global const real_n* restrict b, __global real_m* restrict c) {
  const int lm = get_local_id(0);
  const int ln = get_local_id(1);
  const int pitch_a = m_size / VWM;  // in vectors
  const int pitch_b = n_size / VWN;
  a += get_group_id(0) * SLAB_M;
  b += get_group_id(1) * SLAB_N;
#if SA
  __local real_m tile_a[KWG * SLAB_M];
#endif
#if SB
  __local real_n tile_b[KWG * SLAB_N];
#endif

  real_m sums[VECTORS_N * VWN][VECTORS_M];
#pragma unroll
  for (int n = 0; n < VECTORS_N * VWN; ++n) {
#pragma unroll
    for (int m = 0; m < VECTORS_M; ++m) sums[n][m] = (real_m)(0);
  }

  for (int slab = 0; slab < k_size; slab += KWG) {
    __global const real_m* slab_a = a + slab * pitch_a;
    __global const real_n* slab_b = b + slab * pitch_b;
#if SA
    load_a(tile_a, slab_a, pitch_a);
#endif
#if SB
    load_b(tile_b, slab_b, pitch_b);
#endif
#if SA || SB
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    for (int first = 0; first < KWG; first += KWI) {
#pragma unroll
      for (int step = 0; step < KWI; ++step) {
        const int k = first + step;
        real_m row_a[VECTORS_M];
#pragma unroll
        for (int i = 0; i < VECTORS_M; ++i) {
          const int m = PLACE_M(i, VECTORS_M, lm, MDIMC);
#if SA
          row_a[i] = tile_a[k * SLAB_M + m];
#else
          row_a[i] = slab_a[k * pitch_a + m];
#endif
        }
        real row_b[VECTORS_N * VWN];
#pragma unroll
        for (int i = 0; i < VECTORS_N; ++i) {
          const int n = PLACE_N(i, VECTORS_N, ln, NDIMC);
#if SB
          SPLIT_N(tile_b[k * SLAB_N + n], &row_b[i * VWN]);
#else
          SPLIT_N(slab_b[k * pitch_b + n], &row_b[i * VWN]);
#endif
        }
#pragma unroll
        for (int n = 0; n < VECTORS_N * VWN; ++n) {
#pragma unroll
          for (int m = 0; m < VECTORS_M; ++m) sums[n][m] += row_a[m] * row_b[n];
        }
      }
    }
#if SA || SB
    barrier(CLK_LOCAL_MEM_FENCE);  // before the next slab overwrites this one
#endif
  }

  c += get_group_id(1) * NWG * pitch_a + get_group_id(0) * SLAB_M;
#pragma unroll
  for (int i = 0; i < VECTORS_N; ++i) {
    for (int component = 0; component < VWN; ++component) {
      const int n = PLACE_N(i, VECTORS_N, ln, NDIMC) * VWN + component;
#pragma unroll
      for (int m = 0; m < VECTORS_M; ++m)
        c[n * pitch_a + PLACE_M(m, VECTORS_M, lm, MDIMC)] = sums[i * VWN + component][m];
    }
  }
}
