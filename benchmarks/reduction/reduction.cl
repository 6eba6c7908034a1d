// result = sum of the n elements of data.
//
// WORK_GROUP_SIZE_X  work-items in a work-group
// UNBOUNDED_WG       1: as many work-groups as it takes for each work-item to read one vector;
//                    0: WG_NUM work-groups, which stride over the data
// WG_NUM             number of work-groups when UNBOUNDED_WG is 0
// VECTOR_SIZE        elements in one load
// USE_ATOMICS        1: every work-group adds its sum to the result atomically;
//                    0: every work-group leaves its sum in `partials`, and the last one to finish adds them up
//
// `result` starts at 0. `partials` (one element per work-group) and `ticket` start at 0 and are left at 0.

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#if VECTOR_SIZE == 1
typedef float vector_t;
#define LOAD(index, pointer) (pointer)[index]
#else
typedef JOIN(float, VECTOR_SIZE) vector_t;
#define LOAD JOIN(vload, VECTOR_SIZE)
#endif

float sum_of_components(vector_t vector) {
#if VECTOR_SIZE == 1
  return vector;
#else
  float components[VECTOR_SIZE];
  JOIN(vstore, VECTOR_SIZE)(vector, 0, components);
  float sum = 0.0f;
  for (int i = 0; i < VECTOR_SIZE; ++i) sum += components[i];
  return sum;
#endif
}

// The sum of `value` over the work-group, for its first work-item.
float sum_of_group(float value, __local float* scratch) {
  const int id = get_local_id(0);
  scratch[id] = value;
  for (int half_size = WORK_GROUP_SIZE_X / 2; half_size > 0; half_size /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < half_size) scratch[id] += scratch[id + half_size];
  }
  return scratch[id];
}

// OpenCL 1.2 has no atomic addition of floats.
void atomic_add_float(volatile __global float* target, float value) {
  volatile __global int* bits = (volatile __global int*)target;
  int seen = *bits;
  for (;;) {
    const int before = atomic_cmpxchg(bits, seen, as_int(as_float(seen) + value));
    if (before == seen) return;
    seen = before;
  }
}

__kernel __attribute__((reqd_work_group_size(WORK_GROUP_SIZE_X, 1, 1))) void reduce(__global const float* restrict data, const int n, volatile __global float* result,
                     volatile __global float* partials, volatile __global int* ticket) {
  __local float scratch[WORK_GROUP_SIZE_X];
  const int vectors = n / VECTOR_SIZE;

  vector_t sums = (vector_t)(0.0f);
#if UNBOUNDED_WG
  if (get_global_id(0) < vectors) sums = LOAD(get_global_id(0), data);
#else
  for (int i = get_global_id(0); i < vectors; i += WG_NUM * WORK_GROUP_SIZE_X) sums += LOAD(i, data);
#endif
  float sum = sum_of_components(sums);
  if (get_global_id(0) == 0)
    for (int i = vectors * VECTOR_SIZE; i < n; ++i) sum += data[i];
  sum = sum_of_group(sum, scratch);

#if USE_ATOMICS
  if (get_local_id(0) == 0) atomic_add_float(result, sum);
#else
  // Exchanging is how one work-group sees another's partial sum: plain loads may come from a stale cache. It also
  // leaves the zero that the next launch needs.
  __local int is_last;
  const int groups = get_num_groups(0);
  if (get_local_id(0) == 0) {
    atomic_xchg(&partials[get_group_id(0)], sum);
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    is_last = atomic_inc(ticket) == groups - 1;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const int last = is_last;
  float total = 0.0f;
  if (last)
    for (int i = get_local_id(0); i < groups; i += WORK_GROUP_SIZE_X) total += atomic_xchg(&partials[i], 0.0f);
  total = sum_of_group(total, scratch);
  if (last && get_local_id(0) == 0) {
    *result = total;
    *ticket = 0;
  }
#endif
}
