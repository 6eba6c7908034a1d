// A volume that is known in closed form, and its projections.
//
// The volume is a sum of Gaussians in a cube of `size` pixels, so its Fourier transform is a sum of Gaussians too. By
// the central slice theorem, the transform of a projection is a slice through the volume's transform, in the plane of
// the projection. Any thread may call its functions.
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

// Projections in random orientations, in the form that benchmarks/fourier_reconstruction reads.
struct Samples {
  std::vector<std::complex<float>> pixels;  // for each sample, size rows of size / 2 + 1
  std::vector<float> orientations;          // for each sample, a matrix: the directions of u, v and the normal
};

class Phantom {
 public:
  Phantom(int size, std::uint64_t seed);

  int size() const { return size_; }
  // Returns the density at a place. The place is given in pixels from the middle of the cube.
  double density(const Vector3& place) const;
  // Returns the transform at a frequency. The frequency is given in periods per cube.
  std::complex<double> transform(const Vector3& frequency) const;
  Samples project(int count, wattune::Random& random) const;
  // Returns the middles of the Gaussians, and for each of them `near_each` random places nearby.
  std::vector<Vector3> places(int near_each, wattune::Random& random) const;

 private:
  struct Gaussian {
    Vector3 middle;
    double deviation;
    double height;
  };
  // Returns the factor of one Gaussian for each frequency from..to along `direction`. The transform in a plane is the
  // product of the factors of two directions at right angles.
  std::vector<std::complex<double>> factors(const Gaussian& gaussian, const Vector3& direction, int from, int to) const;
  void project_into(Samples& samples, const std::array<Vector3, 3>& rotation) const;

  int size_;
  std::vector<Gaussian> gaussians_;
};

}  // namespace fourier
