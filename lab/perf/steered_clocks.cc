// Prints the tables of docs/results/energy-methods.md on the clocks of one kernel. The strategies `model-steered` and
// `advised` are replayed on recorded and on randomly drawn kernels, beside rules that need no model.
//
//   steered_clocks [BOARDS]
//
// BOARDS is how many boards are drawn of each law (30).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lab/perf/bounded_fit.h"
#include "lab/perf/clock_recordings.h"
#include "lab/perf/drawn_boards.h"
#include "model/advice_replay.h"
#include "tune/interface/methods.h"
#include "wattune/search/method.h"
#include "wattune/space/search_space.h"
#include "wattune/tune/advise.h"

namespace wattune::inline v0_1::model {
namespace {

using Runs = std::vector<ClockRun>;  // ascending by clock

constexpr double kSmooth = 0.01;  // largest residual of a smooth recording
constexpr double kDrawnNoise = 0.01;
constexpr std::size_t kDrawnKernels = 8;  // of a board, each of which is new to the others

double energy(const ClockRun& run) { return (run.power * run.time).value(); }

double least_energy_of(const Runs& runs) {
  double least = energy(runs.front());
  for (const ClockRun& run : runs) least = std::min(least, energy(run));
  return least;
}

// Returns the value at x = 0 of the parabola that fits five points by least squares. The result is not a number if no
// parabola is determined.
double smoothed(const std::vector<std::pair<double, double>>& points) {
  double s[5] = {}, t[3] = {};
  for (const auto& [x, y] : points)
    for (int k = 0; k < 5; ++k) {
      s[k] += std::pow(x, k);
      if (k < 3) t[k] += y * std::pow(x, k);
    }
  const auto determinant = [](double a, double b, double c, double d, double e, double f, double g, double h,
                              double i) { return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g); };
  return determinant(t[0], s[1], s[2], t[1], s[2], s[3], t[2], s[3], s[4]) /
         determinant(s[0], s[1], s[2], s[1], s[2], s[3], s[2], s[3], s[4]);
}

// Returns how rough the energy curve is: the root of the mean squared distance of each point from the parabola through
// its five nearest neighbours.
double roughness(const Runs& runs) {
  double squares = 0.0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::vector<std::pair<double, double>> others;
    for (std::size_t j = 0; j < runs.size(); ++j)
      if (j != i) others.emplace_back((runs[j].clock - runs[i].clock).value() / 1e3, energy(runs[j]) / energy(runs[i]));
    std::ranges::stable_sort(others, {}, [&](const auto& point) { return std::abs(point.first); });
    others.resize(5);
    squares += std::pow(smoothed(others) - 1.0, 2);
  }
  return std::sqrt(squares / static_cast<double>(runs.size()));
}

struct Chosen {
  double energy = 0.0;
  std::size_t measured = 0;
};

Chosen chosen_by(const std::string& name, const Runs& runs, const search::MethodOptions& options) {
  std::vector<Value> clocks;
  for (const ClockRun& run : runs) clocks.emplace_back(run.clock.value());
  const Parameter parameter{.name = "nvml_gr_clock",
                            .values = clocks,
                            .default_value = {},
                            .position = {},
                            .role = ParameterRole::graphics_clock};
  const auto space = space::SearchSpace::build({parameter}, {}).value();
  const auto method = search::make_method(name, space, options).value();
  const auto run_of = [&](ConfigurationId id) -> const ClockRun& {
    const double clock = space.configuration(id).find("nvml_gr_clock")->as_real();
    return *std::ranges::find(runs, Megahertz(clock), &ClockRun::clock);
  };
  Chosen chosen;
  for (auto ids = method->ask(1); !ids.empty(); ids = method->ask(1), ++chosen.measured) {
    const ClockRun& run = run_of(ids.front());
    Observation observation;
    observation.statistics = Statistics{.median = run.time};
    observation.metrics = {{"energy", energy(run), "J"}};
    observation.objective_value = energy(run);
    method->tell(ids.front(), observation);
  }
  chosen.energy = energy(run_of(*method->chosen()));
  return chosen;
}

// Returns `n` evenly spaced runs. Precondition: n is at least 2.
Runs evenly_spaced(const Runs& runs, std::size_t n) {
  Runs chosen;
  for (std::size_t i = 0; i < n; ++i) chosen.push_back(runs[(2 * i * (runs.size() - 1) + n - 1) / (2 * (n - 1))]);
  return chosen;
}

double energy_near(const Runs& runs, double clock) {
  return energy(
      *std::ranges::min_element(runs, {}, [&](const ClockRun& run) { return std::abs(run.clock.value() - clock); }));
}

