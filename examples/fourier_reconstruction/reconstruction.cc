#include "reconstruction.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace fourier {
namespace {

// The radius and the shape of the blob with which the kernel weighs pixels.
constexpr double kRadius = 1.9;
constexpr double kShape = 15.0;

// Returns the factor by which the blob reduces a density that is `distance` pixels from the middle. It is the blob's
// Fourier transform. In three dimensions this is a Bessel function of order 3/2, which is elementary (Lewitt 1990).
double apodisation(double distance, int size) {
  const auto transform = [](double x) { return (std::cosh(x) - std::sinh(x) / x) / (x * x); };
  const double reach = 2.0 * std::numbers::pi * kRadius * distance / size;
  return transform(std::sqrt(kShape * kShape - reach * reach)) / transform(kShape);
}

// Returns e^(2 pi i k x / size) for k from -half to half.
std::vector<std::complex<double>> waves(double x, int half) {
  std::vector<std::complex<double>> all;
  for (int k = -half; k <= half; ++k) all.push_back(std::polar(1.0, std::numbers::pi * k * x / half));
  return all;
}

struct Shell {
  double product = 0.0, ours = 0.0, known = 0.0;
};

}  // namespace

double outer_weight(int size, std::span<const float> weights) {
  const int half = size / 2;
  const int inner = size / 8;
  double sum = 0.0;
  auto weight = weights.begin();
  for (int z = -half; z <= half; ++z)
    for (int y = -half; y <= half; ++y)
      for (int x = -half; x <= half; ++x, ++weight)
        if (x * x + y * y + z * z > inner * inner) sum += double{*weight};
  return sum;
}

// Makes the volume. The grid has only one half of each slice; the other half is added as the conjugate at the opposite
// voxel.
Reconstruction::Reconstruction(int size, std::span<const std::complex<float>> grid, std::span<const float> weights)
    : half_(size / 2), transform_(grid.size()) {
  for (std::size_t i = 0; i < grid.size(); ++i) {
    const std::size_t opposite = grid.size() - 1 - i;
    const double weight = double{weights[i]} + double{weights[opposite]};
    const std::complex<double> sum = std::complex<double>(grid[i]) + std::conj(std::complex<double>(grid[opposite]));
    if (weight > 0.0) transform_[i] = sum / weight;
  }
}

std::size_t Reconstruction::voxel(int x, int y, int z) const {
  const int side = 2 * half_ + 1;
  return (static_cast<std::size_t>(z + half_) * side + static_cast<std::size_t>(y + half_)) * side +
         static_cast<std::size_t>(x + half_);
}

double Reconstruction::density(const Vector3& place) const {
  const std::array along{waves(place[0], half_), waves(place[1], half_), waves(place[2], half_)};
  std::complex<double> sum = 0.0;
  auto voxel = transform_.begin();
  for (const std::complex<double>& z : along[2]) {
    std::complex<double> plane = 0.0;
    for (const std::complex<double>& y : along[1]) {
      std::complex<double> row = 0.0;
      for (const std::complex<double>& x : along[0]) row += x * *voxel++;
      plane += y * row;
    }
    sum += z * plane;
  }
  const double distance = std::hypot(place[0], place[1], place[2]);
  return sum.real() / std::pow(2.0 * half_, 3) / apodisation(distance, 2 * half_);
}

double Reconstruction::least_correlation(const Phantom& phantom) const {
  const int radius = half_ / 2;
  std::vector<Shell> shells(static_cast<std::size_t>(radius) + 1);
  for (int z = -radius; z <= radius; ++z)
    for (int y = -radius; y <= radius; ++y)
      for (int x = -radius; x <= radius; ++x) {
        const auto shell = static_cast<std::size_t>(std::lround(std::hypot(x, y, z)));
        if (shell >= shells.size()) continue;
        const std::complex<double> ours = transform_[voxel(x, y, z)];
        const std::complex<double> known =
            phantom.transform({static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
        shells[shell].product += (ours * std::conj(known)).real();
        shells[shell].ours += std::norm(ours);
        shells[shell].known += std::norm(known);
      }
  double least = 1.0;
  for (const Shell& shell : shells)
    least = std::min(least, shell.ours > 0.0 ? shell.product / std::sqrt(shell.ours * shell.known) : 0.0);
  return least;
}

Likeness Reconstruction::compare(const Phantom& phantom) const {
  wattune::Random random(1);
  double largest = 0.0;
  double error = 0.0;
  for (const Vector3& place : phantom.places(20, random)) {
    const double known = phantom.density(place);
    largest = std::max(largest, known);
    error = std::max(error, std::abs(density(place) - known));
  }
  return {least_correlation(phantom), error / largest};
}

}  // namespace fourier
