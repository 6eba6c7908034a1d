// Kernels for waits_test.cc. Those named wait_* wait for other blocks of their grid, so that no part of it may run
// alone; those named free_* wait for nobody. waits.ptx is what `nvcc -ptx -arch=sm_90` makes of this file.
typedef unsigned u;
#define FIRST (threadIdx.x == 0)

__device__ __noinline__ u peek(const u* p) { return *(volatile const u*)p; }
__device__ __noinline__ u peek_far(const u* p) { return peek(p) + 1; }
__device__ __noinline__ void peek_into(const u* p, u* to) { *to = *(volatile const u*)p; }
__device__ __noinline__ bool is_less(u a, u b) { return a < b; }
__device__ __noinline__ u plus(u a, u b) { return a + b; }
__device__ __noinline__ void leave_if(bool done) {
  if (done) asm volatile("exit;");
}
__device__ __noinline__ u sink(u depth, const u* p, u all) {  // NOLINT(misc-no-recursion)
  return peek(p) >= all ? depth : sink(depth + 1, p, all) + 1;
}
__device__ u (*const way_to_peek)(const u*) = peek;

extern "C" __global__ void wait_ldcg(u* c) {
  if (FIRST) {
    atomicAdd(c, 1);
    while (__ldcg(c) < gridDim.x) {
    }
  }
  __syncthreads();
}
extern "C" __global__ void wait_weak(u* c) {
  if (FIRST) {
    atomicAdd(c, 1);
    u v;
    do asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(c) : "memory");
    while (v < gridDim.x);
  }
  __syncthreads();
}
extern "C" __global__ void wait_behind_barrier(u* c) {  // a plain read: the barrier makes the compiler read again
  if (FIRST) atomicAdd(c, 1);
  while (*c < gridDim.x) __syncthreads();
}
extern "C" __global__ void wait_in_function(u* c) {
  if (FIRST) {
    atomicAdd(c, 1);
    while (peek(c) < gridDim.x) {
    }
  }
}
extern "C" __global__ void wait_in_function_of_function(u* c) {
  if (FIRST) {
    atomicAdd(c, 1);
    while (peek_far(c) <= gridDim.x) {
    }
  }
}
extern "C" __global__ void wait_through_local(u* c) {
  u seen = 0;
  if (FIRST) {
    atomicAdd(c, 1);
    while (seen < gridDim.x) peek_into(c, &seen);
  }
}
extern "C" __global__ void wait_through_pointer(u* c, int which) {
  u (*ways[2])(const u*) = {way_to_peek, peek_far};
  if (FIRST) {
    atomicAdd(c, 1);
    while (ways[which & 1](c) < gridDim.x) {
    }
  }
}
extern "C" __global__ void wait_judged_by_function(u* c) {
  if (FIRST) {
    atomicAdd(c, 1);
    u v;
    do asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(c));
    while (is_less(v, gridDim.x));
  }
}
extern "C" __global__ void wait_left_in_function(u* c) {
  if (FIRST) atomicAdd(c, 1);
  for (;;) leave_if(*(volatile u*)c >= gridDim.x);
}
extern "C" __global__ void wait_recursive(u* c, u* o) {
  if (FIRST) {
    atomicAdd(c, 1);
    o[blockIdx.x] = sink(0, c, gridDim.x) > 0;
  }
}
extern "C" __global__ void wait_flags(u* f) {  // the address moves on when its flag is set
  if (FIRST) {
    ((volatile u*)f)[blockIdx.x] = 1;
    for (u i = 0; i < gridDim.x;)
      if (((volatile u*)f)[i]) i++;
  }
}
extern "C" __global__ void wait_flags_sum(u* f) {  // as many rounds as it takes, each over all flags
  if (!FIRST) return;
  ((volatile u*)f)[blockIdx.x] = 1;
  u sum;
  do {
    sum = 0;
    for (u i = 0; i < gridDim.x; i++) sum += ((volatile u*)f)[i];
  } while (sum < gridDim.x);
}
extern "C" __global__ void wait_two_flags(u* f) {  // addresses that alternate
  if (!FIRST) return;
  ((volatile u*)f)[blockIdx.x & 1] = 1;
  u at = 0;
  while (!((volatile u*)f)[at] || !((volatile u*)f)[at ^ 1]) at ^= 1;
}
extern "C" __global__ void wait_round_robin(u* f) {  // addresses that come back
  if (!FIRST) return;
  ((volatile u*)f)[blockIdx.x] = 1;
  u seen = 0, at = 0;
  while (seen < gridDim.x) {
    seen = ((volatile u*)f)[at] ? seen + 1 : 0;
    at = at + 1 == gridDim.x ? 0 : at + 1;
  }
}
extern "C" __global__ void wait_long_step(u* f) {  // a step whose double is 0
  if (!FIRST) return;
  ((volatile u*)f)[blockIdx.x & 1] = 1;
  u at = 0, both = 0;
  do {
    both = ((volatile u*)f)[at >> 31] ? both + 1 : 0;
    at += 0x80000000u;
  } while (both < 2);
}
extern "C" __global__ void wait_step_of_nothing(u* f, int step) {  // a step that the host says is 0
  if (!FIRST) return;
  atomicAdd(f, 1);
  for (int i = 0; ((volatile u*)f)[i] < gridDim.x; i += step) {
  }
}
extern "C" __global__ void wait_through_shared(u* c) {
  __shared__ volatile u seen;
  if (FIRST) {
    atomicAdd(c, 1);
    seen = 0;
  }
  __syncthreads();
  while (seen < gridDim.x) {
    if (FIRST) seen = *(volatile u*)c;
    __syncthreads();
  }
}
extern "C" __global__ void wait_copied_to_shared(u* c) {
  __shared__ u seen[4];
  const u at = (u)__cvta_generic_to_shared(seen);
  if (!FIRST) return;
  atomicAdd(c, 1);
  do asm volatile("cp.async.ca.shared.global [%0], [%1], 4; cp.async.wait_all;" ::"r"(at), "l"(c) : "memory");
  while (*(volatile u*)seen < gridDim.x);
}
extern "C" __global__ void wait_of_other_warp(u* c) {  // one warp looks at the flag, the other at what it found
  __shared__ volatile u seen;
  if (FIRST) {
    seen = 0;
    atomicAdd(c, 1);
  }
  __syncthreads();
  if (threadIdx.x == 32)
    for (u i = 0; i < 4000000000u; i++) {
      const u v = *(volatile u*)c;
      if (v >= gridDim.x) seen = 1;
    }
  if (FIRST)
    while (!seen) {
    }
}
extern "C" __global__ void wait_voted(u* c) {
  if (FIRST) atomicAdd(c, 1);
  while (!__syncthreads_or(FIRST && *(volatile u*)c >= gridDim.x)) {
  }
}
extern "C" __global__ void wait_shuffled(u* c) {
  if (FIRST) atomicAdd(c, 1);
  u v;
  do v = __shfl_sync(~0u, FIRST ? *(volatile u*)c : 0, 0);
  while (v < gridDim.x);
}
extern "C" __global__ void wait_lock_in_turn(u* turn) {  // the block's number is what it waits for
  if (FIRST) {
    while (atomicCAS(turn, blockIdx.x, blockIdx.x) != blockIdx.x) {
    }
    atomicAdd(turn, 1);
  }
}
extern "C" __global__ void wait_add_nothing(u* c) {
  if (FIRST) {
    atomicAdd(c, 1);
    while (atomicAdd(c, 0) < gridDim.x) {
    }
  }
}
extern "C" __global__ void wait_exchange(u* turn) {
  if (!FIRST) return;
  u v;
  while ((v = atomicExch(turn, ~0u)) != blockIdx.x)
    if (v != ~0u) atomicExch(turn, v);
  atomicExch(turn, blockIdx.x + 1);
}
extern "C" __global__ void wait_swap_of_more(u* c) {  // not with what it found, but with what is to be there
  if (!FIRST) return;
  atomicAdd(c, 1);
  u found = 0, wanted;
  do {
    wanted = found | gridDim.x;
    found = atomicCAS(c, wanted, wanted);
  } while (found != wanted);
}
extern "C" __global__ void wait_swap_and_flag(u* c) {  // an exchange that works at once, in a loop that waits
  if (!FIRST) return;
  u old = *(volatile u*)c, found;
  do {
    found = atomicCAS(c, old, old | 1u << blockIdx.x);
    if (found == old)
      old |= 1u << blockIdx.x;
    else
      old = found;
  } while (old != (1u << gridDim.x) - 1);
}
extern "C" __global__ void wait_look_back(u* f, u* o) {
  const u b = blockIdx.x;
  u sum = 0;
  if (!FIRST) return;
  for (int i = (int)b - 1; i >= 0;) {
    const u v = ((volatile u*)f)[i];
    if (v == 0) continue;
    sum += v & 0x7fffffffu;
    if (v >> 31) break;
    i--;
  }
  o[b] = sum;
  __threadfence();
  ((volatile u*)f)[b] = 0x80000000u | (sum + b + 1);
}
extern "C" __global__ void wait_switch(u* c) {  // states, of which one waits
  if (!FIRST) return;
  atomicAdd(c, 1);
  for (u state = 0; state != 3;) {
    switch (state) {
      case 0: state = 1; break;
      case 1: state = *(volatile u*)c < gridDim.x ? 0 : 2; break;
      case 2: state = 3; break;
    }
  }
}
extern "C" __global__ void wait_counted_rounds(u* c) {  // the counter stands still until the flag is set
  if (!FIRST) return;
  atomicAdd(c, 1);
  u rounds = 0;
  while (rounds < 5) rounds += *(volatile u*)c >= gridDim.x;
}

