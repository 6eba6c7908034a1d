// Measures how often the truth lies within the bounds of energy, power and dynamic energy, on simulated boards with
// twenty classes of sensors. Prints tables in Markdown.
//
//   energy_coverage [SEEDS]
#include <cstdio>
#include <cstdlib>

#include "power/sensor_classes.h"

using namespace wattune;
using namespace wattune::power;

namespace {

void print_table(bool kept_aside, Nanoseconds window, std::uint64_t seeds) {
  std::printf("\n%s, %g s:\n\n| load | energy | power | dynamic energy |\n| --- | --- | --- | --- |\n",
              kept_aside ? "Boards that were kept aside" : "Boards that were looked at", to_seconds(window));
  for (const LoadKind& kind : load_kinds()) {
    const Covered covered = covered_by(kind, window, kept_aside, seeds);
    std::printf("| %s |", kind.name);
    for (const Covered::Figure& each : {covered.energy, covered.power, covered.dynamic})
      std::printf(" %.1f / %.1f |", 100.0 * each.inside, 100.0 * each.bound);
    std::printf("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto seeds = static_cast<std::uint64_t>(argc > 1 ? std::atoi(argv[1]) : 50);
  std::printf("The truth lies within the bound in %% of the cases / median bound in %% of the truth, %llu seeds:\n",
              static_cast<unsigned long long>(seeds));
  for (const Nanoseconds window : {kReportedWindow, kScreeningWindow})
    for (const bool kept_aside : {false, true}) print_table(kept_aside, window, seeds);
}
