#include "wattune/schedule/queue_experiment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "wattune/simulate/corun_kernels.h"

namespace wattune::schedule {
namespace {

using ::testing::HasSubstr;

simulate::GpuModel two_sms_of_fermi() { return simulate::with_sms(*simulate::find_gpu_model("C2050"), 2); }

// PC waits for memory, TEA computes; each 1 ms alone, in eight waves.
std::vector<ProfiledKernel> complementary_kernels() {
  const auto& all = simulate::kernelet_kernels();
  const auto kernels =
      equally_long(two_sms_of_fermi(), {all.front().kernel, all.back().kernel}, nanoseconds_from_ms(1), 8).value();
  return profile_all(two_sms_of_fermi(), kernels).value();
}

QueueRun run_of(const std::string& policy, const std::vector<Arrival>& arrivals,
                Knowledge knowledge = Knowledge::predicted) {
  const auto kernels = complementary_kernels();
  const QueueOptions options{.policy = policy, .knowledge = knowledge};
  const PairTable forecasts = forecast_all(two_sms_of_fermi(), kernels, options).value();
  return run_queue(two_sms_of_fermi(), kernels, arrivals, options, forecasts).value();
}

TEST(QueueExperiment, KernelsBecomeEquallyLong) {
  for (const ProfiledKernel& kernel : complementary_kernels()) {
    EXPECT_NEAR(to_ms(kernel.traits.alone), 1.0, 0.05) << kernel.traits.name;
    EXPECT_EQ(kernel.traits.blocks, 8U * 2U * kernel.traits.profile.blocks_alone);
  }
}

TEST(QueueExperiment, ArrivalsFollowTheSeedAndTheLoad) {
  const auto kernels = complementary_kernels();
  const auto arrivals = poisson_arrivals(kernels, {.works = 2000, .load = 0.5, .seed = 3});
  EXPECT_EQ(arrivals, poisson_arrivals(kernels, {.works = 2000, .load = 0.5, .seed = 3}));
  EXPECT_NE(arrivals, poisson_arrivals(kernels, {.works = 2000, .load = 0.5, .seed = 4}));
  EXPECT_TRUE(std::ranges::is_sorted(arrivals, {}, &Arrival::moment));
  // 2,000 gaps of 2 ms on average; their sum deviates by 2.2 %.
  EXPECT_NEAR(to_ms(arrivals.back().moment), 4000.0, 300.0);
  for (const Arrival& arrival : backlog(kernels, {.works = 10})) EXPECT_EQ(arrival.moment, Nanoseconds(0));
}

// Each kernel's grid fills the GPU, so that whole kernels run one after the other. Together they have 1.7 times their
// speed. Even if 12 of 20 are of one, which leaves 4 without a partner, that is 20 / (16 / 1.7 + 4) = 1.49, less stops.
TEST(QueueExperiment, PairsGainOverWholeKernels) {
  const auto arrivals = backlog(complementary_kernels(), {.works = 20});
  const QueueRun fifo = run_of("fifo", arrivals);
  const QueueRun paired = run_of("paired", arrivals);
  EXPECT_NEAR(to_ms(fifo.makespan), 20.0, 1.0);
  EXPECT_LT(paired.makespan * 1.2, fifo.makespan);
  EXPECT_LT(paired.mean_response, fifo.mean_response);
}

// The distance that is asked for at most.
TEST(QueueExperiment, PairsComeWithinFivePercentOfTheOracle) {
  const auto arrivals = backlog(complementary_kernels(), {.works = 20});
  EXPECT_LT(run_of("paired", arrivals).makespan, run_of("paired", arrivals, Knowledge::measured).makespan * 1.05);
}

// At a tenth of what the GPU can do a work hardly ever waits: it takes what it takes alone, 1 ms.
TEST(QueueExperiment, AtALowLoadNobodyWaits) {
  const auto arrivals = poisson_arrivals(complementary_kernels(), {.works = 40, .load = 0.1});
  const QueueRun run = run_of("paired", arrivals);
  EXPECT_LT(run.slowdown, 1.3);
  EXPECT_GE(run.slowdown, 0.95);
}

TEST(QueueExperiment, AnUnknownPolicyIsRefused) {
  const auto kernels = complementary_kernels();
  const auto refused = run_queue(two_sms_of_fermi(), kernels, {}, {.policy = "best"}, PairTable());
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().to_string(), HasSubstr("no such policy: `best`"));
}

}  // namespace
}  // namespace wattune::schedule
