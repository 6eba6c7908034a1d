// Prints table II and figure 10 of Schoonhoven et al. 2022 for simulated boards (docs/results/energy-boards.md).
//
//   emulated_boards            the rows of table II, published and simulated, as Markdown
//   emulated_boards --curves   figure 10: joules of each kernel against the clock, relative to the least, as CSV
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "lab/emulation/published_tuning.h"

using namespace wattune;
using namespace wattune::emulation;

namespace {

struct Mean {
  double sum = 0.0;
  double squares = 0.0;
  int count = 0;

  void add(double value) { sum += value, squares += value * value, ++count; }
  double mean() const { return sum / count; }
  double deviation() const { return std::sqrt((squares - sum * sum / count) / (count - 1)); }
};

void print_reductions() {
  for (const char* const name : {"A100", "A4000", "TITAN-RTX", "V100"}) {
    const std::vector<Megahertz> grid = published_grid(name);
    const std::vector<Megahertz> kept = steered_clocks(grid, simulate::find_board_model(name)->voltage_threshold);
    std::printf("%s: %zu of %zu clocks, %.1f %% left out\n", name, kept.size(), grid.size(),
                100.0 * (1.0 - static_cast<double>(kept.size()) / static_cast<double>(grid.size())));
  }
}

void print_row(const PublishedRow& row, const SteeredRow& steered) {
  std::printf("| %s | %s | %.0f, %.0f | %.0f, %.0f | %.0f | %.0f | %.1f | %.1f | %.1f | %.1f |\n", row.board.c_str(),
              row.kernel.c_str(), row.before().value(), row.after().value(), steered.before.power.value(),
              measure_row(row, row.tuned).power.value(), row.tuned.value(), steered.clock.value(), 100.0 * row.gain(),
              100.0 * steered.gain, 100.0 * row.loss(), 100.0 * steered.loss);
}

void print_rows() {
  std::printf(
      "| board | kernel | W published | W simulated | MHz | MHz simulated | gain %% | simulated | loss %% | simulated "
      "|\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  Mean gain;
  Mean loss;
  for (const PublishedRow& row : published_rows()) {
    const SteeredRow steered = steer_row(row);
    gain.add(100.0 * steered.gain);
    loss.add(100.0 * steered.loss);
    print_row(row, steered);
  }
  std::printf("\ngain %.1f +- %.1f %%, loss %.1f +- %.1f %%\n", gain.mean(), gain.deviation(), loss.mean(),
              loss.deviation());
}

void print_curves() {
  std::printf("board,kernel,clock_mhz,power_w,energy_ratio\n");
  for (const PublishedRow& row : published_rows()) {
    std::vector<RowMeasurement> curve;
    Joules least{HUGE_VAL};
    for (const Megahertz clock : published_grid(row.board)) {
      curve.push_back(measure_row(row, clock));
      least = std::min(least, curve.back().energy());
    }
    for (std::size_t i = 0; i < curve.size(); ++i)
      std::printf("%s,%s,%.0f,%.1f,%.3f\n", row.board.c_str(), row.kernel.c_str(), published_grid(row.board)[i].value(),
                  curve[i].power.value(), curve[i].energy() / least);
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 2 && std::strcmp(arguments[1], "--curves") == 0) {
    print_curves();
    return 0;
  }
  print_reductions();
  std::printf("\n");
  print_rows();
  return 0;
}
