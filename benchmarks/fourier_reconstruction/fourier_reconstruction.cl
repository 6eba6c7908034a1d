// Inserts samples, the Fourier transforms of projections of an unknown volume, into the volume's own transform: each is
// the slice through the volume's centre in which the projection lay.
//
// A sample has `size` rows, for the frequencies v = -size / 2 to size / 2 - 1, and size / 2 + 1 columns, for u = 0 to
// size / 2: the rest is conjugate to it. Its orientation is a rotation matrix, of which the rows are the directions of
// u, of v and of the slice's normal. `grid` and `weights` have size + 1 voxels in each dimension, with the frequency 0
// in the middle. Each voxel k within the sphere of radius size / 2 gets of each pixel p of each sample
//
//   grid[k] += blob(|k - p|) * sample[p]        weights[k] += blob(|k - p|)
//
// where the blob is Kaiser and Bessel's, I0(15 sqrt(1 - r^2 / 1.9^2)) / I0(15) for r < 1.9. It is the same for all
// whether `blob_table` is read or not: entry i is the blob where 1 - r^2 / 1.9^2 = i / 4095.
//
// A work-item takes a column of voxels, along the axis to which the slice's normal is closest, walks the few that are
// near the slice, and gathers pixels for each. Samples first to first + count - 1 are inserted.
//
// BLOCK_DIM            work-items of a work-group in both dimensions
// TILE                 columns side by side that consecutive work-items take before they go on to the next row; 1: all
//                      that the work-group has
// GRID_DIM_Z           work-groups that share out the samples
// SHARED_BLOB_TABLE    1: the table of the blob is copied to local memory
// SHARED_IMG           1: the part of the sample that the work-group reads is
// PRECOMPUTE_BLOB_VAL  1: the blob comes from its table; 0: it is computed for each pixel
// USE_ATOMICS          1: work-items add atomically, so that samples are inserted at once; 0: a launch has one sample,
//                      of which each voxel belongs to one work-item

#define RADIUS 1.9f
#define STRIP (TILE == 1 ? BLOCK_DIM : TILE)
#define TABLE_ENTRIES 4096
// Pixels that a work-group reads at most, in each direction. Its columns spread over sqrt(6) (BLOCK_DIM - 1) pixels
// where their steps in both dimensions point the same way; at both ends comes the blob's radius, and for the slice's
// depth sqrt(2) times as much.
#define CACHE_DIM ((24495 * (BLOCK_DIM - 1) + 91743) / 10000 + 2)

#if SHARED_BLOB_TABLE
#define TABLE __local const float*
#else
#define TABLE __global const float*
#endif
#if SHARED_IMG
#define PIXELS __local const float2*
#else
#define PIXELS __global const float2*
#endif

// Directions have their components along the axes of a column's place (x, y) and along the column (z).
typedef struct {
  float3 u, v, normal;
  int3 step;  // from voxel to voxel
} Slice;

// The pixels that can be read: pixel (u, v) is data[origin + v * pitch + u].
typedef struct {
  PIXELS data;
  int origin, pitch;
  int left, right, top, bottom;  // the last that exist
} Image;

Slice slice_of(__global const float* matrix, const int side) {
  const float x = fabs(matrix[6]), y = fabs(matrix[7]), z = fabs(matrix[8]);
  const int c = z >= x && z >= y ? 2 : y >= x ? 1 : 0;
  const int a = c == 0 ? 1 : 0;
  const int b = c == 2 ? 1 : 2;
  const int steps[3] = {1, side, side * side};
  Slice slice;
  slice.u = (float3)(matrix[a], matrix[b], matrix[c]);
  slice.v = (float3)(matrix[3 + a], matrix[3 + b], matrix[3 + c]);
  slice.normal = (float3)(matrix[6 + a], matrix[6 + b], matrix[6 + c]);
  slice.step = (int3)(steps[a], steps[b], steps[c]);
  return slice;
}

