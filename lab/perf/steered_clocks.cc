// The table of docs/results/energy-methods.md on clocks of one kernel: `model-steered` replayed on recorded kernels,
// beside rules that need no model.
//
//   steered_clocks
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lab/perf/bounded_fit.h"
#include "model/recorded_dvfs.h"
#include "tune/interface/methods.h"
#include "wattune/search/method.h"
#include "wattune/space/search_space.h"

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

Chosen steered(const Runs& runs) {
  std::vector<Value> clocks;
  for (const ClockRun& run : runs) clocks.emplace_back(run.clock.value());
  const Parameter parameter{.name = "nvml_gr_clock",
                            .values = clocks,
                            .default_value = {},
                            .position = {},
                            .role = ParameterRole::graphics_clock};
  const auto space = space::SearchSpace::build({parameter}, {}).value();
  const auto method = search::make_method("model-steered", space, {.window = tune::steered_window}).value();
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

void print_rows(const std::string& name, const std::vector<Runs>& recording) {
  constexpr std::size_t kRules = 5;
  std::map<bool, std::pair<std::array<Regrets, kRules>, std::size_t>> by_smoothness;
  for (const Runs& runs : recording) {
    if (runs.size() < kLeastClocks) continue;
    auto& [rules, most] = by_smoothness[roughness(runs) < kSmooth];
    const Chosen chosen = steered(runs);
    double even = energy(runs.back());
    for (const ClockRun& run : evenly_spaced(runs, chosen.measured)) even = std::min(even, energy(run));
    const double least = least_energy_of(runs);
    const double energies[kRules] = {chosen.energy, even, energy_near(runs, 0.7 * runs.back().clock.value()),
                                     energy(runs.back()), by_bounded_fit(runs, chosen.measured)};
    for (std::size_t rule = 0; rule < kRules; ++rule) rules[rule].add(energies[rule] / least - 1.0);
    most = std::max(most, chosen.measured);
  }
  for (const auto& [smooth, found] : by_smoothness) {
    const auto& [rules, most] = found;
    fmt::print("| {} | {} | {} | {}", name, smooth ? "smooth" : "rough", rules[0].n, most);
    for (const Regrets& rule : rules) fmt::print(" | {}", rule.text());
    fmt::print(" |\n");
  }
}

std::vector<Runs> runs_of(const std::vector<RecordedKernel>& kernels) {
  std::vector<Runs> all;
  for (const RecordedKernel& kernel : kernels) all.push_back(kernel.over_clocks.runs);
  return all;
}

// Loads the sweeps of a board under caps of its power: app, gpu, memory clock, core clock, cap, time (s), energy (Wh).
Result<std::vector<Runs>> under_caps(const std::string& gpu) {
  const auto path = std::filesystem::path(WATTUNE_SOURCE_DIR) / "../shared/data/dvfs/a100_rtxpro6000_freq_powercap.csv";
  WATTUNE_ASSIGN(const std::string text, store::read_maybe_compressed(path));
  std::map<std::string, Runs> sweeps;
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    const auto cells = cells_of(line);
    if (cells[1] != gpu) continue;
    const double seconds = std::stod(cells[5]);
    sweeps[cells[0] + cells[2] + "," + cells[4]].push_back({Megahertz(std::stod(cells[3])),
                                                            nanoseconds_from_seconds(seconds),
                                                            Watts(std::stod(cells[6]) * 3600.0 / seconds)});
  }
  std::vector<Runs> all;
  for (auto& [name, runs] : sweeps) {
    std::ranges::sort(runs, {}, &ClockRun::clock);
    all.push_back(runs);
  }
  return all;
}

Result<void> print_table() {
  fmt::print(
      "replayed: the energy at the chosen clock over the least recorded, less one: mean, worst\n\n"
      "| recording | curves | kernels | most clocks measured | `model-steered` | best of as many evenly spaced | 70 % "
      "of the highest | the highest | Kernel Tuner's fit |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  WATTUNE_ASSIGN(const auto p100, recorded_plain({"p100_ddvfs_apps.csv"}, {2, 1, 3, 4}, "715"));
  print_rows("P100, 1 Hz samples", runs_of(p100));
  for (const char* board : {"v100", "rtx8000"}) {
    WATTUNE_ASSIGN(const auto kernels, recorded_board(board));
    print_rows(board, runs_of(kernels));
  }
  for (const char* memory : {"810", "3505"}) {
    WATTUNE_ASSIGN(const auto kernels,
                   recorded_plain({"titanx_ptxmodel_micro.csv.xz", "titanx_ptxmodel_real.csv"}, {2, 1, 3, 4}, memory));
    print_rows(fmt::format("Titan X, memory at {} MHz", memory), runs_of(kernels));
  }
  WATTUNE_ASSIGN(const auto capped, under_caps("rtxpro6000"));
  print_rows("RTX PRO 6000 under caps", capped);
  return {};
}

}  // namespace
}  // namespace wattune::model

int main() {
  const auto done = wattune::model::print_table();
  if (!done) fmt::print(stderr, "the recorded data are not here: {}\n", done.error().to_string());
  return 0;
}
