// Fits of recorded sweeps (replayed), if the data are present.
#include "model/recorded_power.h"

#include <gtest/gtest.h>

#include "model/emulated_boards.h"
#include "model/interface/steered_clocks.h"

namespace wattune::inline v0_1::model {
namespace {

class RecordedSweep : public testing::Test {
 protected:
  void read(const std::string& file) {
    if (!std::filesystem::exists(recorded(file))) GTEST_SKIP() << "the recorded data are not here: " << file;
    auto read = recorded_sweep(file);
    if (!read && read.error().code() == ErrorCode::unavailable) GTEST_SKIP() << read.error().to_string();
    ASSERT_TRUE(read) << read.error().to_string();
    points = *std::move(read);
  }

  PowerFit fit(const std::vector<RecordedPoint>& of) {
    return fit_power_curve(with_capped_marked(samples_of(of))).value();
  }
  std::vector<Megahertz> clocks() const {
    std::vector<Megahertz> all;
    for (const RecordedPoint& point : points) all.push_back(point.sample.clock);
    return all;
  }

  std::vector<RecordedPoint> points;
};

// The A100 never throttles under this load, so all 81 clocks count, and ten of them are evenly spaced.
TEST_F(RecordedSweep, OfAnA100IsSteeredByTenClocks) {
  ASSERT_NO_FATAL_FAILURE(read(kA100Sweep));
  if (IsSkipped()) return;
  ASSERT_EQ(points.size(), 81u);
  const PowerFit full = fit(points);
  const PowerFit ten = fit(evenly_spaced(points, 10));
  EXPECT_EQ(full.samples, 81u);
  EXPECT_NEAR(full.ridge.value(), 1055, 2);
  EXPECT_NEAR(ten.ridge / full.ridge, 1.0, 0.025);
  const auto least = std::ranges::min_element(points, {}, &RecordedPoint::energy)->sample.clock;
  EXPECT_EQ(least, Megahertz(1035));
  for (const RangeEnds ends : {RangeEnds::within, RangeEnds::to_nearest}) {
    const auto steered = steered_clocks(ten.ridge, clocks(), {.ends = ends}).value();
    EXPECT_EQ(std::ranges::count(steered, least), 1);
  }
}

TEST_F(RecordedSweep, OfAnA4000KnowsItsTwoCappedPoints) {
  ASSERT_NO_FATAL_FAILURE(read(kA4000Sweep));
  if (IsSkipped()) return;
  EXPECT_EQ(fit(points).samples, 8u);
  EXPECT_NEAR(fit(points).ridge.value(), 1365, 1);
  EXPECT_NEAR(fit_power_curve(samples_of(points))->ridge.value(), 1350, 1);
}

// Energy of BabelStream at the best clock or cap, as a share of that at the highest clock and cap.
TEST(RecordedCaps, SaveLessThanClocksOfTheSameBoards) {
  const auto a100 = recorded_caps("babelstream", "A100");
  if (a100.empty()) GTEST_SKIP() << "the recorded data are not here: " << kCapsAndClocks;
  EXPECT_NEAR(savings_of(a100).by_clock, 0.636, 5e-4);
  EXPECT_NEAR(savings_of(a100).by_cap, 0.655, 5e-4);
  const auto rtx = recorded_caps("babelstream", "rtxpro6000");
  EXPECT_NEAR(savings_of(rtx).by_clock, 0.791, 5e-4);
  EXPECT_NEAR(savings_of(rtx).by_cap, 0.993, 5e-4);
}

}  // namespace
}  // namespace wattune::model
