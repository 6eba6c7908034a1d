#include "lab/emulation/published_kernels.h"

#include <algorithm>
#include <cmath>

namespace wattune::emulation {

namespace {

using simulate::BoardModel;

constexpr Celsius kFitted{50.0};
constexpr double kFirstTime = 10e6;  // ns

struct Fit {
  simulate::Activity activity;
  Megahertz before;  // the clock that the board takes by itself
  double cycles_share = 0.0;
  double error = 0.0;
};

double square(double x) { return x * x; }

// Returns the memory's activity at which the kernel draws the row's power at the tuned clock. `core` is the activity of
// the core.
double memory_activity(const BoardModel& model, const PublishedRow& row, double core) {
  const Watts of_core = wanted_power(model, {.graphics = row.tuned}, {.core = core}, kFitted);
  const double most = model.memory_watts_per_mhz * model.memory_clocks.front().value();
  return std::max(0.0, (row.after() - of_core).value() / most);
}

Fit fit_for(const BoardModel& model, const PublishedRow& row, double core) {
  Fit fit{.activity = {core, memory_activity(model, row, core)}};
  fit.before = clock_under_load(model, {}, fit.activity, kFitted);
  const double slower = row.tops_before / row.tops_after - 1.0;
  const double slower_if_all_cycles = fit.before / row.tuned - 1.0;
  fit.cycles_share = std::clamp(slower / slower_if_all_cycles, 0.0, 1.0);
  const Watts before = power_at(model, {.graphics = fit.before}, fit.activity, kFitted);
  const Watts after = power_at(model, {.graphics = row.tuned}, fit.activity, kFitted);
  const double reached = 1.0 + fit.cycles_share * slower_if_all_cycles;
  fit.error =
      square(before / row.before() - 1.0) + square(after / row.after() - 1.0) + square(reached / (1.0 + slower) - 1.0);
  return fit;
}

}  // namespace

const std::vector<PublishedRow>& published_rows() {
  static const std::vector<PublishedRow> rows = {
      {"A100", "Gridder", 64.7, 102.6, 16.3, 12.0, Megahertz(1035)},
      {"A100", "Degridder", 59.8, 97.5, 14.5, 10.7, Megahertz(1035)},
      {"A100", "FD dedispersion", 62.2, 92.8, 9.7, 7.3, Megahertz(1035)},
      {"A100", "TD dedispersion", 13.3, 21.5, 3.4, 2.5, Megahertz(1035)},
      {"A100", "Tensor-core correlator", 684.8, 1264.2, 148.4, 135.2, Megahertz(1035)},
      {"A100", "LOFAR correlator", 58.9, 125.8, 12.2, 10.7, Megahertz(1035)},
      {"A4000", "Gridder", 77.6, 107.5, 11.0, 8.1, Megahertz(1200)},
      {"A4000", "Degridder", 90.8, 131.6, 10.2, 9.4, Megahertz(1470)},
      {"A4000", "FD dedispersion", 77.6, 111.9, 8.3, 6.7, Megahertz(1290)},
      {"A4000", "TD dedispersion", 12.9, 17.2, 1.5, 1.1, Megahertz(1200)},
      {"A4000", "Tensor-core correlator", 571.2, 606.8, 57.2, 55.2, Megahertz(1290)},
      {"A4000", "LOFAR correlator", 98.9, 119.3, 8.7, 8.4, Megahertz(1470)},
      {"TITAN-RTX", "Gridder", 55.2, 68.6, 14.3, 9.0, Megahertz(1260)},
      {"TITAN-RTX", "Degridder", 48.4, 65.6, 13.7, 8.2, Megahertz(1155)},
      {"TITAN-RTX", "FD dedispersion", 39.9, 59.9, 10.2, 5.5, Megahertz(1050)},
      {"TITAN-RTX", "TD dedispersion", 8.0, 12.1, 2.1, 1.3, Megahertz(1050)},
      {"TITAN-RTX", "Tensor-core correlator", 140.5, 209.5, 34.7, 23.4, Megahertz(1155)},
      {"TITAN-RTX", "LOFAR correlator", 51.5, 78.0, 12.8, 7.2, Megahertz(1155)},
      {"V100", "Gridder", 59.6, 73.6, 11.6, 9.5, Megahertz(1110)},
      {"V100", "Degridder", 61.7, 74.2, 11.0, 8.8, Megahertz(1110)},
      {"V100", "FD dedispersion", 58.6, 69.2, 7.4, 6.0, Megahertz(1110)},
      {"V100", "TD dedispersion", 11.6, 15.7, 2.2, 1.3, Megahertz(1110)},
      {"V100", "Tensor-core correlator", 260.8, 301.5, 34.2, 27.7, Megahertz(1110)},
      {"V100", "LOFAR correlator", 74.7, 86.8, 9.9, 7.6, Megahertz(1110)}};
  return rows;
}

simulate::Kernel emulated_kernel(const PublishedRow& row) {
  const BoardModel& model = *simulate::find_board_model(row.board);
  Fit best{.error = HUGE_VAL};
  for (int thousandths = 50; thousandths <= 2500; ++thousandths) {
    const Fit fit = fit_for(model, row, thousandths / 1000.0);
    if (fit.error < best.error) best = fit;
  }
  return {.fixed = Nanoseconds(kFirstTime * (1.0 - best.cycles_share)),
          .cycles = best.cycles_share * kFirstTime * best.before.value() / 1e3,
          .phases = {{1.0, best.activity}}};
}

std::vector<Megahertz> steered_clocks(const std::vector<Megahertz>& grid, Megahertz least_energy) {
  const auto first = std::ranges::lower_bound(grid, least_energy * 0.9);
  auto last = std::ranges::lower_bound(grid, least_energy * 1.1);
  if (last != grid.end()) ++last;
  return {first, last};
}

}  // namespace wattune::emulation
