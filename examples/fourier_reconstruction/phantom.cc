#include "phantom.h"

#include <cmath>
#include <numbers>

namespace fourier {
namespace {

constexpr int kGaussians = 6;
constexpr double kPi = std::numbers::pi;

double dot(const Vector3& a, const Vector3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

Vector3 random_place(double radius, wattune::Random& random) {
  const auto coordinate = [&] { return radius * (2.0 * random.uniform() - 1.0); };
  for (;;)
    if (const Vector3 place{coordinate(), coordinate(), coordinate()}; dot(place, place) <= radius * radius)
      return place;
}

// Draws a rotation uniformly from all rotations, by a random unit quaternion (Shoemake 1992).
std::array<Vector3, 3> random_rotation(wattune::Random& random) {
  const double share = random.uniform();
  const double first = 2.0 * kPi * random.uniform();
  const double second = 2.0 * kPi * random.uniform();
  const double x = std::sqrt(1.0 - share) * std::sin(first), y = std::sqrt(1.0 - share) * std::cos(first);
  const double z = std::sqrt(share) * std::sin(second), w = std::sqrt(share) * std::cos(second);
  return {Vector3{1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)},
          Vector3{2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)},
          Vector3{2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)}};
}

}  // namespace

// Draws the Gaussians. Even the narrowest is so wide that its transform is almost zero at the highest frequency, which
// is half a period per pixel.
Phantom::Phantom(int size, std::uint64_t seed) : size_(size) {
  wattune::Random random(seed);
  const double narrowest = 1.6;
  const double widest = std::max(2.0, size / 16.0);
  for (int i = 0; i < kGaussians; ++i) {
    const Vector3 middle = random_place(0.25 * size, random);
    const double deviation = narrowest * std::pow(widest / narrowest, random.uniform());
    gaussians_.push_back({middle, deviation, 0.5 + random.uniform()});
  }
}

double Phantom::density(const Vector3& place) const {
  double sum = 0.0;
  for (const Gaussian& gaussian : gaussians_) {
    double squared = 0.0;
    for (int axis = 0; axis < 3; ++axis) squared += std::pow(place[axis] - gaussian.middle[axis], 2);
    sum += gaussian.height * std::exp(-0.5 * squared / (gaussian.deviation * gaussian.deviation));
  }
  return sum;
}

std::complex<double> Phantom::transform(const Vector3& frequency) const {
  std::complex<double> sum = 0.0;
  for (const Gaussian& gaussian : gaussians_) {
    const double spread = 2.0 * kPi * gaussian.deviation / size_;
    const double volume = gaussian.height * std::pow(std::sqrt(2.0 * kPi) * gaussian.deviation, 3);
    sum += std::polar(volume * std::exp(-0.5 * spread * spread * dot(frequency, frequency)),
                      -2.0 * kPi / size_ * dot(frequency, gaussian.middle));
  }
  return sum;
}

std::vector<std::complex<double>> Phantom::factors(const Gaussian& gaussian, const Vector3& direction, int from,
                                                   int to) const {
  const double spread = 2.0 * kPi * gaussian.deviation / size_;
  const double shift = -2.0 * kPi / size_ * dot(direction, gaussian.middle);
  std::vector<std::complex<double>> all;
  for (int i = from; i <= to; ++i) all.push_back(std::polar(std::exp(-0.5 * spread * spread * i * i), shift * i));
  return all;
}

void Phantom::project_into(Samples& samples, const std::array<Vector3, 3>& rotation) const {
  const int half = size_ / 2;
  std::vector<std::complex<double>> slice(static_cast<std::size_t>(size_) * (half + 1));
  for (const Gaussian& gaussian : gaussians_) {
    const double volume = gaussian.height * std::pow(std::sqrt(2.0 * kPi) * gaussian.deviation, 3);
    const auto along_u = factors(gaussian, rotation[0], 0, half);
    const auto along_v = factors(gaussian, rotation[1], -half, half - 1);
    auto pixel = slice.begin();
    for (const std::complex<double>& row : along_v)
      for (const std::complex<double>& column : along_u) *pixel++ += volume * row * column;
  }
  samples.pixels.insert(samples.pixels.end(), slice.begin(), slice.end());
  for (const Vector3& direction : rotation)
    samples.orientations.insert(samples.orientations.end(), direction.begin(), direction.end());
}

Samples Phantom::project(int count, wattune::Random& random) const {
  Samples samples;
  samples.pixels.reserve(static_cast<std::size_t>(count) * size_ * (size_ / 2 + 1));
  for (int i = 0; i < count; ++i) project_into(samples, random_rotation(random));
  return samples;
}

std::vector<Vector3> Phantom::places(int near_each, wattune::Random& random) const {
  std::vector<Vector3> all;
  for (const Gaussian& gaussian : gaussians_) {
    all.push_back(gaussian.middle);
    for (int i = 0; i < near_each; ++i) {
      Vector3 place = random_place(3.0 * gaussian.deviation, random);
      for (int axis = 0; axis < 3; ++axis) place[axis] += gaussian.middle[axis];
      all.push_back(place);
    }
  }
  return all;
}

}  // namespace fourier
