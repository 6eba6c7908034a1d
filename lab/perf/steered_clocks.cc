// The tables of docs/results/energy-methods.md on clocks of one kernel: `model-steered` and `advised` replayed on
// recorded kernels, beside rules that need no model.
//
//   steered_clocks
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lab/perf/bounded_fit.h"
#include "model/advice_replay.h"
#include "model/recorded_dvfs.h"
#include "tune/interface/methods.h"
#include "wattune/search/method.h"
#include "wattune/space/search_space.h"
#include "wattune/tune/advise.h"

namespace wattune::inline v0_1::model {
namespace {

using Runs = std::vector<ClockRun>;  // ascending by clock

constexpr std::size_t kLeastClocks = 8;  // shortest recording that counts
constexpr double kSmooth = 0.01;         // largest residual of a smooth recording

double energy(const ClockRun& run) { return (run.power * run.time).value(); }

double least_energy_of(const Runs& runs) {
  double least = energy(runs.front());
  for (const ClockRun& run : runs) least = std::min(least, energy(run));
  return least;
}

// Returns the value at x = 0 of the parabola through five points by least squares, or not a number.
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

// Returns the root of the mean squared residual of the energy curve: each point beside the parabola of the five
// nearest others.
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

// Returns so many of the runs. Precondition: two at least.
Runs evenly_spaced(const Runs& runs, std::size_t n) {
  Runs chosen;
  for (std::size_t i = 0; i < n; ++i) chosen.push_back(runs[(2 * i * (runs.size() - 1) + n - 1) / (2 * (n - 1))]);
  return chosen;
}

double energy_near(const Runs& runs, double clock) {
  return energy(
      *std::ranges::min_element(runs, {}, [&](const ClockRun& run) { return std::abs(run.clock.value() - clock); }));
}

// Returns the energy at the clock of Kernel Tuner's ridge, by its fit of the power at so many evenly spaced clocks.
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

// The kernels of one board, which were all measured at the same clocks.
struct Recording {
  std::string name;
  std::vector<RecordedKernel> kernels;
};

constexpr const char* kSmoothness[] = {"rough", "smooth"};

void print_cells(const std::string& name, bool smooth, const std::vector<Regrets>& rules, const std::string& measured) {
  fmt::print("| {} | {} | {} | {}", name, kSmoothness[smooth], rules.front().n, measured);
  for (const Regrets& rule : rules) fmt::print(" | {}", rule.text());
  fmt::print(" |\n");
}

void print_steered(const Recording& recording) {
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

// Advisors that learned from all groups but one.
struct Learned {
  ClockAdvisor advisor;
  search::AdvisedClock advice;
};

Learned learned_without(const std::string& group, const Recording& recording) {
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

std::set<std::string> groups_of(const Recording& recording) {
  std::set<std::string> groups;
  for (const RecordedKernel& kernel : recording.kernels) groups.insert(kernel.over_clocks.group);
  return groups;
}

void print_advised(const Recording& recording) {
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

// Returns the kernels that were recorded at enough clocks, without their features.
Recording recording_of(std::string name, std::vector<RecordedKernel> kernels) {
  std::erase_if(kernels, [](const RecordedKernel& each) { return each.over_clocks.runs.size() < kLeastClocks; });
  for (RecordedKernel& kernel : kernels) kernel.over_clocks.features.clear();
  return {std::move(name), std::move(kernels)};
}

// Loads the sweeps of a board under caps of its power: app, gpu, memory clock, core clock, cap, time (s), energy (Wh).
// Sweeps of one application are one group.
Result<std::vector<RecordedKernel>> under_caps(const std::string& gpu) {
  const auto path = std::filesystem::path(WATTUNE_SOURCE_DIR) / "../shared/data/dvfs/a100_rtxpro6000_freq_powercap.csv";
  WATTUNE_ASSIGN(const std::string text, store::read_maybe_compressed(path));
  std::map<std::string, RecordedKernel> sweeps;
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    const auto cells = cells_of(line);
    if (cells[1] != gpu) continue;
    const double seconds = std::stod(cells[5]);
    RecordedKernel& sweep = sweeps[cells[0] + cells[2] + "," + cells[4]];
    sweep.over_clocks.group = cells[0];
    sweep.over_clocks.runs.push_back({Megahertz(std::stod(cells[3])), nanoseconds_from_seconds(seconds),
                                      Watts(std::stod(cells[6]) * 3600.0 / seconds)});
  }
  std::vector<RecordedKernel> all;
  for (auto& [name, sweep] : sweeps) {
    std::ranges::sort(sweep.over_clocks.runs, {}, &ClockRun::clock);
    all.push_back(sweep);
  }
  return all;
}

Result<std::vector<Recording>> recordings() {
  std::vector<Recording> all;
  WATTUNE_ASSIGN(auto p100, recorded_plain({"p100_ddvfs_apps.csv"}, {2, 1, 3, 4}, "715"));
  all.push_back(recording_of("P100, 1 Hz samples", std::move(p100)));
  for (const char* board : {"v100", "rtx8000"}) {
    WATTUNE_ASSIGN(auto kernels, recorded_board(board));
    all.push_back(recording_of(board, std::move(kernels)));
  }
  for (const char* memory : {"810", "3505"}) {
    WATTUNE_ASSIGN(auto kernels,
                   recorded_plain({"titanx_ptxmodel_micro.csv.xz", "titanx_ptxmodel_real.csv"}, {2, 1, 3, 4}, memory));
    all.push_back(recording_of(fmt::format("Titan X, memory at {} MHz", memory), std::move(kernels)));
  }
  WATTUNE_ASSIGN(auto capped, under_caps("rtxpro6000"));
  all.push_back(recording_of("RTX PRO 6000 under caps", std::move(capped)));
  return all;
}

Result<void> print_tables() {
  WATTUNE_ASSIGN(const std::vector<Recording> all, recordings());
  fmt::print(
      "replayed: the energy at the chosen clock over the least recorded, less one: mean, worst\n\n"
      "| recording | curves | kernels | most clocks measured | `model-steered` | best of as many evenly spaced | 70 % "
      "of the highest | the highest | Kernel Tuner's fit |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const Recording& each : all) print_steered(each);
  fmt::print(
      "\n| recording | curves | kernels | clocks that `advised` measured, mean | advice from 1 clock | from 2 | from 4 "
      "| "
      "`advised` | best of 2 evenly spaced | best of 4 | 70 % of the highest | the highest |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const Recording& each : all) print_advised(each);
  return {};
}

}  // namespace
}  // namespace wattune::model

int main() {
  const auto done = wattune::model::print_tables();
  if (!done) fmt::print(stderr, "the recorded data are not here: {}\n", done.error().to_string());
  return 0;
}
