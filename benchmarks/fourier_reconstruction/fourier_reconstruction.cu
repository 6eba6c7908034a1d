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
// A thread takes a column of voxels, along the axis to which the slice's normal is closest, walks the few that are near
// the slice, and gathers pixels for each. Samples first to first + count - 1 are inserted.
//
// BLOCK_DIM            threads of a block in both dimensions
// TILE                 columns side by side that consecutive threads take before they go on to the next row; 1: all
//                      that the block has
// GRID_DIM_Z           blocks that share out the samples
// SHARED_BLOB_TABLE    1: the table of the blob is copied to shared memory
// SHARED_IMG           1: the part of the sample that the block reads is
// PRECOMPUTE_BLOB_VAL  1: the blob comes from its table; 0: it is computed for each pixel
// USE_ATOMICS          1: threads add atomically, so that samples are inserted at once; 0: a launch has one sample, of
//                      which each voxel belongs to one thread

constexpr float kRadius = 1.9f;
constexpr int kThreads = BLOCK_DIM * BLOCK_DIM;
constexpr int kStrip = TILE == 1 ? BLOCK_DIM : TILE;

#if PRECOMPUTE_BLOB_VAL
constexpr int kTableEntries = 4096;
#endif
#if SHARED_BLOB_TABLE
__shared__ float shared_table[kTableEntries];
#endif
#if SHARED_IMG
// Pixels that a block reads at most, in each direction. Its columns spread over sqrt(6) (BLOCK_DIM - 1) pixels where
// their steps in both dimensions point the same way; at both ends comes the blob's radius, and for the slice's depth
// sqrt(2) times as much.
constexpr int kCacheDim = (24495 * (BLOCK_DIM - 1) + 91743) / 10000 + 2;
__shared__ float2 shared_image[kCacheDim * kCacheDim];
#endif

// A direction, by its components along the axes of a column's place (a, b) and along the column (c).
struct Direction {
  float a, b, c;
  __device__ float dot(float x, float y, float z) const { return a * x + b * y + c * z; }
};

// How a sample lies in the grid, seen along the columns.
struct Slice {
  Direction u, v, normal;
  int step_a, step_b, step_c;  // from voxel to voxel
};

// The pixels that can be read: pixel (u, v) is data[origin + v * pitch + u].
struct Image {
  const float2* data;
  int origin, pitch;
  int left, right, top, bottom;  // the last that exist
};

__device__ Slice slice_of(const float* __restrict__ matrix, const int side) {
  const float* normal = matrix + 6;
  const float x = fabsf(normal[0]), y = fabsf(normal[1]), z = fabsf(normal[2]);
  const int c = z >= x && z >= y ? 2 : y >= x ? 1 : 0;
  const int a = c == 0 ? 1 : 0;
  const int b = c == 2 ? 1 : 2;
  const auto row = [&](int i) { return Direction{matrix[3 * i + a], matrix[3 * i + b], matrix[3 * i + c]}; };
  const auto step = [&](int axis) { return axis == 0 ? 1 : axis == 1 ? side : side * side; };
  return {row(0), row(1), row(2), step(a), step(b), step(c)};
}

// `height` is 1 - r^2 / kRadius^2.
__device__ float blob(const float height, const float* __restrict__ table) {
#if PRECOMPUTE_BLOB_VAL
  return table[static_cast<int>(height * (kTableEntries - 1) + 0.5f)];
#else
  // The series of I0(15 sqrt(height)) / I0(15): 56.25^k / k!^2 / I0(15), as far as it reaches float's precision.
  constexpr float series[] = {
      2.94421270e-06f, 1.65611965e-04f, 2.32891825e-03f, 1.45557391e-02f, 5.11725202e-02f, 1.15138170e-01f,
      1.79903391e-01f, 2.06521750e-01f, 1.81513257e-01f, 1.26050873e-01f, 7.09036160e-02f, 3.29613918e-02f,
      1.28755437e-02f, 4.28549900e-03f, 1.22989448e-03f, 3.07473621e-04f, 6.75601217e-05f, 1.31496777e-05f,
      2.28293015e-06f, 3.55719726e-07f, 5.00230864e-08f};
  float sum = 0.0f;
#pragma unroll
  for (int k = 20; k >= 0; --k) sum = sum * height + series[k];
  return sum;
#endif
}

__device__ Image whole_image(const float2* sample, const int half) {
  return {sample, half * (half + 1), half + 1, 0, half, -half, half - 1};
}

#if SHARED_IMG
// How far the pixels reach along `axis` that the block's columns need, whose middle is at (a, b).
__device__ void reach(const Direction axis, const Direction normal, const float a, const float b, int& low, int& high) {
  const float depth = axis.c / normal.c;  // along the axis, for a step along the normal
  const float per_a = axis.a - depth * normal.a;
  const float per_b = axis.b - depth * normal.b;
  const float middle = per_a * a + per_b * b;
  const float width = 0.5f * (BLOCK_DIM - 1) * (fabsf(per_a) + fabsf(per_b)) + kRadius * (1.0f + fabsf(depth));
  low = max(low, static_cast<int>(ceilf(middle - width)));
  high = min(high, static_cast<int>(floorf(middle + width)));
}

