// The volume of examples/fourier_reconstruction and its check. The reference of benchmarks/fourier_reconstruction
// inserts the samples.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>

#include "fourier_reconstruction/phantom.h"
#include "fourier_reconstruction/reconstruction.h"
#include "fourier_reconstruction/report.h"

// samples, orientations, blob_table, grid, weights, size, first, count
extern "C" void reference(void* const* arguments, const std::size_t* lengths);

namespace fourier {
namespace {

constexpr int kSize = 32;
constexpr int kSamples = 64;

struct Volume {
  std::vector<std::complex<float>> grid = std::vector<std::complex<float>>((kSize + 1) * (kSize + 1) * (kSize + 1));
  std::vector<float> weights = std::vector<float>(grid.size());

  void insert(Samples samples) {
    int size = kSize, first = 0, count = kSamples;
    void* const arguments[] = {samples.pixels.data(),
                               samples.orientations.data(),
                               nullptr,
                               grid.data(),
                               weights.data(),
                               &size,
                               &first,
                               &count};
    reference(arguments, nullptr);
  }
  Likeness compare(const Phantom& phantom) const { return Reconstruction(kSize, grid, weights).compare(phantom); }
  double weight() const { return outer_weight(kSize, weights); }
};

class FourierReconstruction : public testing::Test {
 protected:
  wattune::Random random{2};
  Phantom phantom{kSize, 1};
  Samples samples = phantom.project(kSamples, random);
  Volume volume;
};

// The last sample's first pixel is at v = -16 and u = 0, its last at v = 15 and u = 16.
TEST_F(FourierReconstruction, ASampleIsASliceOfTheTransform) {
  const float* const matrix = &samples.orientations[9 * (kSamples - 1)];
  const auto at = [&](double u, double v) {
    return Vector3{u * matrix[0] + v * matrix[3], u * matrix[1] + v * matrix[4], u * matrix[2] + v * matrix[5]};
  };
  const auto first = samples.pixels.end() - kSize * (kSize / 2 + 1);
  EXPECT_LT(std::abs(std::complex<double>(*first) - phantom.transform(at(0, -16))), 1e-5);
  EXPECT_LT(std::abs(std::complex<double>(samples.pixels.back()) - phantom.transform(at(16, 15))), 1e-5);
  // Frequency 0 is the whole mass, far above rounding.
  const std::complex<double> middle(first[16 * (kSize / 2 + 1)]);
  EXPECT_LT(std::abs(middle / phantom.transform({0, 0, 0}) - 1.0), 1e-5);
}

TEST_F(FourierReconstruction, SamplesMakeTheVolumeThatTheyAreOf) {
  volume.insert(samples);
  const Likeness likeness = volume.compare(phantom);
  EXPECT_GT(likeness.correlation, 0.95);
  EXPECT_LT(likeness.density_error, 0.1);
}

TEST_F(FourierReconstruction, AnotherVolumeIsNotAlike) {
  volume.insert(samples);
  const Likeness likeness = volume.compare(Phantom(kSize, 3));
  EXPECT_LT(likeness.correlation, 0.5);
  EXPECT_GT(likeness.density_error, 0.5);
}

// Each sample lies in the plane of the next one.
TEST_F(FourierReconstruction, SamplesInWrongPlanesAreNotAlike) {
  std::rotate(samples.orientations.begin(), samples.orientations.begin() + 9, samples.orientations.end());
  volume.insert(samples);
  EXPECT_LT(volume.compare(phantom).correlation, 0.5);
}

// The check in run.cc relies on this: each call adds the same, so that a missing call shows.
TEST_F(FourierReconstruction, TheWeightCountsCalls) {
  volume.insert(samples);
  const double once = volume.weight();
  EXPECT_GT(once, 0.0);
  for (int call = 1; call < 4; ++call) volume.insert(samples);
  EXPECT_NEAR(volume.weight() / once, 4.0, 4e-5);
}

wattune::Nanoseconds ms(double value) { return wattune::nanoseconds_from_ms(value); }

// Makes a pair of 130 calls, of which two explored and took 30 ms each. With the optimum known a call takes 9 ms.
Pair explored(Settled settled) {
  Pair pair;
  pair.oracle.calls = 130;
  pair.oracle.elapsed = ms(1170);
  pair.tuned.calls = 130;
  pair.tuned.elapsed = ms(1360);
  pair.tuned.exploring = {ms(30), ms(30)};
  pair.tuned.settled = settled;
  return pair;
}

TEST(FourierPair, TheBoundIsOfCallsThatExplore) { EXPECT_DOUBLE_EQ(explored({}).bound(), 1170.0 / (60.0 + 128 * 9.0)); }

TEST(FourierPair, TheOwnBoundKnowsTheRunsOwnCallsOnly) {
  EXPECT_DOUBLE_EQ(*explored({.calls = 100, .elapsed = ms(1000)}).share_of_own_bound(), (60.0 + 128 * 10.0) / 1360.0);
}

TEST(FourierPair, ARunThatExploresToItsEndHasNoOwnBound) {
  EXPECT_FALSE(explored({.calls = kStretch - 1, .elapsed = ms(630)}).share_of_own_bound());
}

}  // namespace
}  // namespace fourier
