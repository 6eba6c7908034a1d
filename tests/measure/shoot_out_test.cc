#include "wattune/measure/shoot_out.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "measure/synthetic_device.h"

namespace wattune::measure {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Verdict decide(SyntheticDevice& device, const std::vector<double>& times_in_ms, const ShootOutOptions& options = {}) {
  std::vector<SyntheticRunner> runners;
  std::vector<Runner*> contestants;
  runners.reserve(times_in_ms.size());
  for (const double time : times_in_ms) contestants.push_back(&runners.emplace_back(device, nanoseconds_from_ms(time)));
  std::size_t failed = 0;
  return judge(run_shoot_out(contestants, options, failed).value(), options.max_blocks);
}

int wins_of_the_better(const Noise& noise, const Speed& speed) {
  int wins = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SyntheticDevice device(seed, noise, speed);
    wins += decide(device, {1.01, 1.0}).winner == 1 ? 1 : 0;
  }
  return wins;
}

// At 1 % noise the ratio of a pair deviates by 1.41 %, the median of 36 by 1.41 % * sqrt(pi / 2) / 6 = 0.29 %: the
// better of two that are 1 % apart loses at 3.4 standard deviations, one time in 3000. Of 200, at most 2.
TEST(ShootOut, FindsTheBetterOfTwoWithinOnePercent) {
  EXPECT_GE(wins_of_the_better(gaussian(0.01), full_speed), 198);
  EXPECT_GE(wins_of_the_better(with_outliers(0.01), full_speed), 198);
}

// The clock falls by a fifth over the shoot-out, or in its middle.
TEST(ShootOut, DriftDoesNotDecide) {
  const auto drift = [](Nanoseconds busy) { return 1.0 - 0.2 * std::min(1.0, to_ms(busy) / 90.0); };
  EXPECT_GE(wins_of_the_better(gaussian(0.01), drift), 198);
  EXPECT_GE(wins_of_the_better(gaussian(0.01), throttled), 198);
}

// Equal contestants are told apart wrongly in at most 5 % of all shoot-outs: of 200 ten, and three standard deviations
// (3.1) more.
TEST(ShootOut, EqualOnesAreTied) {
  int wrong = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SyntheticDevice device(seed, gaussian(0.02));
    wrong += decide(device, {1.0, 1.0, 1.0, 1.0}).ties.size() < 3 ? 1 : 0;
  }
  EXPECT_LE(wrong, 19);
}

TEST(ShootOut, EndsWhenTheWinnerIsClear) {
  SyntheticDevice device(1, gaussian(0.001));
  SyntheticRunner slow(device, nanoseconds_from_ms(2));
  SyntheticRunner fast(device, nanoseconds_from_ms(1));
  device.busy = nanoseconds_from_ms(20);
  Runner* contestants[] = {&slow, &fast};
  std::size_t failed = 0;
  const RoundSamples samples = run_shoot_out(contestants, {}, failed).value();
  EXPECT_EQ(slow.runs, 24u);  // each of 12 samples with a run before it
  EXPECT_EQ(fast.runs, 24u);
  EXPECT_EQ(judge(samples).winner, 1u);
  EXPECT_THAT(judge(samples).ties, IsEmpty());
}

// Records who runs; breaks when told to.
class NamedRunner : public Runner {
 public:
  NamedRunner(std::string& log, char name, bool broken = false) : log_(log), name_(name), broken_(broken) {}
  Result<std::vector<Sample>> run(std::size_t n) override {
    if (broken_) return Error(ErrorCode::device_lost, "gone");
    log_ += std::string(n, name_);
    return std::vector<Sample>(n, {Nanoseconds(1000)});
  }
  Nanoseconds busy_time() const override { return nanoseconds_from_seconds(1); }

 private:
  std::string& log_;
  char name_;
  bool broken_;
};

TEST(ShootOut, TheOrderRotates) {
  std::string log;
  NamedRunner a(log, 'a'), b(log, 'b'), c(log, 'c');
  Runner* contestants[] = {&a, &b, &c};
  std::size_t failed = 0;
  ASSERT_TRUE(run_shoot_out(contestants, {.block = 4, .max_blocks = 1}, failed));
  EXPECT_EQ(log, "aabbccbbccaaccaabbaabbcc");
}

TEST(ShootOut, SaysWhoFailed) {
  std::string log;
  NamedRunner a(log, 'a'), b(log, 'b', true), c(log, 'c');
  Runner* contestants[] = {&a, &b, &c};
  std::size_t failed = 9;
  EXPECT_FALSE(run_shoot_out(contestants, {}, failed));
  EXPECT_EQ(failed, 1u);
}

Statistics between(double low, double median, double high) {
  Statistics statistics;
  statistics.interval_low = Nanoseconds(low);
  statistics.median = Nanoseconds(median);
  statistics.interval_high = Nanoseconds(high);
  return statistics;
}

TEST(ShootOut, FinalistsAreThoseWhoseIntervalReachesTheBest) {
  const std::vector<Statistics> all = {between(11, 12, 13), between(8, 9, 10), between(10, 11, 12), between(9, 13, 20)};
  EXPECT_THAT(choose_finalists(all, 8), ElementsAre(1, 2, 3));
  EXPECT_THAT(choose_finalists(all, 2), ElementsAre(1, 2));
  EXPECT_THAT(choose_finalists({}, 8), IsEmpty());
}

}  // namespace
}  // namespace wattune::measure