// Returns the energy at the ridge that Kernel Tuner's fit finds. The power is fitted at `n` evenly spaced clocks.
double by_bounded_fit(const Runs& runs, std::size_t n) {
  std::vector<PowerSample> samples;
  for (const ClockRun& run : evenly_spaced(runs, n)) samples.push_back({.clock = run.clock, .power = run.power});
  return energy_near(runs, bounded_ridge(samples).value());
}

struct Regrets {
  double sum = 0.0, worst = 0.0;
  std::size_t n = 0;

  void add(double regret) { sum += regret, worst = std::max(worst, regret), ++n; }
  std::string text() const {
    return fmt::format("{:.2f}, {:.1f} %", 100.0 * sum / static_cast<double>(n), 100.0 * worst);
  }
};

double least_of_even(const Runs& runs, std::size_t n) { return least_energy_of(evenly_spaced(runs, n)); }

constexpr const char* kSmoothness[] = {"rough", "smooth"};

void print_cells(const std::string& name, bool smooth, const std::vector<Regrets>& rules, const std::string& measured) {
  fmt::print("| {} | {} | {} | {}", name, kSmoothness[smooth], rules.front().n, measured);
  for (const Regrets& rule : rules) fmt::print(" | {}", rule.text());
  fmt::print(" |\n");
}

void print_steered(const ClockRecording& recording) {
  std::map<bool, std::pair<std::vector<Regrets>, std::size_t>> by_smoothness;
  for (const RecordedKernel& kernel : recording.kernels) {
    const Runs& runs = kernel.over_clocks.runs;
    auto& [rules, most] = by_smoothness[roughness(runs) < kSmooth];
    const Chosen chosen = chosen_by("model-steered", runs, {.window = tune::steered_window});
    const double energies[] = {chosen.energy, least_of_even(runs, chosen.measured),
                               energy_near(runs, 0.7 * runs.back().clock.value()), energy(runs.back()),
                               by_bounded_fit(runs, chosen.measured)};
    rules.resize(std::size(energies));
    for (std::size_t rule = 0; rule < rules.size(); ++rule)
      rules[rule].add(energies[rule] / least_energy_of(runs) - 1.0);
    most = std::max(most, chosen.measured);
  }
  for (const auto& [smooth, found] : by_smoothness)
    print_cells(recording.name, smooth, found.first, fmt::format("{}", found.second));
}

// An advisor and a strategy that learned from all groups of kernels except one.
struct Learned {
  ClockAdvisor advisor;
  search::AdvisedClock advice;
};

Learned learned_without(const std::string& group, const ClockRecording& recording) {
  std::vector<tune::MeasuredKernel> measured;
  for (const KernelOverClocks& other : others_than(group, recording.kernels, benchmark_of)) {
    measured.push_back({.name = other.group, .points = {}});
    for (const ClockRun& run : other.runs)
      measured.back().points.push_back({run.clock, run.time, run.power * run.time});
  }
  std::vector<Megahertz> table;
  for (const ClockRun& run : recording.kernels.front().over_clocks.runs) table.push_back(run.clock);
  return {ClockAdvisor::learn(others_than(group, recording.kernels, benchmark_of)).value(),
          tune::advised_clock(table, measured).value()};
}

std::set<std::string> groups_of(const ClockRecording& recording) {
  std::set<std::string> groups;
  for (const RecordedKernel& kernel : recording.kernels) groups.insert(kernel.over_clocks.group);
  return groups;
}

void print_advised(const ClockRecording& recording) {
  constexpr std::size_t kFewestGroups = 4;  // the kernel's own and three others
  const std::set<std::string> groups = groups_of(recording);
  if (groups.size() < kFewestGroups) {
    fmt::print("| {} | {} of the same application, which is never learned from |\n", recording.name,
               recording.kernels.size());
    return;
  }
  std::map<std::string, Learned> learned;
  for (const std::string& group : groups) learned.emplace(group, learned_without(group, recording));
  std::map<bool, std::pair<std::vector<Regrets>, std::size_t>> by_smoothness;
  for (const RecordedKernel& kernel : recording.kernels) {
    const Runs& runs = kernel.over_clocks.runs;
    auto& [rules, measured] = by_smoothness[roughness(runs) < kSmooth];
    const Learned& its = learned.at(kernel.over_clocks.group);
    const Chosen chosen = chosen_by("advised", runs, {.advised_clock = its.advice});
    const double least = least_energy_of(runs);
    const double regrets[] = {replayed_advice(its.advisor, kernel, 1, {}).regret,
                              replayed_advice(its.advisor, kernel, 2, {}).regret,
                              replayed_advice(its.advisor, kernel, 4, {}).regret,
                              chosen.energy / least - 1.0,
                              least_of_even(runs, 2) / least - 1.0,
                              least_of_even(runs, 4) / least - 1.0,
                              energy_near(runs, 0.7 * runs.back().clock.value()) / least - 1.0,
                              energy(runs.back()) / least - 1.0};
    rules.resize(std::size(regrets));
    for (std::size_t rule = 0; rule < rules.size(); ++rule) rules[rule].add(regrets[rule]);
    measured += chosen.measured;
  }
  for (const auto& [smooth, found] : by_smoothness)
    print_cells(recording.name, smooth, found.first,
                fmt::format("{:.1f}", static_cast<double>(found.second) / static_cast<double>(found.first.front().n)));
}

