#include <gtest/gtest.h>

#include <cmath>

#include "search/models/bottlenecks.h"
#include "wattune/search/strategy.h"

namespace wattune::inline v0_1::search {
namespace {

TEST(Counters, HaveOneNameForAllProfilers) {
  const auto old_names =
      counters_in({{"dram_read_bytes", 64.0, ""}, {"dram_utilization", 5.0, ""}, {"inst_fp_32", 7.0, ""}});
  const auto new_names = counters_in({{"dram__sectors_read.sum", 2.0, ""},
                                      {"dram__throughput.avg.pct_of_peak_sustained_elapsed", 50.0, ""},
                                      {"smsp__sass_thread_inst_executed_op_fp32_pred_on.sum", 7.0, ""}});
  for (const auto& counters : {old_names, new_names}) {
    ASSERT_TRUE(counters);
    EXPECT_DOUBLE_EQ(counters->value_or(dram_reads, 0.0), 2.0);
    EXPECT_DOUBLE_EQ(counters->value_or(dram_utilisation, 0.0), 0.5);
    EXPECT_DOUBLE_EQ(counters->value_or(fp32_instructions, 0.0), 7.0);
    EXPECT_FALSE(counters->has(l2_reads));
  }
  EXPECT_FALSE(counters_in({{"registers", 32.0, ""}, {"dram_read_bytes", std::nan(""), ""}}));
}

// There are names for all counters except the share of traffic that local memory causes, which CUPTI lacks; the two
// utilisations of instructions are one counter.
TEST(Counters, AreAskedOfCuptiByOneNameEach) {
  std::vector<Metric> metrics;
  for (const std::string& name : profiled_counters()) metrics.push_back({name, 1.0, ""});
  EXPECT_EQ(metrics.size(), counter_count - 2);
  const auto counters = counters_in(metrics);
  ASSERT_TRUE(counters);
  for (std::size_t c = 0; c < counter_count; ++c)
    EXPECT_EQ(counters->has(static_cast<Counter>(c)), c != local_overhead) << c;
}

// Three quarters of the traffic are reads: -0.8 * 3 / 4 and -0.8 * 1 / 4.
TEST(Bottlenecks, TrafficShouldFallAsItKeepsTheMemoryBusy) {
  Counters counters;
  counters[dram_utilisation] = 0.8;
  counters[dram_reads] = 300.0;
  counters[dram_writes] = 100.0;
  const Changes changes = desired_changes(counters, 0.7);
  EXPECT_DOUBLE_EQ(changes[dram_reads], -0.6);
  EXPECT_DOUBLE_EQ(changes[dram_writes], -0.2);
  EXPECT_EQ(changes[l2_reads], 0.0);
  EXPECT_EQ(changes[multiprocessor_activity], 0.0);
}

// The instructions are 95 % of one type, and the slots that it can use are full: (0.95 - 0.7) / (1 - 0.7) = 5/6. Half
// of all slots are free, so issuing more would help by 0.5 * 5/6. The other 5 % are no bottleneck.
TEST(Bottlenecks, InstructionsCountFromTheReactionOn) {
  Counters counters;
  counters[fp32_instructions] = 95.0;
  counters[integer_instructions] = 5.0;
  counters[instruction_utilisation] = 1.0;
  counters[issue_utilisation] = 0.5;
  counters[multiprocessor_activity] = 0.75;
  const Changes changes = desired_changes(counters, 0.7);
  EXPECT_NEAR(changes[fp32_instructions], -5.0 / 6.0, 1e-12);
  EXPECT_NEAR(changes[issue_utilisation], 2.5 / 6.0, 1e-12);
  EXPECT_EQ(changes[integer_instructions], 0.0);
  EXPECT_DOUBLE_EQ(changes[multiprocessor_activity], 0.25);
}

space::SearchSpace make_space() {
  std::vector<Parameter> parameters;
  for (const char* name : {"a", "b", "c", "d"}) {
    Parameter& parameter = parameters.emplace_back();
    parameter.name = name;
    for (int v = 0; v < 8; ++v) parameter.values.emplace_back(v);
  }
  return space::SearchSpace::build(std::move(parameters), {}).value();
}

// Returns what a kernel that only waits for DRAM reads, which is least where every parameter is 5.
double sectors(const space::SearchSpace& space, ConfigurationId id) {
  space::ValueIndices indices;
  space.unrank(id, indices);
  double product = 1.0;
  for (const std::uint16_t place : indices) product *= 1.0 + std::abs(place - 5.0);
  return product;
}

std::vector<Metric> profile_of(double sectors) {
  return {{"dram__sectors_read.sum", 1000.0 * sectors, ""},
          {"dram__throughput.avg.pct_of_peak_sustained_elapsed", 90.0, ""}};
}

enum class Given { nothing, counters, counters_elsewhere };

struct Search {
  int evaluations = 0;
  std::string remark;
};

// Runs a search until the optimum. `counters_elsewhere` adds a model from the old names that another device's profiler
// uses.
Search search(Given given, std::uint64_t seed) {
  const space::SearchSpace space = make_space();
  StrategyOptions options{.seed = seed};
  if (given == Given::counters_elsewhere) {
    auto& run = options.prior.emplace_back();
    for (ConfigurationId id = 0; id < space.count(); id += 3)
      run.push_back({id, 5.0, {{"dram_read_transactions", sectors(space, id), ""}}});
  }
  const auto strategy = make_strategy("profile", space, options).value();
  for (int n = 1;; ++n) {
    const ConfigurationId id = strategy->ask(1).at(0);
    const double amount = sectors(space, id);
    Observation observation;
    observation.statistics = Statistics{.median = Nanoseconds(amount)};
    if (given != Given::nothing) observation.metrics = profile_of(amount);
    strategy->tell(id, observation);
    if (amount == 1.0) return {n, strategy->remark()};
  }
}

double mean_evaluations(Given given) {
  double sum = 0.0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) sum += search(given, seed).evaluations;
  return sum / 20.0;
}

TEST(Profile, CountersAndEarlierProfilesSaveEvaluations) {
  const double blind = mean_evaluations(Given::nothing);
  const double seeing = mean_evaluations(Given::counters);
  const double prepared = mean_evaluations(Given::counters_elsewhere);
  EXPECT_LT(seeing, 0.8 * blind);
  EXPECT_LT(prepared, 0.8 * seeing);
}

TEST(Profile, SaysWhenItSawNoCounters) {
  const std::string remark = search(Given::nothing, 1).remark;
  EXPECT_NE(remark.find("steps had no hardware counters"), std::string::npos) << remark;
  EXPECT_EQ(search(Given::counters, 1).remark, "");
}

TEST(Profile, RefusesEarlierResultsWithoutCounters) {
  const space::SearchSpace space = make_space();
  const auto refused = make_strategy("profile", space, {.prior = {{{0, 1.0, {{"registers", 32.0, ""}}}}}});
  EXPECT_EQ(refused.error().to_string(), "the earlier results hold no hardware counters to learn from: `profile`");
}

}  // namespace
}  // namespace wattune::search
