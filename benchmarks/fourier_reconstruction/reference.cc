// Samples inserted into a volume's Fourier transform, for checking fourier_reconstruction.cl and .cu. The reference
// scatters each pixel to the voxels around it.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>

namespace {
constexpr double kRadius = 1.9;

// Returns the value of the Kaiser-Bessel blob, computed by the series of the Bessel function I0. `height` is 1 - r^2 /
// kRadius^2.
double blob(double height) {
  double sum = 1.0;
  for (int k = 30; k > 0; --k) sum = 1.0 + sum * height * 56.25 / (k * k);
  return sum / 339649.373;
}

struct Volume {
  std::complex<float>* grid;
  float* weights;
  int half;

  void add(std::complex<float> pixel, const std::array<double, 3>& place) {
    std::array<int, 3> low{}, high{};
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = std::max(-half, static_cast<int>(std::ceil(place[axis] - kRadius)));
      high[axis] = std::min(half, static_cast<int>(std::floor(place[axis] + kRadius)));
    }
    const auto squared = [](double x) { return x * x; };
    for (int z = low[2]; z <= high[2]; ++z)
      for (int y = low[1]; y <= high[1]; ++y)
        for (int x = low[0]; x <= high[0]; ++x) {
          const double distance = squared(x - place[0]) + squared(y - place[1]) + squared(z - place[2]);
          const double height = 1.0 - distance / (kRadius * kRadius);
          if (height < 0.0 || x * x + y * y + z * z > half * half) continue;
          const int side = 2 * half + 1;
          const int voxel = ((z + half) * side + y + half) * side + x + half;
          const auto weight = static_cast<float>(blob(height));
          grid[voxel] += weight * pixel;
          weights[voxel] += weight;
        }
  }
};
}  // namespace

// The arguments in their order: samples, orientations, blob_table, grid, weights, size, first, count.
extern "C" void reference(void* const* arguments, const std::size_t*) {
  const auto* pixel = static_cast<const std::complex<float>*>(arguments[0]);
  const auto* orientation = static_cast<const float*>(arguments[1]);
  const int half = *static_cast<const int*>(arguments[5]) / 2;
  const int samples = *static_cast<const int*>(arguments[7]);
  Volume volume{static_cast<std::complex<float>*>(arguments[3]), static_cast<float*>(arguments[4]), half};
  for (int sample = 0; sample < samples; ++sample, orientation += 9) {
    const auto place = [&](int u, int v, int axis) {
      return u * double{orientation[axis]} + v * double{orientation[3 + axis]};
    };
    for (int v = -half; v < half; ++v)
      for (int u = 0; u <= half; ++u) volume.add(*pixel++, {place(u, v, 0), place(u, v, 1), place(u, v, 2)});
  }
}
