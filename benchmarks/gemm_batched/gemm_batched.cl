// C = A * B for each of many triples of very small matrices: A has SIZE_B rows of SIZE_A elements, B has SIZE_A rows of
// SIZE_C, and C has SIZE_B rows of SIZE_C. Matrices of one kind lie one after another.
//
// A work-group computes GROUP_SIZE_Z products. Each has SIZE_C columns of GROUP_SIZE_Y work-items, which share its
// rows.
//
// SIZE_A, SIZE_B, SIZE_C  extents of the matrices
// GROUP_SIZE_Y            work-items per column of C; each computes every GROUP_SIZE_Y-th of its elements
// GROUP_SIZE_Z            products per work-group
// CACHING_STRATEGY        1: A and B are kept in local memory, and a work-item computes one element after another; 2: a
//                         work-item computes all its elements together, in private memory, so that it reads each
//                         element of B once, from global memory where nobody else reads it (GROUP_SIZE_Y is 1)
// PADD_AA, PADD_AB        1: the rows (the matrices) of A lie an element (a row) farther apart in local memory
// PADD_C                  work-items that are added to each row of them, and only help with copying
// DIRECT_WRITE            0: products are gathered in local memory and written together
// UNROLL_K                1: the loop along SIZE_A is unrolled where work-items compute all their elements together

#define WORK_ITEMS ((SIZE_C + PADD_C) * GROUP_SIZE_Y * GROUP_SIZE_Z)
#define MATRIX_A (SIZE_A * SIZE_B)  // elements in global memory
#define MATRIX_B (SIZE_A * SIZE_C)
#define MATRIX_C (SIZE_B * SIZE_C)
#define PITCH_A (SIZE_A + PADD_AA)  // from row to row of A in local memory
#define PADDED_A (PITCH_A * (SIZE_B + PADD_AB))
#define ROWS ((SIZE_B + GROUP_SIZE_Y - 1) / GROUP_SIZE_Y)  // of C, per work-item
// Whether B goes through local memory.
#define SHARES_B (CACHING_STRATEGY == 1 || GROUP_SIZE_Y > 1)
#define ROWS_AT_ONCE (CACHING_STRATEGY == 1 ? 1 : ROWS)

#if SHARES_B
#define B_MEMORY __local
#else
#define B_MEMORY __global
#endif
#if DIRECT_WRITE
#define C_MEMORY __global
#else
#define C_MEMORY __local
#endif

// The widest vectors that begin at multiples of their own size when each begins `distance` elements after another.
#define WIDTH_OF(distance) ((distance) % 4 == 0 ? 4 : (distance) % 2 == 0 ? 2 : 1)
#define WIDTH_A (PADD_AA ? 1 : WIDTH_OF(PADD_AB ? SIZE_A : MATRIX_A * GROUP_SIZE_Z))
#define WIDTH_B WIDTH_OF(MATRIX_B * GROUP_SIZE_Z)
#define WIDTH_C WIDTH_OF(MATRIX_C * GROUP_SIZE_Z)

int item_index() {
  return (get_local_id(2) * GROUP_SIZE_Y + get_local_id(1)) * (SIZE_C + PADD_C) + get_local_id(0);
}

// Where an element of the work-group's matrices A stands in local memory.
int place_a(const int element) {
  if (PADDED_A == MATRIX_A) return element;
  return element / MATRIX_A * PADDED_A + element % MATRIX_A / SIZE_A * PITCH_A + element % SIZE_A;
}

#define MOVE(width, to_memory, to, from_memory, from)                     \
  if (width == 4)                                                         \
    *(to_memory float4*)(to) = *(from_memory const float4*)(from);        \
  else if (width == 2)                                                    \
    *(to_memory float2*)(to) = *(from_memory const float2*)(from);        \
  else                                                                    \
    *(to) = *(from)

