// Measures the errors of energy measurements on simulated boards, for our protocol and for common practice. The seeds
// change the phases and the noise of the sensors. Prints a table in Markdown.
//
//   energy_measuring [SEEDS]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "simulate/measured_board.h"

using namespace wattune;
using namespace wattune::simulate;

namespace {

struct Method {
  const char* name;
  std::function<Joules(MeasuredBoard&)> estimate;
};

struct Column {
  const char* name;
  const char* model;
  KernelFor kernel;
};

const std::vector<Method>& methods() {
  static const std::vector<Method> all{
      {"1 s loop, median of instant power x time (Kernel Tuner)",
       [](auto& board) { return by_median_power(board, 0); }},
      {"1 s loop, mean of instant power x time", [](auto& board) { return by_mean_power(board, 0); }},
      {"1 s loop, median of nvidia-smi's power x time",
       [](auto& board) { return by_median_power(board, board.sensors.power.size() - 1); }},
      {"Wattune, 1 s (screening)", [](auto& board) { return by_protocol(board, power::kScreeningWindow); }},
      {"Wattune, 5 s (finalists)", [](auto& board) { return by_protocol(board, power::kFinalistWindow); }},
      {"Wattune, 10 s (reported)", [](auto& board) { return by_protocol(board, power::kReportedWindow); }}};
  return all;
}

// Returns the errors of a method over all seeds, in percent, as the text "mean / worst".
std::string errors(const Method& method, const Column& column, bool counts_windows_only, std::uint64_t seeds) {
  double sum = 0.0;
  double worst = 0.0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    MeasuredBoard measured(column.model, column.kernel, seed, counts_windows_only);
    const Joules told = method.estimate(measured);
    const double error = 100.0 * (told / measured.load.truth() - 1.0);
    sum += error;
    if (std::abs(error) > std::abs(worst)) worst = error;
  }
  char text[64];
  std::snprintf(text, sizeof text, "%.1f / %.1f", sum / static_cast<double>(seeds), worst);
  return text;
}

void print_table(bool counts_windows_only, std::uint64_t seeds) {
  const Column columns[] = {{"flat, A100", "A100", flat_kernel},
                            {"flat, H100", "H100", flat_kernel},
                            {"two phases, A100", "A100", two_phase_kernel},
                            {"two phases, H100", "H100", two_phase_kernel}};
  std::printf("\nCounters that integrate %s:\n\n| method |",
              counts_windows_only ? "25 ms of every 100 only" : "all of the time");
  for (const Column& column : columns) std::printf(" %s |", column.name);
  std::printf("\n| --- | --- | --- | --- | --- |\n");
  for (const Method& method : methods()) {
    std::printf("| %s |", method.name);
    for (const Column& column : columns)
      std::printf(" %s |", errors(method, column, counts_windows_only, seeds).c_str());
    std::printf("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto seeds = static_cast<std::uint64_t>(argc > 1 ? std::atoi(argv[1]) : 200);
  std::printf("Errors of joules per launch, mean / worst in %%, of %llu seeds (simulated):\n",
              static_cast<unsigned long long>(seeds));
  for (const bool counts_windows_only : {false, true}) print_table(counts_windows_only, seeds);
  return 0;
}
