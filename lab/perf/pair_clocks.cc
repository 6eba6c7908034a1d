// Prints the table of docs/results/frugal.md on pairs of kernels at any clock of a simulated GT 640. The predictions
// come from runs of each kernel alone and from Kernelet's chain. They are compared with the detailed simulation of the
// pair.
//
//   pair_clocks [INSTRUCTIONS [KERNELS]]
//
// INSTRUCTIONS is the length of a detailed run (300,000); the pairs are those of the first KERNELS kernels (11).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <vector>

#include "model/interface/pair_power.h"
#include "simulate/interface/corun_kernels.h"
#include "simulate/interface/gt640_kernels.h"
#include "simulate/interface/steady_flow.h"

namespace wattune::inline v0_1::simulate {
namespace {

using model::BlockRatio;
using model::PairPrediction;

constexpr std::array kRatios = {BlockRatio{1, 7}, BlockRatio{2, 6}, BlockRatio{3, 5}, BlockRatio{4, 4},
                                BlockRatio{5, 3}, BlockRatio{6, 2}, BlockRatio{7, 1}};
constexpr double kAloneAtTop = 1e6;  // ns that each kernel's work takes alone at the highest clock

// Returns the pairs of each clock of the core with the highest clock of the memory.
std::vector<ClockPair> core_clocks() {
  std::vector<ClockPair> clocks = clock_pairs(gt640());
  std::erase_if(clocks, [](const ClockPair& each) { return each.memory != highest_clocks(gt640()).memory; });
  return clocks;
}

Efficiency detailed(const ClockPair& clocks, std::span<const Residents> residents, double instructions) {
  const GpuModel gpu = at_clocks(gt640(), clocks);
  return efficiency_of(gt640(), clocks,
                       simulated_flow(gpu, residents, {.fidelity = Fidelity::detailed}, instructions).value());
}

model::BoardOverClocks board() {
  model::BoardOverClocks board;
  for (const ClockPair& clocks : core_clocks()) {
    const Operation operation{.graphics = clocks.core, .memory = clocks.memory};
    board.idle.push_back({clocks.core, power_at(*find_board_model("GT640"), operation, {}, Celsius(50))});
  }
  return board;
}

struct Solo {
  const Gt640Kernel* kernel = nullptr;
  model::SoloKernel profile = {.runs = {}, .utilisation = {}};
  std::vector<double> operations = {};  // 1e9 per second at each clock
};

Solo alone(const Gt640Kernel& kernel, double instructions) {
  Solo solo{.kernel = &kernel};
  const Residents all{&kernel.kernel, kernel.resident};
  for (const ClockPair& clocks : core_clocks()) {
    const Efficiency there = detailed(clocks, {&all, 1}, instructions);
    solo.operations.push_back(there.flow.operations);
    solo.profile.runs.push_back({clocks.core, Nanoseconds(0), there.power});
    solo.profile.utilisation = {there.flow.activity.core, there.flow.activity.memory};
  }
  for (std::size_t i = 0; i < solo.operations.size(); ++i)
    solo.profile.runs[i].time = Nanoseconds(kAloneAtTop * solo.operations.back() / solo.operations[i]);
  return solo;
}

using Pair = std::array<const Solo*, 2>;

// The simulated result of a pair at a ratio and a clock.
struct Truth {
  std::array<double, 2> rates = {};
  Watts power;
  Joules energy;
};

Truth truth_of(const Pair& pair, BlockRatio ratio, std::size_t place, double instructions) {
  const std::array residents = {Residents{&pair[0]->kernel->kernel, ratio.first},
                                Residents{&pair[1]->kernel->kernel, ratio.second}};
  const Efficiency seen = detailed(core_clocks()[place], residents, instructions);
  std::array<double, 2> rates = {}, times = {};
  for (std::size_t k = 0; k < 2; ++k) {
    rates[k] = seen.flow.rates[k] / pair[k]->operations[place];
    times[k] = pair[k]->profile.runs[place].time.value() / rates[k];
  }
  const std::size_t last = times[0] > times[1] ? 0 : 1;
  const double both = times[1 - last];
  const Nanoseconds rest((times[last] - both) * rates[last]);
  return {rates, seen.power, seen.power * Nanoseconds(both) + pair[last]->profile.runs[place].power * rest};
}

Result<std::vector<model::PairSpeeds>> chain_speeds(const Pair& pair) {
  WATTUNE_ASSIGN(const auto first, pair_kernel(pair[0]->kernel->kernel, gt640()));
  WATTUNE_ASSIGN(const auto second, pair_kernel(pair[1]->kernel->kernel, gt640()));
  std::vector<model::PairSpeeds> speeds;
  for (const BlockRatio& ratio : kRatios) {
    WATTUNE_ASSIGN(const auto plan, model::predict_pair(chain_sm(gt640()), first, second, ratio));
    speeds.push_back({ratio, {plan.ipc[0] / plan.ipc_alone[0], plan.ipc[1] / plan.ipc_alone[1]}});
  }
  return speeds;
}

struct Errors {
  double sum = 0.0, squares = 0.0, worst = 0.0;
  std::size_t count = 0, in_range = 0;

  template <typename Value>
  void add(const model::Likely<Value>& told, const Value& truth) {
    const double error = std::log(ratio(told.expected, truth));
    sum += std::abs(error);
    squares += error * error;
    worst = std::max(worst, std::abs(error));
    in_range += told.low <= truth && truth <= told.high ? 1 : 0;
    ++count;
  }
  std::string text() const {
    const auto n = static_cast<double>(count);
    return fmt::format("{:.1f} % | {:.1f} % | {:.1f} % | {:.0f} %", 100 * sum / n, 100 * std::sqrt(squares / n),
                       100 * worst, 100 * static_cast<double>(in_range) / n);
  }

