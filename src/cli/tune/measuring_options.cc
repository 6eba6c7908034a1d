// Declares the options for measuring configurations.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "cli/program/options.h"
#include "cli/program/text.h"
#include "cli/tune/tune_options.h"
#include "core/interface/suggest.h"
#include "wattune/backend/counters.h"
#include "wattune/search/strategy.h"

namespace wattune::cli {

namespace {

Choices<tune::Cache> cache_choices() { return {{"warm", tune::Cache::warm}, {"cold", tune::Cache::cold}}; }
Choices<tune::Launching> launching_choices() {
  return {{"each", tune::Launching::each}, {"graph", tune::Launching::graph}};
}
Choices<tune::Clocks> clocks_choices() { return {{"set", tune::Clocks::set}, {"current", tune::Clocks::current}}; }
Choices<Policy> policy_choices() { return {{"gated", Policy::gated}, {"repeated", Policy::repeated}}; }
Choices<measure::Convergence> convergence_choices() {
  using enum measure::Convergence;
  return {{"interval", interval}, {"stdrel", stdrel}, {"entropy", entropy}};
}

template <typename T>
void add_once(std::vector<T>& values, const T& value) {
  if (std::ranges::count(values, value) == 0) values.push_back(value);
}

// Adds an alias as a metric whose expression is the counter.
void add_alias(TuneOptions& options, const backend::CounterAlias& alias) {
  add_once<std::string>(options.session.evaluation.counters, alias.counter);
  if (std::ranges::count(options.counter_aliases, alias.name, &MetricDefinition::name) == 0)
    options.counter_aliases.push_back({alias.name, {alias.counter, {}}});
}

void add_observed(TuneOptions& options, const std::string& name) {
  std::vector<std::string> known{"clock", "profile"};
  if (name == "clock") return;  // "clock" needs no option, because it is recorded with every sample if it can be read
  if (name == "profile") {
    for (const std::string& counter : search::profiled_counters())
      add_once(options.session.evaluation.counters, counter);
    return;
  }
  for (const tune::BoardMetric metric : tune::kAllBoardMetrics) {
    if (name == to_string(metric)) return add_once(options.session.evaluation.observe, metric);
    known.emplace_back(to_string(metric));
  }
  for (const backend::CounterAlias& alias : backend::counter_aliases()) {
    if (name == alias.name) return add_alias(options, alias);
    known.emplace_back(alias.name);
  }
  // Only the device knows the names of all its counters. A name with a double underscore counts as one, because no
  // other name has that.
  if (name.find("__") != std::string::npos) return add_once(options.session.evaluation.counters, name);
  const std::string nearest = suggest(name, known);
  const Error error =
      Error(ErrorCode::invalid_argument,
            "neither clock nor what a board tells (power, energy, temperature) nor a hardware counter")
          .about(name)
          .hint(nearest.empty() ? "counters are named such as dram__bytes_read.sum, or dram_bandwidth" : nearest);
  throw CLI::ValidationError("--observe", error.to_string());
}

std::string describe_observe() {
  std::string aliases;
  for (const backend::CounterAlias& alias : backend::counter_aliases())
    aliases += fmt::format("{}{} ({})", aliases.empty() ? "" : ", ", alias.name, alias.counter);
  return "What to measure beside the time; power and energy take two seconds for each configuration that may be the "
         "best. profile "
         "stands for the hardware counters that the strategy of that name reads. COUNTER is a hardware counter of a "
         "CUDA device as CUPTI names it (see `wattune devices --counters`), or one of " +
         aliases;
}

}  // namespace

void declare_measuring_options(CLI::App& app, TuneOptions& options) {
  app.option_defaults()->group("Measuring");
  measure::SamplingOptions& measure = options.session.sampling;
  add_choice(app, "--policy", options.policy, policy_choices(), "How often each configuration is run");
  add_choice(app, "--cache", options.session.evaluation.cache, cache_choices(),
             "The contents of the device's caches when a run begins");
  add_choice(app, "--launch", options.session.evaluation.launching, launching_choices(),
             "How runs are launched to be timed: each by itself, or many in a CUDA graph, so that no time of the host "
             "comes between short kernels");
  add_choice(app, "--clocks", options.session.clocks, clocks_choices(),
             "Clock and power parameters of the spec: set them on the board, or leave them out of the search and keep "
             "the board's settings");
  app.add_flag("--take-over", options.session.evaluation.take_over,
               "Set clocks even if somebody else has set the board, computes on it, or might do so");
  add_parsed(app, "--warm-up", measure.warm_up, parse_time, "TIME", "Device time to run before the first sample")
      ->default_str(fmt::format("{}ms", to_ms(measure.warm_up)));
  add_parsed(app, "--min-samples", measure.min_samples, parse_positive_count, "N",
             "Samples of each configuration at least")
      ->default_str(fmt::format("{}", measure.min_samples));
  add_parsed(app, "--max-samples", measure.max_samples, parse_positive_count, "N",
             "Samples of each configuration at most")
      ->default_str(fmt::format("{}", measure.max_samples));
  add_parsed(app, "--precision", measure.relative_precision, parse_share, "SHARE",
             "Sample until the interval's half width is below this share of the median")
      ->default_str(fmt::format("{}", measure.relative_precision));
  add_choice(app, "--convergence", measure.convergence, convergence_choices(), "When samples suffice");
  app.add_option_function<std::vector<std::string>>(
         "--observe",
         [&options](const std::vector<std::string>& names) {
           for (const std::string& name : names) add_observed(options, name);
         },
         describe_observe())
      ->type_name("clock|power|energy|dynamic_energy|temperature|voltage|profile|COUNTER,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  Nanoseconds& window = options.session.evaluation.energy_window;
  add_parsed(
      app, "--energy-window", window, parse_positive_time, "TIME",
      "Least time for which the power and energy of a configuration are measured, also in each turn of the final")
      ->default_str(fmt::format("{}s", to_seconds(window)));
}

std::string measured_alone_only(const TuneOptions& options) {
  const tune::EvaluatorOptions& evaluation = options.session.evaluation;
  const std::pair<bool, const char*> given[] = {
      {!evaluation.observe.empty() || !evaluation.counters.empty(), "--observe"},
      {evaluation.cache == tune::Cache::cold, "--cache cold"},
      {evaluation.launching == tune::Launching::graph, "--launch graph"},
      {options.session.clocks == tune::Clocks::current, "--clocks"}};
  for (const auto& [is_given, name] : given)
    if (is_given) return name;
  return {};
}

}  // namespace wattune::cli