// Copies so many elements to local memory, all work-items together, `width` at a time.
void load(__local float* tile, __global const float* matrices, const int elements, const int width, const bool is_a) {
  for (int i = item_index() * width; i < elements; i += WORK_ITEMS * width) {
    __local float* to = tile + (is_a ? place_a(i) : i);
    MOVE(width, __local, to, __global, matrices + i);
  }
}

// Writes so many elements that are gathered in local memory.
void store(__global float* matrices, __local const float* tile, const int elements, const int width) {
  for (int i = item_index() * width; i < elements; i += WORK_ITEMS * width)
    MOVE(width, __global, matrices + i, __local, tile + i);
}

// A work-item's elements of C.
void multiply_column(C_MEMORY float* c, __local const float* a, B_MEMORY const float* column) {
  for (int first = get_local_id(1); first < SIZE_B; first += ROWS_AT_ONCE * GROUP_SIZE_Y) {
    float sums[ROWS_AT_ONCE];
#pragma unroll
    for (int row = 0; row < ROWS_AT_ONCE; ++row) sums[row] = 0.0f;
#if UNROLL_K || CACHING_STRATEGY == 1
#pragma unroll
#else
#pragma unroll 1
#endif
    for (int k = 0; k < SIZE_A; ++k) {
      const float of_b = column[k * SIZE_C];
#pragma unroll
      for (int row = 0; row < ROWS_AT_ONCE; ++row)
        if (first + row * GROUP_SIZE_Y < SIZE_B) sums[row] += a[(first + row * GROUP_SIZE_Y) * PITCH_A + k] * of_b;
    }
#pragma unroll
    for (int row = 0; row < ROWS_AT_ONCE; ++row)
      if (first + row * GROUP_SIZE_Y < SIZE_B) c[(first + row * GROUP_SIZE_Y) * SIZE_C] = sums[row];
  }
}

__kernel __attribute__((reqd_work_group_size(SIZE_C + PADD_C, GROUP_SIZE_Y, GROUP_SIZE_Z))) void gemm_batched(
    __global const float* restrict a, __global const float* restrict b, __global float* restrict c, const int batch) {
  __local float tile_a[PADDED_A * GROUP_SIZE_Z] __attribute__((aligned(16)));
  const int first = get_group_id(0) * GROUP_SIZE_Z;
  const int products = min(GROUP_SIZE_Z, batch - first);  // the last work-group may have fewer than the others
  const bool is_full = products == GROUP_SIZE_Z;
  a += (size_t)first * MATRIX_A;
  b += (size_t)first * MATRIX_B;
  c += (size_t)first * MATRIX_C;
  const int at_b = get_local_id(2) * MATRIX_B + get_local_id(0);
  const int at_c = get_local_id(2) * MATRIX_C + get_local_id(0);
  const bool multiplies = get_local_id(0) < SIZE_C && get_local_id(2) < products;

  if (is_full)
    load(tile_a, a, GROUP_SIZE_Z * MATRIX_A, WIDTH_A, true);
  else
    load(tile_a, a, products * MATRIX_A, 1, true);
#if SHARES_B
  __local float tile_b[MATRIX_B * GROUP_SIZE_Z] __attribute__((aligned(16)));
  if (is_full)
    load(tile_b, b, GROUP_SIZE_Z * MATRIX_B, WIDTH_B, false);
  else
    load(tile_b, b, products * MATRIX_B, 1, false);
  B_MEMORY const float* column = tile_b + at_b;
#else
  B_MEMORY const float* column = b + at_b;
#endif
  barrier(CLK_LOCAL_MEM_FENCE);

  __local const float* matrix_a = tile_a + get_local_id(2) * PADDED_A;
#if DIRECT_WRITE
  if (multiplies) multiply_column(c + at_c, matrix_a, column);
#else
  __local float tile_c[MATRIX_C * GROUP_SIZE_Z] __attribute__((aligned(16)));
  if (multiplies) multiply_column(tile_c + at_c, matrix_a, column);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (is_full)
    store(c, tile_c, GROUP_SIZE_Z * MATRIX_C, WIDTH_C);
  else
    store(c, tile_c, products * MATRIX_C, 1);
#endif
}