// The number of advised clocks that were not measured, and the number of these at which the true energy lay within the
// predicted range of 95 %.
struct Ranges {
  std::size_t unmeasured = 0, right = 0;

  void add(const ReplayedChoice& choice) {
    unmeasured += choice.measured ? 0 : 1;
    right += !choice.measured && choice.in_range ? 1 : 0;
  }
  std::string text() const { return fmt::format("{} of {}", right, unmeasured); }
};

// Prints how much energy each rule loses on boards that are drawn at random.
void print_drawn(BoardLaw law, const char* name, std::uint64_t boards) {
  std::vector<Regrets> rules;
  Ranges from_one, from_two;
  for (std::uint64_t seed = 1; seed <= boards; ++seed) {
    ClockRecording board{.name = name, .kernels = {}};
    DrawnBoard drawn(law, seed);
    for (std::size_t i = 0; i < kDrawnKernels; ++i)
      board.kernels.push_back(drawn.kernel(fmt::format("k{}", i), kDrawnNoise));
    for (const RecordedKernel& kernel : board.kernels) {
      const Runs& runs = kernel.over_clocks.runs;
      const double least = least_energy_of(runs);
      const Learned its = learned_without(kernel.over_clocks.group, board);
      const Chosen steered = chosen_by("model-steered", runs, {.window = tune::steered_window});
      const ReplayedChoice one = replayed_advice(its.advisor, kernel, 1, {});
      const ReplayedChoice two = replayed_advice(its.advisor, kernel, 2, {});
      from_one.add(one);
      from_two.add(two);
      const double regrets[] = {steered.energy / least - 1.0,
                                least_of_even(runs, steered.measured) / least - 1.0,
                                energy_near(runs, 0.7 * runs.back().clock.value()) / least - 1.0,
                                energy(runs.back()) / least - 1.0,
                                one.regret,
                                two.regret,
                                replayed_advice(its.advisor, kernel, 4, {}).regret,
                                chosen_by("advised", runs, {.advised_clock = its.advice}).energy / least - 1.0};
      rules.resize(std::size(regrets));
      for (std::size_t rule = 0; rule < rules.size(); ++rule) rules[rule].add(regrets[rule]);
    }
  }
  fmt::print("| {} | {}", name, rules.front().n);
  for (const Regrets& rule : rules) fmt::print(" | {}", rule.text());
  fmt::print(" | {} | {} |\n", from_one.text(), from_two.text());
}

void print_drawn_boards(std::uint64_t boards) {
  fmt::print(
      "\ndrawn boards\n\n| law | kernels | `model-steered` | best of as many evenly spaced | 70 % of the highest | the "
      "highest | advice from 1 clock | from 2 | from 4 | `advised` | in the range, from 1 | from 2 |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const auto& [law, name] : kBoardLaws) print_drawn(law, name, boards);
}

Result<void> print_tables() {
  WATTUNE_ASSIGN(const std::vector<ClockRecording> all, clock_recordings());
  fmt::print(
      "replayed: the energy at the chosen clock over the least recorded, less one: mean, worst\n\n"
      "| recording | curves | kernels | most clocks measured | `model-steered` | best of as many evenly spaced | 70 % "
      "of the highest | the highest | Kernel Tuner's fit |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const ClockRecording& each : all) print_steered(each);
  fmt::print(
      "\n| recording | curves | kernels | clocks that `advised` measured, mean | advice from 1 clock | from 2 | from 4 "
      "| "
      "`advised` | best of 2 evenly spaced | best of 4 | 70 % of the highest | the highest |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const ClockRecording& each : all) print_advised(each);
  return {};
}

}  // namespace
}  // namespace wattune::model

int main(int count, char** arguments) {
  const auto done = wattune::model::print_tables();
  if (!done) fmt::print(stderr, "the recorded data are not here: {}\n", done.error().to_string());
  wattune::model::print_drawn_boards(count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 30);
  return 0;
}
