// The volume that the inserted samples make, and its likeness to the known volume. A Reconstruction does not change;
// any thread may call it.
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
  double correlation = 0.0;    // least correlation of the transforms over all shells (Fourier shell correlation)
  double density_error = 0.0;  // largest error at some hundred places, over the largest density
};

// Returns the sum of the weights outside the middle of the grid. It tells how often samples were inserted, because a
// batch adds the same sum in every call. The middle does not count: so many samples meet there that sums of floats are
// rounded.
double outer_weight(int size, std::span<const float> weights);

class Reconstruction {
 public:
  // Makes the volume from the kernel's outputs `grid` and `weights`.
  Reconstruction(int size, std::span<const std::complex<float>> grid, std::span<const float> weights);

  // Compares the transforms at frequencies up to a quarter period per pixel, and the densities at places inside the
  // volume.
  Likeness compare(const Phantom& phantom) const;

 private:
  std::size_t voxel(int x, int y, int z) const;
  double density(const Vector3& place) const;
  double least_correlation(const Phantom& phantom) const;

  int half_;
  std::vector<std::complex<double>> transform_;
};

}  // namespace fourier