// The series of I0(15 sqrt(height)) / I0(15): 56.25^k / k!^2 / I0(15), as far as it reaches float's precision.
__constant float series[] = {
    2.94421270e-06f, 1.65611965e-04f, 2.32891825e-03f, 1.45557391e-02f, 5.11725202e-02f, 1.15138170e-01f,
    1.79903391e-01f, 2.06521750e-01f, 1.81513257e-01f, 1.26050873e-01f, 7.09036160e-02f, 3.29613918e-02f,
    1.28755437e-02f, 4.28549900e-03f, 1.22989448e-03f, 3.07473621e-04f, 6.75601217e-05f, 1.31496777e-05f,
    2.28293015e-06f, 3.55719726e-07f, 5.00230864e-08f};

// `height` is 1 - r^2 / RADIUS^2.
float blob(const float height, TABLE table) {
#if PRECOMPUTE_BLOB_VAL
  return table[(int)(height * (TABLE_ENTRIES - 1) + 0.5f)];
#else
  float sum = 0.0f;
#pragma unroll
  for (int k = 20; k >= 0; --k) sum = sum * height + series[k];
  return sum;
#endif
}

#if SHARED_IMG
// The pixels from x to y along `axis` that the work-group's columns need, whose middle is at (a, b).
int2 reach(const float3 axis, const float3 normal, const float a, const float b) {
  const float depth = axis.z / normal.z;  // along the axis, for a step along the normal
  const float per_a = axis.x - depth * normal.x;
  const float per_b = axis.y - depth * normal.y;
  const float middle = per_a * a + per_b * b;
  const float width = 0.5f * (BLOCK_DIM - 1) * (fabs(per_a) + fabs(per_b)) + RADIUS * (1.0f + fabs(depth));
  return (int2)((int)ceil(middle - width), (int)floor(middle + width));
}

// Copies what the work-group needs of the sample. All work-items have read what was there before.
Image cached_image(__global const float2* sample, __local float2* cache, const Slice slice, const int half_size) {
  const float a = (int)(get_group_id(0) * BLOCK_DIM) + 0.5f * (BLOCK_DIM - 1) - half_size;
  const float b = (int)(get_group_id(1) * BLOCK_DIM) + 0.5f * (BLOCK_DIM - 1) - half_size;
  const int2 along_u = reach(slice.u, slice.normal, a, b);
  const int2 along_v = reach(slice.v, slice.normal, a, b);
  Image image;
  image.data = cache;
  image.pitch = CACHE_DIM;
  image.left = max(along_u.x, 0);
  image.right = min(along_u.y, half_size);
  image.top = max(along_v.x, -half_size);
  image.bottom = min(along_v.y, half_size - 1);
  image.origin = -(image.top * CACHE_DIM + image.left);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int v = image.top + (int)get_local_id(1); v <= image.bottom; v += BLOCK_DIM)
    for (int u = image.left + (int)get_local_id(0); u <= image.right; u += BLOCK_DIM)
      cache[image.origin + v * CACHE_DIM + u] = sample[(v + half_size) * (half_size + 1) + u];
  barrier(CLK_LOCAL_MEM_FENCE);
  return image;
}
#else
Image whole_image(__global const float2* sample, const int half_size) {
  const Image image = {sample, half_size * (half_size + 1), half_size + 1, 0, half_size, -half_size, half_size - 1};
  return image;
}
#endif

#if USE_ATOMICS
// OpenCL 1.2 has no atomic addition of floats.
void add(volatile __global float* target, const float value) {
  volatile __global int* bits = (volatile __global int*)target;
  int seen = *bits;
  for (;;) {
    const int before = atomic_cmpxchg(bits, seen, as_int(as_float(seen) + value));
    if (before == seen) return;
    seen = before;
  }
}
#else
void add(__global float* target, const float value) { *target += value; }
#endif

