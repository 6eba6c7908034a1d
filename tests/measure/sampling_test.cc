// Policies whose samples another party takes, such as an application that launches the kernel for its own purpose.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "measure/synthetic_device.h"
#include "wattune/measure/policy.h"

namespace wattune::inline v0_1::measure {
namespace {

using ::testing::SizeIs;

constexpr Nanoseconds kRun = nanoseconds_from_ms(1);

std::vector<Sample> runs_of(Nanoseconds time, std::size_t n) { return std::vector<Sample>(n, Sample{time}); }

// Pushes runs of 1 ms in groups of n until the sampling wants no more. Returns their number.
std::size_t push(Sampling& sampling, std::size_t n) {
  std::size_t pushed = 0;
  for (Nanoseconds busy; sampling.wants().runs > 0; pushed += n) {
    busy += static_cast<double>(n) * kRun;
    sampling.take(runs_of(kRun, n), busy);
  }
  return pushed;
}

// 20 runs of 1 ms warm up, in batches of 1, 2, 4, 8, 5; seven are samples.
TEST(Sampling, TakesRunsOneByOne) {
  const auto policy = make_repeated_runs({});
  const auto sampling = policy->begin({}, Nanoseconds());
  EXPECT_TRUE(sampling->wants().warm_up);
  EXPECT_EQ(push(*sampling, 1), 27u);
  EXPECT_THAT(sampling->samples(), SizeIs(7));
}

// The third group of ten is no warm-up any more, and seven of it suffice.
TEST(Sampling, TakesMoreRunsThanItWants) {
  const auto policy = make_repeated_runs({});
  const auto sampling = policy->begin({}, Nanoseconds());
  EXPECT_EQ(push(*sampling, 10), 30u);
  EXPECT_THAT(sampling->samples(), SizeIs(7));
}

TEST(Sampling, WantsNoWarmUpOfADeviceAtWork) {
  const auto policy = make_repeated_runs({});
  const auto sampling = policy->begin({}, nanoseconds_from_ms(20));
  EXPECT_FALSE(sampling->wants().warm_up);
  EXPECT_EQ(sampling->wants().runs, 7u);
}

// An application may change between configurations. The policy learns from each that is complete.
TEST(Sampling, SeveralMayBeUnderWayAtOnce) {
  const auto policy = make_gated({});
  const Statistics incumbent = summarize(runs_of(kRun, 20));
  std::vector<std::unique_ptr<Sampling>> lessons;
  for (int i = 0; i < 8; ++i) lessons.push_back(policy->begin(incumbent, Nanoseconds()));
  for (const auto& lesson : lessons) push(*lesson, 1);
  const auto next = policy->begin(incumbent, Nanoseconds());
  next->take(runs_of(50.0 * kRun, 1), 50.0 * kRun);
  EXPECT_EQ(next->wants().runs, 0u);  // the gate has learned what is hopeless
  EXPECT_THAT(next->samples(), SizeIs(1));
}

// After a first launch of 1 us, six further samples take less than a wait of 10 us, but not less than one of 5 us.
TEST(Sampling, IsNotWaitedForWhereWaitsCostMoreThanSamples) {
  for (const auto& [wait_cost, runs] : {std::pair(10.0, 7u), std::pair(5.0, 1u), std::pair(0.0, 1u)}) {
    const auto policy = make_gated({.warm_up = Nanoseconds(), .wait_cost = Nanoseconds(1e3 * wait_cost)});
    const auto sampling = policy->begin({}, Nanoseconds());
    EXPECT_EQ(sampling->wants().runs, 1u);
    sampling->take(runs_of(Nanoseconds(1000), 1), Nanoseconds(1000));
    EXPECT_EQ(sampling->wants().runs, runs) << wait_cost;
  }
}

// No clock reports such times, and that many runs would not fit into memory.
TEST(Sampling, EndsAtATimeThatNoClockCanTell) {
  for (const double time : {std::nan(""), std::numeric_limits<double>::infinity(), 1e300, -1.0, -1e300}) {
    for (const auto& policy : {make_gated({}), make_repeated_runs({})}) {
      const auto sampling = policy->begin({}, nanoseconds_from_ms(20));
      sampling->take(runs_of(Nanoseconds(time), 1), nanoseconds_from_ms(20));
      EXPECT_EQ(sampling->wants().runs, 0u) << time;
      ASSERT_THAT(sampling->samples(), SizeIs(1));
      EXPECT_FALSE(is_measurable(sampling->samples().front().time));
    }
  }
}

// The device reports no busy time, or hardly any, whatever it ran.
TEST(Sampling, WarmUpStaysWithinMemory) {
  for (const double busy_per_run : {std::nan(""), -1.0, 0.0, 1e-200, 1e-3}) {
    const auto policy = make_repeated_runs({.warm_up = Nanoseconds(1e4)});
    const auto sampling = policy->begin({}, Nanoseconds());
    Nanoseconds busy;
    for (int i = 0; i < 100 && sampling->wants().warm_up; ++i) {
      const std::size_t n = sampling->wants().runs;
      ASSERT_LE(n, std::size_t{1} << 20);
      busy += Nanoseconds(busy_per_run) * static_cast<double>(n);
      sampling->take(runs_of(kRun, n), busy);
    }
  }
}

class BrokenClock : public Runner {
 public:
  Result<std::vector<Sample>> run(std::size_t n) override { return runs_of(Nanoseconds(std::nan("")), n); }
  Nanoseconds busy_time() const override { return nanoseconds_from_ms(20); }
};

TEST(ShootOut, ATimeThatNoClockCanTellEndsTheTurn) {
  BrokenClock runner;
  EXPECT_EQ(TimedContestant(runner).take_turn({}).error().code(), ErrorCode::launch_failed);
}

}  // namespace
}  // namespace wattune::measure
