// One step of n bodies under their gravity, for checking nbody.cl and nbody.cu.
#include <cmath>
#include <cstddef>

namespace {
struct Float4 {
  float x, y, z, w;
};
}  // namespace

extern "C" void reference(void* const* arguments, const std::size_t*) {
  const int n = *static_cast<const int*>(arguments[0]);
  const float time_step = *static_cast<const float*>(arguments[1]);
  const float softening = *static_cast<const float*>(arguments[2]);
  const auto* bodies = static_cast<const Float4*>(arguments[3]);
  const auto* velocities = static_cast<const Float4*>(arguments[8]);
  auto* new_bodies = static_cast<Float4*>(arguments[9]);
  auto* new_velocities = static_cast<Float4*>(arguments[10]);
  for (int i = 0; i < n; ++i) {
    double ax = 0.0;
    double ay = 0.0;
    double az = 0.0;
    for (int j = 0; j < n; ++j) {
      // Each pair of bodies is computed in single precision, the sum over the pairs in double precision.
      const float dx = bodies[j].x - bodies[i].x;
      const float dy = bodies[j].y - bodies[i].y;
      const float dz = bodies[j].z - bodies[i].z;
      const float distance = std::sqrt(dx * dx + dy * dy + dz * dz + softening);
      const float pull = bodies[j].w / (distance * distance * distance);
      ax += dx * pull;
      ay += dy * pull;
      az += dz * pull;
    }
    const Float4& v = velocities[i];
    new_velocities[i] = {static_cast<float>(v.x + ax * time_step), static_cast<float>(v.y + ay * time_step),
                         static_cast<float>(v.z + az * time_step), v.w};
    new_bodies[i] = {bodies[i].x + new_velocities[i].x * time_step, bodies[i].y + new_velocities[i].y * time_step,
                     bodies[i].z + new_velocities[i].z * time_step, bodies[i].w};
  }
}
