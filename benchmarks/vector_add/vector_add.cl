// c = a + b, element by element.
//
// block_size_x  work-items in a work-group
// vector        elements that one load, addition and store handle
// items         vectors that one work-item handles
// strided       1: the vectors of a work-item lie block_size_x vectors apart, so that neighbouring work-items touch
//               neighbouring memory at every step; 0: they lie side by side

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#if vector == 1
#define LOAD(index, pointer) (pointer)[index]
#define STORE(value, index, pointer) (pointer)[index] = (value)
#else
#define LOAD JOIN(vload, vector)
#define STORE JOIN(vstore, vector)
#endif

__kernel __attribute__((reqd_work_group_size(block_size_x, 1, 1))) void vector_add(__global const float* restrict a, __global const float* restrict b,
                         __global float* restrict c, const int n) {
  const int first = get_group_id(0) * block_size_x * items;  // of this work-group, in vectors
  for (int item = 0; item < items; ++item) {
#if strided
    const int index = first + item * block_size_x + get_local_id(0);
#else
    const int index = first + get_local_id(0) * items + item;
#endif
    if ((index + 1) * vector <= n) {
      STORE(LOAD(index, a) + LOAD(index, b), index, c);
    } else {
      for (int i = index * vector; i < n; ++i) c[i] = a[i] + b[i];
    }
  }
}
