// Prints the tables of docs/results/frugal.md on the three networks of Jiao et al. The networks learn from kernels in
// the fast simulation of a GT 640, and are tested on other kernels in the detailed simulation.
//
// The second table lists the tested kernels for which a predicted clock is more than one level of the board off the
// best clock.
//
//   clock_networks [INSTRUCTIONS [TESTED [SEEDS]]]
//
// INSTRUCTIONS is the length of a detailed run (300,000), TESTED the number of tested kernels (28), and SEEDS the
// number of seeds of the networks (5).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/interface/clock_networks.h"
#include "schedule/interface/board_networks.h"
#include "simulate/interface/gt640_kernels.h"
#include "simulate/interface/steady_flow.h"
#include "wattune/model/occupancy.h"

namespace wattune::inline v0_1::simulate {
namespace {

using model::KernelAtBestClocks;

constexpr std::uint64_t kTrainingSeed = 1;
constexpr std::uint64_t kTestSeed = 2;

Residents all_of(const SimulatedKernel& kernel) {
  return {&kernel, model::occupancy(gt640().capability, kernel.block)->blocks};
}

model::BestClocks best_of(const Efficiency& best) {
  return {best.operations_per_joule(), best.clocks.core, best.clocks.memory};
}

KernelAtBestClocks fast(const SimulatedKernel& kernel) {
  const Residents all = all_of(kernel);
  return {efficiency_at(gt640(), highest_clocks(gt640()), {&all, 1}).flow.features,
          best_of(best_efficiency(gt640(), {&all, 1}))};
}

Efficiency detailed_at(const SimulatedKernel& kernel, const ClockPair& clocks, double instructions) {
  const Residents all = all_of(kernel);
  const GpuModel gpu = at_clocks(gt640(), clocks);
  return efficiency_of(gt640(), clocks,
                       simulated_flow(gpu, {&all, 1}, {.fidelity = Fidelity::detailed}, instructions).value());
}

// A tested kernel with its operations per joule at all pairs of clocks.
struct Tested {
  std::string name;
  model::KernelFeatures features;
  std::vector<Efficiency> at;

  const Efficiency& best() const { return *std::ranges::max_element(at, {}, &Efficiency::operations_per_joule); }
};

Tested detailed(const SimulatedKernel& kernel, double instructions) {
  Tested tested{.name = kernel.name, .features = {}, .at = {}};
  for (const ClockPair& clocks : clock_pairs(gt640())) tested.at.push_back(detailed_at(kernel, clocks, instructions));
  const auto top = std::ranges::find(tested.at, highest_clocks(gt640()), &Efficiency::clocks);
  tested.features = top->flow.features;
  return tested;
}

struct Levels {
  std::vector<Megahertz> core;
  std::vector<Megahertz> memory;
};

Levels levels() {
  std::set<Megahertz> core, memory;
  for (const ClockPair& clocks : clock_pairs(gt640())) core.insert(clocks.core), memory.insert(clocks.memory);
  return {{core.begin(), core.end()}, {memory.begin(), memory.end()}};
}

long levels_off(Megahertz found, Megahertz best, const std::vector<Megahertz>& all) {
  return std::abs(std::ranges::find(all, found) - std::ranges::find(all, best));
}

struct Score {
  double mean = 0.0, worst = 0.0;      // error of operations per joule
  int core = 0, memory = 0;            // correct levels
  int far = 0;                         // kernels of which a level is off by more than one
  double loss = 0.0, most_loss = 0.0;  // of operations per joule at the predicted clocks
};

using Teller = std::function<model::BestClocks(const model::KernelFeatures&)>;

// The clocks of the board that are nearest to the predicted ones, and by how many levels they are off the best clocks.
struct Told {
  Told(const model::BestClocks& predicted, const ClockPair& best) {
    const Levels all = levels();
    clocks = {model::nearest_level(predicted.core, all.core), model::nearest_level(predicted.memory, all.memory)};
    core_off = levels_off(clocks.core, best.core, all.core);
    memory_off = levels_off(clocks.memory, best.memory, all.memory);
  }
  bool is_far() const { return core_off > 1 || memory_off > 1; }

