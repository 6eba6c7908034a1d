// Reconstruction: the volume that inserted samples make, and how like the known one it is. A value; any thread may
// call.
//
//   const Reconstruction volume(size, grid, weights);
//   const Likeness likeness = volume.compare(phantom);
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "phantom.h"

namespace fourier {

struct Likeness {
  double correlation = 0.0;    // the least of the shells' between the transforms (Fourier shell correlation)
  double density_error = 0.0;  // the largest of some hundred places, over the largest density
};

// The sum of the weights but for the middle of the grid, where so many samples meet that floats round them. It tells
// how often samples were inserted: each buffer adds the same, call by call.
double outer_weight(int size, std::span<const float> weights);

class Reconstruction {
 public:
  // `grid` and `weights` are what the kernel leaves.
  Reconstruction(int size, std::span<const std::complex<float>> grid, std::span<const float> weights);

  // At frequencies up to a quarter period per pixel, and at places where the volume is.
  Likeness compare(const Phantom& phantom) const;

 private:
  std::size_t voxel(int x, int y, int z) const;
  double density(const Vector3& place) const;
  double least_correlation(const Phantom& phantom) const;

  int half_;
  std::vector<std::complex<double>> transform_;
};

}  // namespace fourier