// Adds up the pixels around (u, v), a distance of `depth` from the voxel.
void insert_voxel(const Image image, const float u, const float v, const float depth, TABLE table,
                  __global float* grid, __global float* weights, const int voxel) {
  const float reach = sqrt(fmax(RADIUS * RADIUS - depth * depth, 0.0f));
  const int left = max(image.left, (int)ceil(u - reach));
  const int right = min(image.right, (int)floor(u + reach));
  const int top = max(image.top, (int)ceil(v - reach));
  const int bottom = min(image.bottom, (int)floor(v + reach));
  float2 sum = (float2)(0.0f);
  float sum_of_weights = 0.0f;
  for (int j = top; j <= bottom; ++j) {
    const float row = depth * depth + (v - j) * (v - j);
    for (int i = left; i <= right; ++i) {
      const float height = 1.0f - (row + (u - i) * (u - i)) * (1.0f / (RADIUS * RADIUS));
      if (height < 0.0f) continue;
      const float weight = blob(height, table);
      sum += weight * image.data[image.origin + j * image.pitch + i];
      sum_of_weights += weight;
    }
  }
  if (sum_of_weights > 0.0f) {
    add(grid + 2 * voxel, sum.x);
    add(grid + 2 * voxel + 1, sum.y);
    add(weights + voxel, sum_of_weights);
  }
}

void insert_column(const Image image, const Slice slice, const int a, const int b, const int half_size, TABLE table,
                   __global float* grid, __global float* weights) {
  const int room = half_size * half_size - a * a - b * b;
  if (room < 0) return;
  const float middle = -(slice.normal.x * a + slice.normal.y * b) / slice.normal.z;
  const float width = RADIUS / fabs(slice.normal.z);
  if (dot(slice.u, (float3)(a, b, middle)) + fabs(slice.u.z) * width < -RADIUS) return;  // the slice's other half
  const int begin = (int)ceil(middle - width);
  const int end = (int)floor(middle + width);
  const int column = (a + half_size) * slice.step.x + (b + half_size) * slice.step.y + half_size * slice.step.z;
  for (int c = begin; c <= end; ++c) {
    if (c * c > room) continue;
    const float3 place = (float3)(a, b, c);
    insert_voxel(image, dot(slice.u, place), dot(slice.v, place), dot(slice.normal, place), table, grid, weights,
                 column + c * slice.step.z);
  }
}

__kernel __attribute__((reqd_work_group_size(BLOCK_DIM, BLOCK_DIM, 1))) void insert(
    __global const float2* restrict samples, __global const float* restrict orientations,
    __global const float* restrict blob_table, __global float2* grid, __global float* weights, const int size,
    const int first, const int count) {
  const int half_size = size / 2;
  const int id = get_local_id(1) * BLOCK_DIM + get_local_id(0);
  const int a = (int)(get_group_id(0) * BLOCK_DIM) + id % STRIP + id / (STRIP * BLOCK_DIM) * STRIP - half_size;
  const int b = (int)(get_group_id(1) * BLOCK_DIM) + id / STRIP % BLOCK_DIM - half_size;
#if SHARED_BLOB_TABLE
  __local float table[TABLE_ENTRIES];
  for (int i = id; i < TABLE_ENTRIES; i += BLOCK_DIM * BLOCK_DIM) table[i] = blob_table[i];
  barrier(CLK_LOCAL_MEM_FENCE);
#else
  TABLE table = blob_table;
#endif
#if SHARED_IMG
  __local float2 cache[CACHE_DIM * CACHE_DIM];
#endif
  for (int i = first + get_group_id(2); i < first + count; i += GRID_DIM_Z) {
    __global const float2* sample = samples + (size_t)i * size * (half_size + 1);
    const Slice slice = slice_of(orientations + 9 * i, size + 1);
#if SHARED_IMG
    const Image image = cached_image(sample, cache, slice, half_size);
#else
    const Image image = whole_image(sample, half_size);
#endif
    insert_column(image, slice, a, b, half_size, table, (__global float*)grid, weights);
  }
}
