// The options of `wattune tune`, as values.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/program/app.h"
#include "cli/program/spec_options.h"
#include "wattune/tune/session.h"

namespace wattune::cli {

enum class Policy { gated, repeated };

// Options for several kernels that are tuned as one, or for one kernel with a partner.
struct TogetherOptions {
  std::vector<std::string> specs;
  std::string partner;  // partner of the kernel in SPEC: a spec with its choice (SPEC@CHOICE), or a stand-in's name
  std::vector<std::string> launch_order;
  bool steady = false;
  std::vector<std::string> launches;  // numbers of launches as NAME=N
  std::vector<unsigned> resident_blocks;
  double indifference = 0.01;  // share by which costs may differ and still count as equal

  bool wanted() const { return !specs.empty() || !partner.empty(); }
};

struct TuneOptions {
  SpecOptions spec;
  TogetherOptions together;
  tune::SessionOptions session;
  bool mixed_devices = false;
  std::vector<std::string> warm_start;
  std::vector<std::string> others;  // recordings of other kernels, for the method `advised`
  std::string output;
  bool resume = false;
  bool force_resume = false;
  bool overwrite = false;
  std::string report;         // the page to write at the end; none if empty
  std::string compile_cache;  // a folder; the user's if empty
  std::uint64_t compile_cache_size = backend::ImageCache::kDefaultCacheBytes;
  bool no_compile_cache = false;
  Policy policy = Policy::gated;
  std::vector<MetricDefinition> counter_aliases;  // metrics for the aliases of counters that the user asked for
  bool sanitize = false;
  std::vector<MetricDefinition> metrics;
  std::vector<Objective> objectives;
  std::optional<double> slowdown;  // largest slowdown as a share, 0.05 for 5 %
  bool json = false;
  bool quiet = false;
};

// Declares the options; `options` must outlive `app`.
void declare_tune_options(CLI::App& app, TuneOptions& options);

// Declares the options for kernels that run together.
void declare_together_options(CLI::App& app, TogetherOptions& options);

// Declares the options for measuring a configuration.
void declare_measuring_options(CLI::App& app, TuneOptions& options);

// Returns the name of an option that the user gave although it is only for kernels that run alone; empty if there is
// none.
std::string measured_alone_only(const TuneOptions& options);

// Declares the options for compiling, checking and timing a configuration.
void declare_evaluation_options(CLI::App& app, TuneOptions& options);

// Checks the options of compiling. Fails with invalid_argument if they contradict each other or ask for too much.
Result<void> check_compiling(const TuneOptions& options);

// Returns the options for the library, in which no cache of compiled code is set.
tune::SessionOptions session_options(const TuneOptions& options);
// Opens the cache; nullptr if the user wants no cache, or if there is no usual folder for it. Fails with io_error if
// the user named a folder that cannot be used.
Result<std::shared_ptr<backend::ImageCache>> cache_of(const TuneOptions& options);

}  // namespace wattune::cli