  ClockPair clocks;
  long core_off = 0;
  long memory_off = 0;
};

// Returns the share of the kernel's best operations per joule that is lost at `clocks`.
double lost_at(const ClockPair& clocks, const Tested& kernel) {
  const auto there = std::ranges::find(kernel.at, clocks, &Efficiency::clocks);
  return 1.0 - there->operations_per_joule() / kernel.best().operations_per_joule();
}

Score score_of(const Teller& tell, const std::vector<Tested>& kernels) {
  Score score;
  for (const Tested& kernel : kernels) {
    const model::BestClocks predicted = tell(kernel.features);
    const Told told(predicted, kernel.best().clocks);
    const double error = std::abs(predicted.efficiency / kernel.best().operations_per_joule() - 1.0);
    const double loss = lost_at(told.clocks, kernel);
    score.mean += error / static_cast<double>(kernels.size());
    score.worst = std::max(score.worst, error);
    score.core += told.core_off == 0 ? 1 : 0;
    score.memory += told.memory_off == 0 ? 1 : 0;
    score.far += told.is_far() ? 1 : 0;
    score.loss += loss / static_cast<double>(kernels.size());
    score.most_loss = std::max(score.most_loss, loss);
  }
  return score;
}

void print_score(const std::string& tested, const std::string& teller, const Score& score) {
  fmt::print("| {} | {} | {:.2f} % | {:.1f} % | {} | {} | {} | {:.2f} % | {:.1f} % |\n", tested, teller,
             100 * score.mean, 100 * score.worst, score.core, score.memory, score.far, 100 * score.loss,
             100 * score.most_loss);
}

// Returns the distance between the features of two kernels. Each feature counts as a share of its range over the
// training kernels.
double distance_between(const model::KernelFeatures& one, const model::KernelFeatures& other,
                        const std::vector<KernelAtBestClocks>& training) {
  double sum = 0.0;
  for (std::size_t i = 0; i < model::kFeatures; ++i) {
    const auto value = [i](const KernelAtBestClocks& kernel) { return kernel.features.values[i]; };
    const auto [least, most] = std::ranges::minmax_element(training, {}, value);
    const double range = value(*most) - value(*least);
    if (range > 0.0) sum += std::pow((one.values[i] - other.values[i]) / range, 2);
  }
  return std::sqrt(sum);
}

std::string text_of(const ClockPair& clocks) {
  return fmt::format("{:g}/{:g}", clocks.core.value(), clocks.memory.value());
}

// Prints the kernels for which a predicted clock is more than one level off. Beside each stands the training kernel
// that resembles it most.
void print_far(const std::string& tested, const Teller& tell, const std::vector<Tested>& kernels,
               const std::vector<KernelAtBestClocks>& training) {
  for (const Tested& kernel : kernels) {
    const model::BestClocks predicted = tell(kernel.features);
    const Told told(predicted, kernel.best().clocks);
    if (!told.is_far()) continue;
    const auto distance = [&](const KernelAtBestClocks& known) {
      return distance_between(known.features, kernel.features, training);
    };
    const KernelAtBestClocks& nearest = *std::ranges::min_element(training, {}, distance);
    fmt::print("| {} | {} | {} | {} | {:.2f} % | {:.1f} % | {:.2f} | {} |\n", tested, kernel.name,
               text_of(kernel.best().clocks), text_of(told.clocks), 100 * lost_at(told.clocks, kernel),
               100 * (predicted.efficiency / kernel.best().operations_per_joule() - 1.0), distance(nearest),
               text_of({nearest.best.core, nearest.best.memory}));
  }
}

// Returns a prediction that is the same for all kernels: the commonest best clocks of the training kernels and the mean
// of their operations per joule.
model::BestClocks commonest(const std::vector<KernelAtBestClocks>& kernels) {
  std::map<Megahertz, int> core, memory;
  model::BestClocks told;
  for (const KernelAtBestClocks& kernel : kernels) {
    ++core[kernel.best.core];
    ++memory[kernel.best.memory];
    told.efficiency += kernel.best.efficiency / static_cast<double>(kernels.size());
  }
  const auto by_count = [](const auto& entry) { return entry.second; };
  told.core = std::ranges::max_element(core, {}, by_count)->first;
  told.memory = std::ranges::max_element(memory, {}, by_count)->first;
  return told;
}

void print_networks(double instructions, std::size_t count, std::uint64_t seeds) {
  std::vector<KernelAtBestClocks> training;
  for (const SimulatedKernel& kernel : gt640_micro_kernels(190, kTrainingSeed)) training.push_back(fast(kernel));
  for (const SimulatedKernel& kernel : gt640_varied_kernels(25, kTrainingSeed)) training.push_back(fast(kernel));
  std::vector<Tested> in_fast, in_detail;
  for (const SimulatedKernel& kernel : gt640_varied_kernels(count, kTestSeed)) {
    Tested& tested = in_fast.emplace_back();
    tested.name = kernel.name;
    tested.features = fast(kernel).features;
    const Residents all = all_of(kernel);
    for (const ClockPair& clocks : clock_pairs(gt640())) tested.at.push_back(efficiency_at(gt640(), clocks, {&all, 1}));
    in_detail.push_back(detailed(kernel, instructions));
  }
  fmt::print(
      "simulated: networks trained on {} kernels, tested on {}\n\n"
      "| tested in | networks | error of operations per joule, mean | worst | core's level right | memory's | more "
      "than "
      "one "
      "level off | lost by the clocks, mean | worst |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
      training.size(), count);
  const auto print_both = [&](const std::string& teller, const Teller& tell) {
    print_score("fast", teller, score_of(tell, in_fast));
    print_score("detailed", teller, score_of(tell, in_detail));
  };
  const model::BestClocks always = commonest(training);
  print_both("none", [&](const model::KernelFeatures&) { return always; });
  schedule::BoardNetworks all;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    all.members.push_back(model::ClockNetworks::train(training, seed).value());
    print_both(fmt::format("seed {}", seed),
               [&](const model::KernelFeatures& of) { return all.members.back().at(of); });
  }
  const Teller mean = [&](const model::KernelFeatures& of) { return all.at(of); };
  print_both(fmt::format("mean of {}", seeds), mean);
  fmt::print(
      "\nmean of {}: kernels of which a level is off by more than one\n\n"
      "| tested in | kernel | best | predicted | lost by the clocks | operations per joule off | nearest trained "
      "kernel, "
      "distance | its best |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n",
      seeds);
  print_far("fast", mean, in_fast, training);
  print_far("detailed", mean, in_detail, training);
}

}  // namespace
}  // namespace wattune::simulate

int main(int argc, char** argv) {
  const double instructions = argc > 1 ? std::strtod(argv[1], nullptr) : 3e5;
  const std::size_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 28;
  const std::uint64_t seeds = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 5;
  if (!(instructions > 0.0) || count == 0 || seeds == 0) {
    fmt::print(stderr, "usage: clock_networks [INSTRUCTIONS [TESTED [SEEDS]]]\n");
    return 2;
  }
  wattune::simulate::print_networks(instructions, count, seeds);
}
