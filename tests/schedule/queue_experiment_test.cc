#include "schedule/interface/queue_experiment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "simulate/interface/corun_kernels.h"

namespace wattune::inline v0_1::schedule {
namespace {

using ::testing::HasSubstr;

simulate::GpuModel two_sms_of_fermi() { return simulate::with_sms(*simulate::find_gpu_model("C2050"), 2); }

// Returns PC, which waits for memory, and TEA, which computes; each takes 1 ms alone, in eight waves.
std::vector<ProfiledKernel> complementary_kernels() {
  const auto& all = simulate::kernelet_kernels();
  const auto kernels =
      equally_long(two_sms_of_fermi(), {all.front().kernel, all.back().kernel}, nanoseconds_from_ms(1), 8).value();
  return profile_all(two_sms_of_fermi(), kernels).value();
}

std::unique_ptr<SimulatedMachine> machine_of(const std::vector<ProfiledKernel>& kernels) {
  return simulated_machine(two_sms_of_fermi(), kernels);
}

QueueRun run_of(const std::string& policy, const std::vector<Arrival>& arrivals,
                Knowledge knowledge = Knowledge::predicted) {
  const auto kernels = complementary_kernels();
  const QueueOptions options{.policy = policy, .knowledge = knowledge};
  const PairTable forecasts =
      forecast_all(*machine_of(kernels), options, simulate::chain_sm(two_sms_of_fermi())).value();
  return run_queue(*machine_of(kernels), arrivals, options, forecasts).value();
}

TEST(QueueExperiment, KernelsBecomeEquallyLong) {
  for (const ProfiledKernel& kernel : complementary_kernels()) {
    EXPECT_NEAR(to_ms(*kernel.traits.alone), 1.0, 0.05) << kernel.traits.name;
    EXPECT_EQ(kernel.traits.blocks, 8U * 2U * kernel.traits.profile.blocks_alone);
  }
}

TEST(QueueExperiment, ArrivalsFollowTheSeedAndTheLoad) {
  const auto machine = machine_of(complementary_kernels());
  const auto arrivals = poisson_arrivals(*machine, {.works = 2000, .load = 0.5, .seed = 3});
  EXPECT_EQ(arrivals, poisson_arrivals(*machine, {.works = 2000, .load = 0.5, .seed = 3}));
  EXPECT_NE(arrivals, poisson_arrivals(*machine, {.works = 2000, .load = 0.5, .seed = 4}));
  EXPECT_TRUE(std::ranges::is_sorted(arrivals, {}, &Arrival::moment));
  // The gaps are 2,000 of 2 ms on average; their sum deviates by 2.2 %.
  EXPECT_NEAR(to_ms(arrivals.back().moment), 4000.0, 300.0);
  for (const Arrival& arrival : backlog(*machine, {.works = 10})) EXPECT_EQ(arrival.moment, Nanoseconds(0));
}

// Each kernel's grid fills the GPU, so whole kernels run one after the other. Together they have 1.7 times their speed.
// If 12 of 20 works are of one kernel, 4 have no partner, and the gain is still 20 / (16 / 1.7 + 4) = 1.49, less the
// stops.
TEST(QueueExperiment, PairsGainOverWholeKernels) {
  const auto arrivals = backlog(*machine_of(complementary_kernels()), {.works = 20});
  const QueueRun fifo = run_of("fifo", arrivals);
  const QueueRun paired = run_of("paired", arrivals);
  EXPECT_NEAR(to_ms(fifo.makespan), 20.0, 1.0);
  EXPECT_LT(paired.makespan * 1.2, fifo.makespan);
  EXPECT_LT(paired.mean_response, fifo.mean_response);
}

// The mean distance over several queues is at most the required one. The oracle knows ways that nothing predicts.
TEST(QueueExperiment, PairsComeWithinFivePercentOfTheOracle) {
  double paired = 0.0;
  double oracle = 0.0;
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    const auto arrivals = backlog(*machine_of(complementary_kernels()), {.works = 20, .seed = seed});
    paired += to_ms(run_of("paired", arrivals).makespan);
    oracle += to_ms(run_of("paired", arrivals, Knowledge::measured).makespan);
  }
  EXPECT_LT(paired, 1.05 * oracle);
}

// Each work takes 1 ms. The two that arrive at 2 ms end at 4 ms; the third arrives at 5 ms and does not wait.
TEST(QueueExperiment, InTurnEachTakesWhatItTakesAlone) {
  const auto machine = machine_of(complementary_kernels());
  const std::vector<Arrival> arrivals = {{.moment = nanoseconds_from_ms(2), .kernel = 0},
                                         {.moment = nanoseconds_from_ms(2), .kernel = 1},
                                         {.moment = nanoseconds_from_ms(5), .kernel = 0}};
  const double first = to_ms(*machine->kernel(0)->alone);
  EXPECT_NEAR(first, 1.0, 0.05);
  EXPECT_NEAR(to_ms(time_in_turn(*machine, arrivals)), 3.0 + first, 1e-9);
  EXPECT_EQ(time_in_turn(*machine, {}), Nanoseconds(0));
}

// At a tenth of the GPU's capacity a work hardly ever waits: it takes 1 ms, as alone.
TEST(QueueExperiment, AtALowLoadNobodyWaits) {
  const auto arrivals = poisson_arrivals(*machine_of(complementary_kernels()), {.works = 40, .load = 0.1});
  const QueueRun run = run_of("paired", arrivals);
  EXPECT_LT(run.slowdown, 1.3);
  EXPECT_GE(run.slowdown, 0.95);
}

// A machine on which other works ran before has a later time, which must not count in this run.
TEST(QueueExperiment, CountsFromItsOwnBeginning) {
  const auto machine = machine_of(complementary_kernels());
  const auto arrivals = backlog(*machine, {.works = 4});
  const QueueRun first = run_queue(*machine, arrivals, {.policy = "fifo"}, PairTable()).value();
  const QueueRun second = run_queue(*machine, arrivals, {.policy = "fifo"}, PairTable()).value();
  EXPECT_GT(machine->now(), first.makespan * 1.9);
  EXPECT_NEAR(first.makespan / second.makespan, 1.0, 0.01);
}

// Without utilisations nothing tells what two kernels ask of one pipeline, so the pair has to run.
TEST(QueueExperiment, MeasuresPairsThatNoProfilePredicts) {
  auto kernels = complementary_kernels();
  const QueueOptions paired{.policy = "paired"};
  const auto predicted = forecast_all(*machine_of(kernels), paired).value().find(0, 1);
  for (ProfiledKernel& kernel : kernels) kernel.traits.utilisation = {};
  const auto machine = machine_of(kernels);
  const auto measured = forecast_all(*machine, paired).value().find(0, 1);
  EXPECT_GT(machine->now(), Nanoseconds(0));
  EXPECT_NE(predicted->rates, measured->rates);
  EXPECT_GT(measured->speedup(), 1.4);
}

TEST(QueueExperiment, EndsWhenItsUserSaysSo) {
  const auto machine = machine_of(complementary_kernels());
  const std::atomic<bool> cancel{true};
  const auto run =
      run_queue(*machine, backlog(*machine, {.works = 4}), {.policy = "fifo", .cancel = &cancel}, PairTable());
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code(), ErrorCode::cancelled);
}

TEST(QueueExperiment, AnUnknownPolicyIsRefused) {
  const auto machine = machine_of(complementary_kernels());
  const auto refused = run_queue(*machine, {}, {.policy = "best"}, PairTable());
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().to_string(), HasSubstr("no such policy: `best`"));
}

}  // namespace
}  // namespace wattune::schedule