// Copies what the block needs of the image. All threads have read what was there before.
__device__ Image cached_image(Image whole, const Slice& slice, const int half) {
  const float a = blockIdx.x * BLOCK_DIM + 0.5f * (BLOCK_DIM - 1) - half;
  const float b = blockIdx.y * BLOCK_DIM + 0.5f * (BLOCK_DIM - 1) - half;
  Image part = whole;
  reach(slice.u, slice.normal, a, b, part.left, part.right);
  reach(slice.v, slice.normal, a, b, part.top, part.bottom);
  part.data = shared_image;
  part.pitch = kCacheDim;
  part.origin = -(part.top * kCacheDim + part.left);
  __syncthreads();
  for (int v = part.top + threadIdx.y; v <= part.bottom; v += BLOCK_DIM)
    for (int u = part.left + threadIdx.x; u <= part.right; u += BLOCK_DIM)
      shared_image[part.origin + v * kCacheDim + u] = whole.data[whole.origin + v * whole.pitch + u];
  __syncthreads();
  return part;
}
#endif

__device__ void add(float2* grid, float* weights, const int voxel, const float2 value, const float weight) {
#if !USE_ATOMICS
  grid[voxel].x += value.x;
  grid[voxel].y += value.y;
  weights[voxel] += weight;
#else
#if __CUDA_ARCH__ >= 900
  atomicAdd(grid + voxel, value);
#else
  atomicAdd(&grid[voxel].x, value.x);
  atomicAdd(&grid[voxel].y, value.y);
#endif
  atomicAdd(weights + voxel, weight);
#endif
}

// Adds up the pixels around (u, v), a distance of `depth` from the voxel.
__device__ void insert_voxel(const Image& image, const float u, const float v, const float depth,
                             const float* __restrict__ table, float2* grid, float* weights, const int voxel) {
  const float reach = sqrtf(fmaxf(kRadius * kRadius - depth * depth, 0.0f));
  const int left = max(image.left, static_cast<int>(ceilf(u - reach)));
  const int right = min(image.right, static_cast<int>(floorf(u + reach)));
  const int top = max(image.top, static_cast<int>(ceilf(v - reach)));
  const int bottom = min(image.bottom, static_cast<int>(floorf(v + reach)));
  float2 sum = {0.0f, 0.0f};
  float sum_of_weights = 0.0f;
  for (int j = top; j <= bottom; ++j) {
    const float row = depth * depth + (v - j) * (v - j);
    const float2* pixels = image.data + image.origin + j * image.pitch;
    for (int i = left; i <= right; ++i) {
      const float height = 1.0f - (row + (u - i) * (u - i)) * (1.0f / (kRadius * kRadius));
      if (height < 0.0f) continue;
      const float weight = blob(height, table);
      const float2 pixel = pixels[i];
      sum.x += weight * pixel.x;
      sum.y += weight * pixel.y;
      sum_of_weights += weight;
    }
  }
  if (sum_of_weights > 0.0f) add(grid, weights, voxel, sum, sum_of_weights);
}

__device__ void insert_column(const Image& image, const Slice& slice, const int a, const int b, const int half,
                              const float* __restrict__ table, float2* grid, float* weights) {
  const int room = half * half - a * a - b * b;
  if (room < 0) return;
  const float middle = -(slice.normal.a * a + slice.normal.b * b) / slice.normal.c;
  const float width = kRadius / fabsf(slice.normal.c);
  if (slice.u.dot(a, b, middle) + fabsf(slice.u.c) * width < -kRadius) return;  // the other half of the slice
  const int begin = static_cast<int>(ceilf(middle - width));
  const int end = static_cast<int>(floorf(middle + width));
  const int column = (a + half) * slice.step_a + (b + half) * slice.step_b + half * slice.step_c;
  for (int c = begin; c <= end; ++c)
    if (c * c <= room)
      insert_voxel(image, slice.u.dot(a, b, c), slice.v.dot(a, b, c), slice.normal.dot(a, b, c), table, grid, weights,
                   column + c * slice.step_c);
}

extern "C" __global__ void __launch_bounds__(kThreads)
    insert(const float2* __restrict__ samples, const float* __restrict__ orientations,
           const float* __restrict__ blob_table, float2* grid, float* weights, const int size, const int first,
           const int count) {
  const int half = size / 2;
  const int id = threadIdx.y * BLOCK_DIM + threadIdx.x;
  const int a = blockIdx.x * BLOCK_DIM + id % kStrip + id / (kStrip * BLOCK_DIM) * kStrip - half;
  const int b = blockIdx.y * BLOCK_DIM + id / kStrip % BLOCK_DIM - half;
#if SHARED_BLOB_TABLE
  for (int i = id; i < kTableEntries; i += kThreads) shared_table[i] = blob_table[i];
  __syncthreads();
  const float* table = shared_table;
#else
  const float* table = blob_table;
#endif
  for (int sample = first + blockIdx.z; sample < first + count; sample += GRID_DIM_Z) {
    const Slice slice = slice_of(orientations + 9 * sample, size + 1);
    Image image = whole_image(samples + static_cast<long long>(sample) * size * (half + 1), half);
#if SHARED_IMG
    image = cached_image(image, slice, half);
#endif
    insert_column(image, slice, a, b, half, table, grid, weights);
  }
}