extern "C" __global__ void free_sum(const float* a, float* o, int n) {
  float s = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) s += a[i];
  o[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
extern "C" __global__ void free_rows(const int* begin, const int* column, const float* v, const float* x, float* y,
                                     int n) {
  for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < n; row += gridDim.x * blockDim.x) {
    float s = 0;
    for (int j = begin[row]; j < begin[row + 1]; j++) s += v[j] * x[column[j]];
    y[row] = s;
  }
}
extern "C" __global__ void free_linear_search(const u* a, u* o, u key) {
  u i = 0;
  while (a[i] != key) i++;
  o[blockIdx.x * blockDim.x + threadIdx.x] = i;
}
extern "C" __global__ void free_tiles(const float* a, float* o, int n) {
  __shared__ float tile[64];
  float s = 0;
  for (int t = 0; t < n; t += 64) {
    tile[threadIdx.x] = a[t + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 64; k++)
      if (tile[k] > 0) s += tile[k];
    __syncthreads();
  }
  o[blockIdx.x * 64 + threadIdx.x] = s;
}
extern "C" __global__ void free_product(float* p, const float* a) {  // an exchange tried again with what it found
  int* word = (int*)p;
  int old = *word, expected;
  do {
    expected = old;
    old = atomicCAS(word, expected, __float_as_int(__int_as_float(expected) * a[threadIdx.x]));
  } while (old != expected);
}
extern "C" __global__ void free_greatest(float* p, const float* a) {  // and ends where what it found is good enough
  int* word = (int*)p;
  const float mine = a[threadIdx.x];
  int old = *(volatile int*)word;
  while (__int_as_float(old) < mine) {
    const int expected = old;
    old = atomicCAS(word, expected, __float_as_int(mine));
    if (old == expected) break;
  }
}
extern "C" __global__ void free_read_and_swap(u* p) {
  u old;
  do old = *(volatile u*)p;
  while (atomicCAS(p, old, old * 5 + 1) != old);
}
extern "C" __global__ void free_iterate(const float* a, float* o) {  // reads once, then goes on until it converges
  float x = a[blockIdx.x * blockDim.x + threadIdx.x], last;
  do {
    last = x;
    x = 0.5f * (x + 2 / x);
  } while (x != last);
  o[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
extern "C" __global__ void free_sums_of_function(const u* a, u* o, int n) {
  u s = 0;
  for (int i = 0; i < n; i++) s = plus(s, a[i]);
  o[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
extern "C" __global__ void free_constant_search(const u* __restrict__ a, u* o, u key, u n) {  // read-only data
  u low = 0, high = n;
  while (low < high) {
    const u middle = (low + high) / 2;
    if (a[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  o[blockIdx.x * blockDim.x + threadIdx.x] = low;
}
extern "C" __global__ void free_last_block(u* count, const u* parts, u* sum) {
  __shared__ bool last;
  if (FIRST) last = atomicAdd(count, 1) == gridDim.x - 1;
  __syncthreads();
  if (!last || !FIRST) return;
  u s = 0;
  for (u i = 0; i < gridDim.x; i++) s += ((volatile const u*)parts)[i];
  *sum = s;
}
