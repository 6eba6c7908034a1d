// One step of n bodies that attract each other, by all pairs: new velocities from the accelerations, new positions from
// the new velocities. n is a multiple of 512. The bodies come twice: as four-vectors (x, y, z, mass) and as four
// arrays.
//
// A work-item moves OUTER_UNROLL_FACTOR bodies and walks over all n that attract them.
//
// WORK_GROUP_SIZE_X     work-items in a work-group
// OUTER_UNROLL_FACTOR   bodies of a work-item, a work-group's size apart
// INNER_UNROLL_FACTOR1  how far the loop over the attracting bodies is unrolled; 0: the compiler decides
// INNER_UNROLL_FACTOR2  how far the loop inside it, over the work-item's bodies, is unrolled; 0: the compiler decides
// USE_SOA               1: attracting bodies are read from the four arrays; 0: as four-vectors
// LOCAL_MEM             1: through local memory, as many at a time as the work-group has work-items; 0: directly
// USE_CONSTANT_MEMORY   1: what attracts lies in constant memory
// VECTOR_TYPE           attracting bodies in one load from the arrays

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#if VECTOR_TYPE == 1
typedef float floats;
#else
typedef JOIN(float, VECTOR_TYPE) floats;
#endif

// What attracts is read from NEAR. Of the two forms of the inputs, the one that is not asked for stays in global
// memory.
#if USE_CONSTANT_MEMORY
#define SOURCE __constant
#else
#define SOURCE __global
#endif
#if LOCAL_MEM
#define NEAR __local
#else
#define NEAR SOURCE
#endif
#if USE_SOA
#define ARRAYS SOURCE
#define BODIES __global
#else
#define ARRAYS __global
#define BODIES SOURCE
#endif

#define TILE WORK_GROUP_SIZE_X  // bodies between two barriers

float sum_of_components(const floats vector) {
#if VECTOR_TYPE == 1
  return vector;
#else
  float components[VECTOR_TYPE];
  JOIN(vstore, VECTOR_TYPE)(vector, 0, components);
  float sum = 0.0f;
  for (int i = 0; i < VECTOR_TYPE; ++i) sum += components[i];
  return sum;
#endif
}

__kernel __attribute__((reqd_work_group_size(WORK_GROUP_SIZE_X, 1, 1))) void nbody(
    const int n, const float time_step, const float softening, BODIES const float4* bodies, ARRAYS const float* x,
    ARRAYS const float* y, ARRAYS const float* z, ARRAYS const float* mass, __global const float4* restrict velocities,
    __global float4* restrict new_bodies, __global float4* restrict new_velocities) {
  const int id = get_local_id(0);
  const int first_own = get_group_id(0) * WORK_GROUP_SIZE_X * OUTER_UNROLL_FACTOR + id;
#if LOCAL_MEM && USE_SOA
  __local floats tile_x[TILE / VECTOR_TYPE], tile_y[TILE / VECTOR_TYPE], tile_z[TILE / VECTOR_TYPE],
      tile_mass[TILE / VECTOR_TYPE];
#elif LOCAL_MEM
  __local float4 tile[TILE];
#endif

  // Work-items beyond the last body compute it too, and store nothing.
  float4 own[OUTER_UNROLL_FACTOR];
  floats ax[OUTER_UNROLL_FACTOR], ay[OUTER_UNROLL_FACTOR], az[OUTER_UNROLL_FACTOR];
#pragma unroll
  for (int i = 0; i < OUTER_UNROLL_FACTOR; ++i) {
    own[i] = bodies[min(first_own + i * WORK_GROUP_SIZE_X, n - 1)];
    ax[i] = ay[i] = az[i] = (floats)(0.0f);
  }

  for (int first = 0; first < n; first += TILE) {
#if LOCAL_MEM
    barrier(CLK_LOCAL_MEM_FENCE);  // before this tile overwrites the last one
#if USE_SOA
    ((__local float*)tile_x)[id] = x[first + id];
    ((__local float*)tile_y)[id] = y[first + id];
    ((__local float*)tile_z)[id] = z[first + id];
    ((__local float*)tile_mass)[id] = mass[first + id];
#else
    tile[id] = bodies[first + id];
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
#elif USE_SOA
    NEAR const floats* tile_x = (NEAR const floats*)(x + first);
    NEAR const floats* tile_y = (NEAR const floats*)(y + first);
    NEAR const floats* tile_z = (NEAR const floats*)(z + first);
    NEAR const floats* tile_mass = (NEAR const floats*)(mass + first);
#else
    NEAR const float4* tile = bodies + first;
#endif
#if INNER_UNROLL_FACTOR1
#pragma unroll INNER_UNROLL_FACTOR1
#endif
    for (int j = 0; j < TILE / VECTOR_TYPE; ++j) {
#if USE_SOA
      const floats other_x = tile_x[j], other_y = tile_y[j], other_z = tile_z[j], other_mass = tile_mass[j];
#else
      const floats other_x = tile[j].x, other_y = tile[j].y, other_z = tile[j].z, other_mass = tile[j].w;
#endif
#if INNER_UNROLL_FACTOR2
#pragma unroll INNER_UNROLL_FACTOR2
#endif
      for (int i = 0; i < OUTER_UNROLL_FACTOR; ++i) {
        const floats dx = other_x - own[i].x;
        const floats dy = other_y - own[i].y;
        const floats dz = other_z - own[i].z;
        const floats inverse = rsqrt(dx * dx + dy * dy + dz * dz + softening);
        const floats pull = other_mass * inverse * inverse * inverse;
        ax[i] += dx * pull;
        ay[i] += dy * pull;
        az[i] += dz * pull;
      }
    }
  }

#pragma unroll
  for (int i = 0; i < OUTER_UNROLL_FACTOR; ++i) {
    const int at = first_own + i * WORK_GROUP_SIZE_X;
    if (at < n) {
      const float4 acceleration =
          (float4)(sum_of_components(ax[i]), sum_of_components(ay[i]), sum_of_components(az[i]), 0.0f);
      const float4 velocity = velocities[at] + acceleration * time_step;
      new_velocities[at] = velocity;
      new_bodies[at] = own[i] + (float4)(velocity.xyz, 0.0f) * time_step;
    }
  }
}
