// The Q matrix of magnetic resonance imaging, for checking mri_q.cl and mri_q.cu.
#include <cmath>
#include <cstddef>

namespace {
struct Sample {
  float kx, ky, kz, magnitude;
};
}  // namespace

extern "C" void reference(void* const* arguments, const std::size_t* lengths) {
  const int sample_count = *static_cast<const int*>(arguments[1]);
  const auto* samples = static_cast<const Sample*>(arguments[2]);
  const auto* x = static_cast<const float*>(arguments[3]);
  const auto* y = static_cast<const float*>(arguments[4]);
  const auto* z = static_cast<const float*>(arguments[5]);
  auto* real = static_cast<float*>(arguments[6]);
  auto* imaginary = static_cast<float*>(arguments[7]);
  for (std::size_t voxel = 0; voxel < lengths[3]; ++voxel) {
    const double vx = x[voxel];
    const double vy = y[voxel];
    const double vz = z[voxel];
    double sum_real = 0.0;
    double sum_imaginary = 0.0;
    for (int i = 0; i < sample_count; ++i) {
      // Turns and sums need double precision. For the sines and cosines of the rest of a turn, single precision
      // suffices.
      const double turns = samples[i].kx * vx + samples[i].ky * vy + samples[i].kz * vz;
      const auto radians = static_cast<float>(6.283185307179586 * (turns - std::nearbyint(turns)));
      sum_real += samples[i].magnitude * std::cos(radians);
      sum_imaginary += samples[i].magnitude * std::sin(radians);
    }
    real[voxel] = static_cast<float>(sum_real);
    imaginary[voxel] = static_cast<float>(sum_imaginary);
  }
}
