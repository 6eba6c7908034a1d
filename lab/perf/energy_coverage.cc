// Measures how often the truth lies within the bounds of energy, power and dynamic energy, on simulated boards with
// forty classes of sensors. Prints tables in Markdown.
//
//   energy_coverage [SEEDS]             each kind of load, on the boards that were looked at and on those kept aside
//   energy_coverage SEEDS cells [LOAD]  each kind of load on each board, or this one alone (light, full, ...)
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "power/sensor_classes.h"

using namespace wattune;
using namespace wattune::power;

namespace {

constexpr double kLeastCoverage = 0.94;
constexpr double kMostOfError = 2.0;  // times the 95 % quantile of the errors

void print_figures(const Covered& covered) {
  for (const Covered::Figure& each : {covered.energy, covered.power, covered.dynamic})
    std::printf(" %.1f / %.3f / %.3f |", 100.0 * each.inside, 100.0 * each.bound, 100.0 * each.error);
  std::printf("\n");
}

void print_table(bool kept_aside, Nanoseconds window, std::uint64_t seeds) {
  std::printf("\n%s, %g s:\n\n| load | energy | power | dynamic energy |\n| --- | --- | --- | --- |\n",
              kept_aside ? "Boards that were kept aside" : "Boards that were looked at", to_seconds(window));
  for (const LoadKind& kind : load_kinds()) {
    std::printf("| %s |", kind.name);
    print_figures(covered_by(kind, window, kept_aside, seeds));
    std::fflush(stdout);
  }
}

// The figures of all cells: how many there are, how many cover too little, and how many have a wide bound.
struct Cells {
  int all = 0, low = 0, wide = 0;

  void add(const Covered& covered) {
    for (const Covered::Figure& each : {covered.energy, covered.power, covered.dynamic}) {
      ++all;
      low += each.inside < kLeastCoverage ? 1 : 0;
      wide += each.bound > kMostOfError * each.error ? 1 : 0;
    }
  }
};

void print_cells(std::uint64_t seeds, std::string_view load) {
  Cells cells;
  std::printf("\n| load | board | energy | power | dynamic energy |\n| --- | --- | --- | --- | --- |\n");
  for (const LoadKind& kind : load_kinds())
    for (const SensorClass& each : sensor_classes()) {
      if (!load.empty() && load != kind.name) continue;
      const Covered covered = covered_on(each, kind, kReportedWindow, seeds);
      cells.add(covered);
      std::printf("| %s | %s |", kind.name, each.name);
      print_figures(covered);
      std::fflush(stdout);
    }
  std::printf("\nOf %d figures %d lie within less often than %g %%, and %d have a bound over %g times the error.\n",
              cells.all, cells.low, 100.0 * kLeastCoverage, cells.wide, kMostOfError);
}

}  // namespace

int main(int argc, char** argv) {
  const auto seeds = static_cast<std::uint64_t>(argc > 1 ? std::atoi(argv[1]) : 50);
  std::printf(
      "The truth lies within the bound in %% of the cases / median bound / 95 %% quantile of the error, both in %% of "
      "the truth, %llu seeds, windows of 10 s unless said:\n",
      static_cast<unsigned long long>(seeds));
  if (argc > 2) {
    print_cells(seeds, argc > 3 ? argv[3] : "");
    return 0;
  }
  for (const Nanoseconds window : {kReportedWindow, kScreeningWindow})
    for (const bool kept_aside : {false, true}) print_table(kept_aside, window, seeds);
}
