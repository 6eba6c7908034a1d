// The options of `wattune tune`, as values.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/app.h"
#include "cli/spec_options.h"
#include "wattune/backend/worker.h"
#include "wattune/measure/policy.h"
#include "wattune/measure/shoot_out.h"
#include "wattune/search/stop_rule.h"
#include "wattune/tune/evaluator.h"

namespace wattune::cli {

enum class Policy { gated, repeated };

struct TuneOptions {
  SpecOptions spec;
  std::string device = "auto";
  bool mixed_devices = false;
  std::string strategy;
  std::map<std::string, double> strategy_parameters;
  std::vector<std::string> warm_start;
  search::StopRule stop;
  std::uint64_t seed = 1;
  std::string output;
  bool resume = false;
  bool force_resume = false;
  bool overwrite = false;
  bool in_process = false;
  tune::CheckOutput check = tune::CheckOutput::every;
  tune::Cache cache = tune::Cache::warm;
  std::optional<Nanoseconds> compile_limit;
  std::optional<Nanoseconds> run_limit;
  std::optional<Nanoseconds> reference_limit;
  std::uint64_t memory_limit = backend::default_memory_limit();  // bytes
  std::optional<std::uint64_t> compile_jobs;
  std::optional<std::uint64_t> compile_ahead;
  std::string compile_cache;  // a folder; empty: the user's
  std::uint64_t compile_cache_size = backend::ImageCache::kDefaultLimit;
  bool no_compile_cache = false;
  Policy policy = Policy::gated;
  measure::SamplingOptions measure;
  std::size_t finalists = measure::ShootOutOptions().finalists;
  std::vector<tune::BoardMetric> observe;
  std::vector<std::string> counters;              // with their sub-metrics
  std::vector<MetricDefinition> counter_aliases;  // that were asked for
  tune::ObserveFor observe_for = tune::ObserveFor::every;
  bool sanitize = false;
  std::vector<MetricDefinition> metrics;
  std::vector<Objective> objectives;
  bool json = false;
  bool quiet = false;
};

// Declares the options; `options` must outlive `app`.
void declare_tune_options(CLI::App& app, TuneOptions& options);

// Those of them that say how a configuration is compiled, checked and timed.
void declare_evaluation_options(CLI::App& app, TuneOptions& options);

// Adds the metrics and objectives of the command line to the spec's. An objective that is no metric is an expression,
// which becomes a metric of that name. invalid_argument for --target, a time, together with another objective.
Result<void> add_objectives(const TuneOptions& options, const std::vector<std::string>& observed, KernelSpec& spec);

// invalid_argument: options of compiling that contradict each other, or ask for too much.
Result<void> check_compiling(const TuneOptions& options);

// What the options ask for.
std::size_t compile_jobs_of(const TuneOptions& options);
// nullptr: nothing is to be kept, or the user has no folder for it. io_error for a folder that the user named.
Result<std::shared_ptr<backend::ImageCache>> cache_of(const TuneOptions& options);
tune::EvaluatorOptions evaluator_options(const TuneOptions& options);
std::unique_ptr<measure::MeasurePolicy> policy_of(const TuneOptions& options);

}  // namespace wattune::cli
