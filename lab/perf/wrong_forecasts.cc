// Measures what the policy `paired` loses by wrong forecasts. Two kernels at a time run on a simulated GPU, and their
// forecasts are falsified on purpose. All results are simulated.
//
//   wrong_forecasts [GPU] [WORKS] [WAVES] [ERROR] [VARIATION] [SET]
//
// WORKS is the number of works of each of the two kernels. WAVES is how often a kernel fills the GPU. ERROR is the
// error of the forecasts, 0.2 being 20 %. VARIATION is the standard deviation of the blocks' times over their mean. SET
// is CI, MI, MIX or ALL as in Kernelet's paper. Gains are relative to the best schedule that needs no forecast.
#include "lab/perf/wrong_forecasts.h"

#include <algorithm>
#include <cstdio>

namespace {

using namespace wattune;
using namespace wattune::perf;

void print_pair(const TwoKernels& pair, const std::vector<FalseForecasts>& told,
                std::vector<std::vector<double>>& gains) {
  const Nanoseconds baseline = pair.baseline();
  std::printf("| %s | %.2f |", pair.name().c_str(), pair.forecast().speedup());
  for (std::size_t i = 0; i < told.size(); ++i) {
    gains[i].push_back(100.0 * (baseline / pair.paired(told[i].falsify) - 1.0));
    std::printf(" %.1f %% |", gains[i].back());
  }
  std::printf("\n");
  std::fflush(stdout);
}

// Prints the mean loss, the worst loss and the number of pairs that lost more than 1 %.
void print_losses(const std::string& name, const std::vector<double>& gains) {
  double lost = 0.0;
  for (const double gain : gains) lost -= std::min(gain, 0.0) / static_cast<double>(gains.size());
  const auto behind = std::ranges::count_if(gains, [](double gain) { return gain < -1.0; });
  std::printf("| %s | %.2f %% | %.1f %% | %d of %zu |\n", name.c_str(), lost, std::ranges::min(gains),
              static_cast<int>(behind), gains.size());
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments({argv + 1, argv + argc});
  const auto gpu = find_gpu(arguments.text(0, "C2050"));
  if (!gpu) return std::fprintf(stderr, "no such GPU model\n"), 1;
  const std::size_t works = arguments.number(1, 10);
  const auto waves = static_cast<unsigned>(arguments.number(2, 8));
  const auto set = std::ranges::find(kKernelSets, arguments.text(5, "ALL"), &KernelSet::name);
  if (set == kKernelSets.end()) return std::fprintf(stderr, "no such set of kernels\n"), 1;
  const auto kernels = profiled(*gpu, *set, waves, std::stod(arguments.text(4, "0.2")));
  const auto told = false_forecasts(std::stod(arguments.text(3, "0.2")));
  std::vector<std::vector<double>> gains(told.size());
  std::printf("%s, %zu works of each, gain over the best without forecasts, simulated\n\n", gpu->name.c_str(), works);
  std::printf("| pair | S | right | too high | too low | either |\n| --- | --- | --- | --- | --- | --- |\n");
  for (std::size_t i = 0; i < kernels.size(); ++i)
    for (std::size_t j = i + 1; j < kernels.size(); ++j)
      print_pair(TwoKernels(*gpu, {kernels[i], kernels[j]}, works), told, gains);
  std::printf("\n| forecasts | mean loss | worst pair | more than 1 %% behind |\n| --- | --- | --- | --- |\n");
  for (std::size_t i = 0; i < told.size(); ++i) print_losses(told[i].name, gains[i]);
}
