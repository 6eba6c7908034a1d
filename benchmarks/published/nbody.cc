// One step of n bodies under their gravity, for checking nbody.toml.
#include <cmath>
#include <cstddef>

namespace {

struct Float4 {
  float x, y, z, w;
};

// The sum over pairs of bodies in double precision; each pair is computed in single precision.
struct Sum {
  double x, y, z;
};

Sum acceleration(const Float4* bodies, int n, const Float4& body, float softening) {
  Sum sum = {};
  for (int j = 0; j < n; ++j) {
    const float dx = bodies[j].x - body.x;
    const float dy = bodies[j].y - body.y;
    const float dz = bodies[j].z - body.z;
    const float inverse = 1.0F / std::sqrt(dx * dx + dy * dy + dz * dz + softening);
    const float pull = bodies[j].w * inverse * inverse * inverse;
    sum.x += dx * pull;
    sum.y += dy * pull;
    sum.z += dz * pull;
  }
  return sum;
}

}  // namespace

extern "C" void reference(void* const* arguments, const std::size_t*) {
  const double time = *static_cast<const float*>(arguments[0]);
  const auto* bodies = static_cast<const Float4*>(arguments[1]);
  auto* new_bodies = static_cast<Float4*>(arguments[6]);
  const auto* velocities = static_cast<const Float4*>(arguments[7]);
  auto* new_velocities = static_cast<Float4*>(arguments[11]);
  const double damping = *static_cast<const float*>(arguments[12]);
  const float softening = *static_cast<const float*>(arguments[13]);
  const int n = *static_cast<const int*>(arguments[14]);
  for (int i = 0; i < n; ++i) {
    const Sum a = acceleration(bodies, n, bodies[i], softening);
    const auto position = [&](float p, float v, double by) {
      return static_cast<float>(p + time * v + damping * time * time * by);
    };
    const auto velocity = [&](float v, double by) { return static_cast<float>(v + time * by); };
    const Float4& p = bodies[i];
    const Float4& v = velocities[i];
    new_bodies[i] = {position(p.x, v.x, a.x), position(p.y, v.y, a.y), position(p.z, v.z, a.z), p.w};
    new_velocities[i] = {velocity(v.x, a.x), velocity(v.y, a.y), velocity(v.z, a.z), 0.0F};
  }
}
