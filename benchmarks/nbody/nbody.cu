// One step of n bodies that attract each other, by all pairs: new velocities from the accelerations, new positions from
// the new velocities. n is a multiple of 512. The bodies come twice: as four-vectors (x, y, z, mass) and as four
// arrays.
//
// A thread moves OUTER_UNROLL_FACTOR bodies and walks over all n that attract them.
//
// WORK_GROUP_SIZE_X     threads in a block
// OUTER_UNROLL_FACTOR   bodies of a thread, a block's size apart
// INNER_UNROLL_FACTOR1  how far the loop over the attracting bodies is unrolled; 0: the compiler decides
// INNER_UNROLL_FACTOR2  how far the loop inside it, over the bodies of the thread, is unrolled; 0: the compiler decides
// USE_SOA               1: attracting bodies are read from the four arrays; 0: as four-vectors
// LOCAL_MEM             1: through shared memory, as many at a time as the block has threads; 0: from global memory
// USE_CONSTANT_MEMORY   1: inputs are declared read-only and unaliased, for loads through the read-only cache
// VECTOR_TYPE           attracting bodies in one load from the arrays

#include "../pack.cuh"

using Body = Pack<float, 4>;
using Floats = Pack<float, VECTOR_TYPE>;

#if USE_CONSTANT_MEMORY
template <typename T>
using Input = const T* __restrict__;
#else
template <typename T>
using Input = T*;
#endif

// VECTOR_TYPE bodies that attract.
struct Bodies {
  Floats x, y, z, mass;
};

// Where they are read from.
struct Source {
#if USE_SOA
  const float *x, *y, *z, *mass;

  __device__ Bodies operator[](int i) const { return {load(x, i), load(y, i), load(z, i), load(mass, i)}; }
  __device__ static Floats load(const float* array, int i) { return reinterpret_cast<const Floats*>(array)[i]; }
#else
  const Body* body;

  __device__ Bodies operator[](int i) const {
    const Body one = body[i];
    return {{one.element[0]}, {one.element[1]}, {one.element[2]}, {one.element[3]}};
  }
#endif
};

struct Acceleration {
  float x, y, z;

  // Adds the pull of `others` on a body at `own`.
  __device__ void add(const Bodies& others, const Body& own, float softening) {
#pragma unroll
    for (int i = 0; i < VECTOR_TYPE; ++i) {
      const float dx = others.x.element[i] - own.element[0];
      const float dy = others.y.element[i] - own.element[1];
      const float dz = others.z.element[i] - own.element[2];
      const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + softening);
      const float pull = others.mass.element[i] * inverse * inverse * inverse;
      x += dx * pull;
      y += dy * pull;
      z += dz * pull;
    }
  }
};

extern "C" __global__ void __launch_bounds__(WORK_GROUP_SIZE_X)
    nbody(const int n, const float time_step, const float softening, Input<Body> bodies, Input<float> x, Input<float> y,
          Input<float> z, Input<float> mass, const Body* __restrict__ velocities, Body* __restrict__ new_bodies,
          Body* __restrict__ new_velocities) {
  constexpr int kTile = WORK_GROUP_SIZE_X;  // bodies between two barriers
  const int id = threadIdx.x;
  const int first_own = blockIdx.x * WORK_GROUP_SIZE_X * OUTER_UNROLL_FACTOR + id;
#if LOCAL_MEM && USE_SOA
  __shared__ alignas(16) float tile_x[kTile], tile_y[kTile], tile_z[kTile], tile_mass[kTile];
  const Source near = {tile_x, tile_y, tile_z, tile_mass};
#elif LOCAL_MEM
  __shared__ Body tile[kTile];
  const Source near = {tile};
#endif

  // Threads beyond the last body compute it too, and store nothing.
  Body own[OUTER_UNROLL_FACTOR];
#pragma unroll
  for (int i = 0; i < OUTER_UNROLL_FACTOR; ++i) own[i] = bodies[min(first_own + i * WORK_GROUP_SIZE_X, n - 1)];

  Acceleration accelerations[OUTER_UNROLL_FACTOR] = {};
#pragma unroll 1
  for (int first = 0; first < n; first += kTile) {
#if LOCAL_MEM
    __syncthreads();  // before this tile overwrites the last one
#if USE_SOA
    tile_x[id] = x[first + id];
    tile_y[id] = y[first + id];
    tile_z[id] = z[first + id];
    tile_mass[id] = mass[first + id];
#else
    tile[id] = bodies[first + id];
#endif
    __syncthreads();
#elif USE_SOA
    const Source near = {x + first, y + first, z + first, mass + first};
#else
    const Source near = {bodies + first};
#endif
#if INNER_UNROLL_FACTOR1
#pragma unroll INNER_UNROLL_FACTOR1
#endif
    for (int j = 0; j < kTile / VECTOR_TYPE; ++j) {
      const Bodies others = near[j];
#if INNER_UNROLL_FACTOR2
#pragma unroll INNER_UNROLL_FACTOR2
#endif
      for (int i = 0; i < OUTER_UNROLL_FACTOR; ++i) accelerations[i].add(others, own[i], softening);
    }
  }

#pragma unroll
  for (int i = 0; i < OUTER_UNROLL_FACTOR; ++i) {
    const int at = first_own + i * WORK_GROUP_SIZE_X;
    if (at >= n) break;
    Body velocity = velocities[at];
    velocity.element[0] += accelerations[i].x * time_step;
    velocity.element[1] += accelerations[i].y * time_step;
    velocity.element[2] += accelerations[i].z * time_step;
    new_velocities[at] = velocity;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) own[i].element[axis] += velocity.element[axis] * time_step;
    new_bodies[at] = own[i];
  }
}