 private:
  template <typename Value>
  static double ratio(const Value& one, const Value& other) {
    return one / other;
  }
};

struct Comparison {
  Errors speedup, power, energy;
  double regret = 0.0, most_regret = 0.0;  // of energy at the ratio and clock predicted best
  double of_both = 0.0, of_one = 0.0;      // squared errors of speeds: the part common to both, and the rest
  std::size_t pairs = 0;

  void add(const PairPrediction& told, const Truth& truth) {
    speedup.add(told.speedup, truth.rates[0] + truth.rates[1]);
    power.add(told.power, truth.power);
    energy.add(told.energy, truth.energy);
    const double first = std::log(told.rates[0] / truth.rates[0]), second = std::log(told.rates[1] / truth.rates[1]);
    of_both += std::pow((first + second) / 2.0, 2);
    of_one += std::pow((first - second) / 2.0, 2);
  }
  // Adds the errors of the predictions for a pair, at all points that were not measured.
  void add(const std::vector<PairPrediction>& told, const std::vector<Truth>& truths,
           const std::vector<std::size_t>& measured) {
    for (std::size_t i = 0; i < told.size(); ++i)
      if (std::ranges::find(measured, i) == measured.end()) add(told[i], truths[i]);
    const auto best =
        std::ranges::min_element(told, {}, [](const PairPrediction& each) { return each.energy.expected; });
    const double lost = truths[static_cast<std::size_t>(best - told.begin())].energy /
                            std::ranges::min(truths, {}, &Truth::energy).energy -
                        1.0;
    regret += lost;
    most_regret = std::max(most_regret, lost);
    ++pairs;
  }
  void print(const char* rule) const {
    const std::pair<const char*, const Errors*> rows[] = {
        {"sum of both speeds", &speedup}, {"power", &power}, {"energy", &energy}};
    for (const auto& [what, errors] : rows) fmt::print("| {} | {} | {} |\n", rule, what, errors->text());
    const auto n = static_cast<double>(speedup.count);
    fmt::print("| {} | speed of both alike; of one at the other's cost | | {:.1f} %; {:.1f} % | | |\n", rule,
               100 * std::sqrt(of_both / n), 100 * std::sqrt(of_one / n));
    fmt::print("| {} | energy at the best told, over the best | {:.2f} % | | {:.1f} % | |\n", rule,
               100 * regret / static_cast<double>(pairs), 100 * most_regret);
  }
};

struct Comparisons {
  Comparison chain, corrected;
};

Result<void> compare(const Pair& pair, double instructions, Comparisons& all) {
  WATTUNE_ASSIGN(const auto speeds, chain_speeds(pair));
  WATTUNE_ASSIGN(const auto told, model::predict_pair_at_clocks(board(), pair[0]->profile, pair[1]->profile, speeds));
  std::vector<Truth> truths;
  for (const BlockRatio& ratio : kRatios)
    for (std::size_t place = 0; place < core_clocks().size(); ++place)
      truths.push_back(truth_of(pair, ratio, place, instructions));
  all.chain.add(told, truths, {});
  // The measurements of the pair, for its prediction: each ratio of blocks at the highest clock.
  model::PairMeasurements measured;
  std::vector<std::size_t> seen;
  std::vector<model::PairSpeeds> corrected = speeds;
  for (std::size_t i = 0; i < speeds.size(); ++i) {
    seen.push_back((i + 1) * core_clocks().size() - 1);
    measured.observe("first", "second", told[seen.back()], truths[seen.back()].rates, truths[seen.back()].power);
    corrected[i].factors = measured.factors("first", "second", speeds[i].ratio);
  }
  WATTUNE_ASSIGN(const auto again,
                 model::predict_pair_at_clocks(board(), pair[0]->profile, pair[1]->profile, corrected));
  all.corrected.add(again, truths, seen);
  return {};
}

Result<void> print_pairs(double instructions, std::size_t count) {
  const auto& kernels = gt640_kernels();
  std::vector<Solo> solo;
  for (std::size_t i = 0; i < count; ++i) solo.push_back(alone(kernels[i], instructions));
  Comparisons all;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = i + 1; j < count; ++j) WATTUNE_TRY(compare({&solo[i], &solo[j]}, instructions, all));
  fmt::print(
      "simulated: {} pairs at {} ratios and {} clocks\n\n"
      "| predicted by | what | error, mean | root of mean square | worst | within its range |\n"
      "| --- | --- | --- | --- | --- | --- |\n",
      all.chain.pairs, kRatios.size(), core_clocks().size());
  all.chain.print("the chain at the highest clock");
  all.corrected.print("the same, each ratio measured there");
  return {};
}

}  // namespace
}  // namespace wattune::simulate

int main(int argc, char** argv) {
  const double instructions = argc > 1 ? std::strtod(argv[1], nullptr) : 3e5;
  const std::size_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 11;
  if (!(instructions > 0.0) || count < 2 || count > 11) {
    fmt::print(stderr, "usage: pair_clocks [INSTRUCTIONS [KERNELS]]\n");
    return 2;
  }
  const auto done = wattune::simulate::print_pairs(instructions, count);
  if (!done) fmt::print(stderr, "{}\n", done.error().to_string());
  return done ? 0 : 1;
}
