// Phantom: a volume that is known in closed form, and its projections.
//
// It is a sum of Gaussians in a cube of `size` pixels, whose Fourier transform is a sum of Gaussians too. By the
// central slice theorem the transform of a projection is the slice of that transform in which the projection's plane
// lies. Any thread may call.
//
//   const Phantom phantom(128, seed);
//   const Samples samples = phantom.project(1500, random);
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <vector>

#include "wattune/core/random.h"

namespace fourier {

using Vector3 = std::array<double, 3>;

// Projections in random orientations, as benchmarks/fourier_reconstruction takes them.
struct Samples {
  std::vector<std::complex<float>> pixels;  // size rows of size / 2 + 1 for each
  std::vector<float> orientations;          // a matrix for each: the directions of u, v and the normal
};

class Phantom {
 public:
  Phantom(int size, std::uint64_t seed);

  int size() const { return size_; }
  // At a place in pixels from the middle.
  double density(const Vector3& place) const;
  // At a frequency in periods per cube.
  std::complex<double> transform(const Vector3& frequency) const;
  Samples project(int count, wattune::Random& random) const;
  // Where its Gaussians are, and as many places near each.
  std::vector<Vector3> places(int near_each, wattune::Random& random) const;

 private:
  struct Gaussian {
    Vector3 middle;
    double deviation;
    double height;
  };
  // Of one Gaussian for the frequencies from..to along `direction`: these factors of two directions at right angles
  // make the transform.
  std::vector<std::complex<double>> factors(const Gaussian& gaussian, const Vector3& direction, int from, int to) const;
  void project_into(Samples& samples, const std::array<Vector3, 3>& rotation) const;

  int size_;
  std::vector<Gaussian> gaussians_;
};

}  // namespace fourier
