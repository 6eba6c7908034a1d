// Prints the tables of docs/results/frugal.md on the best clock for a new kernel. Advice on clocks is replayed on
// recorded kernels.
//
//   clock_advice             advice by Wattune's advisor
//   clock_advice networks    the networks of Jiao et al. on the same recordings, which takes minutes
#include <fmt/format.h>

#include <cstring>

#include "model/advice_replay.h"
#include "model/interface/clock_networks.h"
#include "wattune/core/random.h"

namespace wattune::inline v0_1::model {
namespace {

constexpr double kSlowdown = 0.10;
constexpr std::uint64_t kDraws = 20;

using Board = std::vector<RecordedKernel>;

std::string percent(double share, int decimals = 2) { return fmt::format("{:.{}f} %", 100.0 * share, decimals); }

void print_row(const std::string& board, const std::string& rule, const ReplaySummary& free,
               const ReplaySummary& capped) {
  const std::string range = free.unmeasured == 0 ? "-" : fmt::format("{} of {}", free.in_range, free.unmeasured);
  fmt::print("| {} | {} | {} | {} | {} | {} | {} |\n", board, rule, percent(free.mean), percent(free.worst, 1), range,
             percent(capped.saved, 1), capped.violations);
}

// Returns the result of one fixed clock for all kernels: the one that saves most energy within the allowed slowdown.
ReplaySummary best_fixed_under_cap(const Board& kernels) {
  ReplaySummary best;
  for (const ClockRun& run : kernels.front().over_clocks.runs) {
    const ReplaySummary fixed = summary_of(at_fixed_clock(kernels, run.clock, {.slowdown = kSlowdown}));
    if (fixed.saved > best.saved) best = fixed;
  }
  return best;
}

void print_advice(const std::string& board, const std::string& rule, const Board& kernels, std::size_t clocks,
                  const GroupOf& group_of = benchmark_of) {
  print_row(board, rule, summary_of(replayed(kernels, clocks, {}, group_of)),
            summary_of(replayed(kernels, clocks, {.slowdown = kSlowdown}, group_of)));
}

Board without_features(Board kernels) {
  for (RecordedKernel& kernel : kernels) kernel.over_clocks.features.clear();
  return kernels;
}

void print_fixed(const std::string& name, const Board& kernels) {
  const Megahertz fixed = best_fixed_clock(kernels);
  print_row(name, fmt::format("{:.0f} MHz for all; under the cap the clock that saves most", fixed.value()),
            summary_of(at_fixed_clock(kernels, fixed)), best_fixed_under_cap(kernels));
}

// Prints the results on a board whose recordings nobody had looked at before the method was settled.
void print_plain(const std::string& name, const Board& kernels) {
  print_fixed(name, kernels);
  for (const std::size_t clocks : {1, 2, 3, 4})
    print_advice(name, fmt::format("no features, {} measured", clocks), kernels, clocks);
}

void print_board(const std::string& name, const Board& kernels) {
  print_fixed(name, kernels);
  print_advice(name, "features at the highest clock", kernels, 1);
  for (const std::size_t clocks : {2, 3, 4})
    print_advice(name, fmt::format("the same, {} clocks measured", clocks), kernels, clocks);
  for (const std::size_t clocks : {1, 2, 4})
    print_advice(name, fmt::format("no features, {} measured", clocks), without_features(kernels), clocks);
  for (const std::size_t clocks : {1, 2, 4})
    print_advice(name, fmt::format("a family left out, {} measured", clocks), kernels, clocks, family_of);
}

std::vector<std::string> shuffled_benchmarks(const Board& kernels, std::uint64_t seed) {
  std::set<std::string> all;
  for (const RecordedKernel& kernel : kernels) all.insert(benchmark_of(kernel));
  std::vector<std::string> benchmarks(all.begin(), all.end());
  Random random(seed);
  for (std::size_t i = benchmarks.size(); i > 1; --i) std::swap(benchmarks[i - 1], benchmarks[random.below(i)]);
  return benchmarks;
}

// Returns the savings of advice by an advisor that learned from only `known` benchmarks, for the kernels of all others.
// The known benchmarks are drawn anew for each seed.
ReplaySummary with_known_benchmarks(const Board& kernels, std::size_t known, std::size_t clocks) {
  std::vector<ReplayedChoice> choices;
  for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
    const auto benchmarks = shuffled_benchmarks(kernels, seed);
    const std::set<std::string> chosen(benchmarks.begin(), benchmarks.begin() + static_cast<std::ptrdiff_t>(known));
    std::vector<KernelOverClocks> learned;
    for (const RecordedKernel& kernel : kernels)
      if (chosen.contains(benchmark_of(kernel))) learned.push_back(kernel.over_clocks);
    const ClockAdvisor advisor = ClockAdvisor::learn(learned).value();
    for (const RecordedKernel& kernel : kernels)
      if (!chosen.contains(benchmark_of(kernel))) choices.push_back(replayed_advice(advisor, kernel, clocks, {}));
  }
  return summary_of(choices);
}

void print_learning(const std::string& name, const Board& kernels) {
  for (const std::size_t known : {3, 6, 12, 20}) {
    fmt::print("| {} | {} |", name, known);
    for (const std::size_t clocks : {1, 2, 4}) {
      const ReplaySummary sum = with_known_benchmarks(kernels, known, clocks);
      const double in_range =
          sum.unmeasured ? static_cast<double>(sum.in_range) / static_cast<double>(sum.unmeasured) : 1.0;
      fmt::print(" {} | {} | {} |", percent(sum.mean), percent(sum.worst, 1), percent(in_range, 0));
    }
    fmt::print("\n");
  }
}

// Returns the features that networks are told of a recorded kernel. Its activities and its power at the highest clock
// take the first of the fifteen places; the other places are 0.
KernelFeatures features_of(const RecordedKernel& kernel) {
  KernelFeatures features;
  const std::vector<double>& known = kernel.over_clocks.features;
  std::ranges::copy(known, features.values.begin());
  features.values[known.size()] = kernel.over_clocks.runs.back().power.value();
  return features;
}

// Returns the example from which networks learn about a kernel. A recording does not count operations. Instead of
// operations per joule, the example has the energy at the highest clock over the least energy.
KernelAtBestClocks sample_of(const RecordedKernel& kernel) {
  const std::vector<ClockRun>& runs = kernel.over_clocks.runs;
  const ClockRun& best = *std::ranges::min_element(runs, {}, energy_of);
  return {features_of(kernel), {energy_of(runs.back()) / energy_of(best), best.clock, Megahertz()}};
}

// Returns for each kernel the clock that networks choose: the mean of five networks, trained on the kernels of all
// other groups.
std::vector<Megahertz> clocks_by_networks(const Board& kernels, const GroupOf& group_of) {
  constexpr std::size_t kMembers = 5;
  std::map<std::string, std::vector<ClockNetworks>> networks;
  std::vector<Megahertz> clocks;
  for (const RecordedKernel& kernel : kernels) {
    std::vector<ClockNetworks>& members = networks[group_of(kernel)];
    std::vector<KernelAtBestClocks> others;
    if (members.empty())
      for (const RecordedKernel& other : kernels)
        if (group_of(other) != group_of(kernel)) others.push_back(sample_of(other));
    for (std::uint64_t seed = 1; members.size() < kMembers; seed += 3)
      members.push_back(ClockNetworks::train(others, seed).value());
    Megahertz mean;
    for (const ClockNetworks& member : members)
      mean += member.at(features_of(kernel)).core / static_cast<double>(kMembers);
    std::vector<Megahertz> levels;
    for (const ClockRun& run : kernel.over_clocks.runs) levels.push_back(run.clock);
    clocks.push_back(nearest_level(mean, levels));
  }
  return clocks;
}

void print_networks(const std::string& name, const std::string& rule, const Board& kernels, const GroupOf& group_of) {
  const std::vector<Megahertz> clocks = clocks_by_networks(kernels, group_of);
  const auto judged_for = [&](const ClockGoal& goal) {
    std::vector<ReplayedChoice> choices;
    for (std::size_t i = 0; i < kernels.size(); ++i) choices.push_back(judged(kernels[i], clocks[i], goal));
    return summary_of(choices);
  };
  print_row(name, rule, judged_for({}), judged_for({.slowdown = kSlowdown}));
}

void print_head() {
  fmt::print(
      "| board | clock by | regret, mean | worst | unmeasured clocks with an energy in the range | saved of what a cap "
      "of 10 % leaves to save | violations |\n| --- | --- | --- | --- | --- | --- | --- |\n");
}

Result<void> print_networks() {
  print_head();
  for (const auto& [name, file] : {std::pair("V100", "v100"), std::pair("RTX 8000", "rtx8000")}) {
    WATTUNE_ASSIGN(const Board kernels, recorded_board(file));
    print_networks(name, "networks, features at the highest clock", kernels, benchmark_of);
    print_networks(name, "networks, a family left out", kernels, family_of);
  }
  return {};
}

Result<void> print_tables() {
  WATTUNE_ASSIGN(const Board v100, recorded_board("v100"));
  WATTUNE_ASSIGN(const Board rtx8000, recorded_board("rtx8000"));
  WATTUNE_ASSIGN(const Board titan_x, recorded_titan_x());
  WATTUNE_ASSIGN(const Board gtx1080ti, recorded_gtx1080ti());
  fmt::print("replayed: {} rows of a V100, {} of an RTX 8000, {} of a Titan X, {} of a GTX 1080 Ti\n\n", v100.size(),
             rtx8000.size(), titan_x.size(), gtx1080ti.size());
  print_head();
  print_board("V100", v100);
  print_board("RTX 8000", rtx8000);
  print_plain("Titan X", titan_x);
  print_plain("GTX 1080 Ti", gtx1080ti);
  fmt::print(
      "\nregret by how many benchmarks are known, {} draws, with 1, 2 and 4 clocks measured\n\n"
      "| board | known | 1: mean | worst | in range | 2: mean | worst | in range | 4: mean | worst | in range |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
      kDraws);
  print_learning("V100", v100);
  print_learning("RTX 8000", rtx8000);
  return {};
}

}  // namespace
}  // namespace wattune::model

int main(int count, char** arguments) {
  const bool wants_networks = count > 1 && std::strcmp(arguments[1], "networks") == 0;
  const auto done = wants_networks ? wattune::model::print_networks() : wattune::model::print_tables();
  if (!done) fmt::print(stderr, "the recorded data are not here: {}\n", done.error().to_string());
  return 0;
}
