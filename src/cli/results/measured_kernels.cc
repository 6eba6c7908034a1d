#include "cli/results/measured_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/interface/energy.h"
#include "report/interface/analysis.h"
#include "wattune/store/formats.h"

namespace wattune::cli {

namespace {

// Returns the first recorded energy or power that is impossible; nullptr if there is none.
const Metric* impossible_of(const Observation& observation) {
  constexpr std::string_view kNames[] = {"energy", "power", "ps_energy", "ps_power", "nvml_energy", "nvml_power"};
  const auto found = std::ranges::find_if(observation.metrics, [&](const Metric& metric) {
    return std::ranges::count(kNames, metric.name) > 0 && !(metric.value > 0.0);
  });
  return observation.ok() && found != observation.metrics.end() ? &*found : nullptr;
}

Result<void> check_possible(const ResultSet& results, const std::string& file) {
  for (const Trial& trial : results.trials)
    if (const Metric* const metric = impossible_of(trial.observation))
      return Error(ErrorCode::invalid_argument, "a recorded energy or power is not above 0")
          .about(fmt::format("{} {:g} of {}", metric->name, metric->value, trial.configuration.to_string()))
          .with_context(file);
  return {};
}

bool is_throttled(const Observation& observation) {
  return std::ranges::any_of(observation.metrics, [](const Metric& metric) {
    return metric.name == "energy_throttled" && metric.value > 0.0;
  });
}

}  // namespace

Error too_few_clocks(const std::string& file) {
  return Error(ErrorCode::invalid_argument, "advice needs energies at two graphics clocks or more")
      .about(file)
      .hint("a parameter `nvml_gr_clock` sets the clock (docs/formats/spec.md), and `--observe energy` measures");
}

Result<tune::MeasuredKernel> measured_kernel(const std::string& file) {
  WATTUNE_ASSIGN(const ResultSet results, store::load_results(file));
  return measured_kernel(results, file);
}

Result<tune::MeasuredKernel> measured_kernel(const ResultSet& results, const std::string& file) {
  WATTUNE_TRY(check_possible(results, file));
  const std::string& name = results.info.kernel_name;
  tune::MeasuredKernel kernel{.name = name.empty() ? file : name, .points = {}};
  std::size_t throttled = 0;
  for (const report::AtClock& each : report::by_clock_of_one_code(results)) {
    const Observation& its = each.least->observation;
    if (is_throttled(its))
      ++throttled;
    else
      kernel.points.push_back({each.clock, its.statistics->median, *energy_of(its)});
  }
  if (!kernel.points.empty()) return kernel;
  if (throttled == 0) return too_few_clocks(file);
  return Error(ErrorCode::invalid_argument, "power or heat held the clock down at each of its clocks").about(file);
}

Result<std::vector<tune::MeasuredKernel>> measured_kernels(const std::vector<std::string>& files,
                                                           const std::string& own) {
  std::vector<tune::MeasuredKernel> kernels;
  for (const std::string& file : files) {
    if (file == own) continue;
    WATTUNE_ASSIGN(tune::MeasuredKernel kernel, measured_kernel(file));
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

}  // namespace wattune::cli
