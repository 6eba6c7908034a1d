// One size in one mode: the application's loop, tuned while it runs, and what it came to.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "machine.h"
#include "wattune/core/configuration.h"
#include "wattune/core/random.h"
#include "wattune/dynamic/tuner.h"

namespace batched_gemm {

// Who tunes.
enum class Mode {
  known,        // the best known runs from the first call on, and nothing is tuned: what others are compared with
  ours,         // the library as it comes, with the application's own product until the first variant is there
  paper,        // the stop rule of paper 001, 5.2.1: 75 % of the peak bandwidth, or 20 configurations, at random
  synchronous,  // the same rule, compiling in the application's thread, as KTT does
};
constexpr const char* to_string(Mode mode) {
  constexpr std::array kNames{"known", "ours", "paper", "synchronous"};
  return kNames[static_cast<std::size_t>(mode)];
}

struct RunOptions {
  double seconds = 1.0;  // of each size
  double peak = 0.0;     // bandwidth of the device, in bytes per second
  std::size_t compile_processes = 2;
  int niceness = 19;                                                     // of these
  wattune::dynamic::Safety safety = wattune::dynamic::Safety::screened;  // of Mode::ours
  bool ahead = true;  // Mode::ours: the application tells a size to the library while the one before runs
  // Mode::known: the best configuration of a size, as names and values.
  std::function<wattune::dynamic::NamedValues(const Sizes& sizes)> best = {};
  std::uint64_t seed = 1;
};

// How far the loop was when it waited for the device.
struct Milestone {
  wattune::Nanoseconds time;  // since the size began
  std::uint64_t calls = 0;
};

struct Row {
  Sizes sizes;
  Mode mode = Mode::ours;
  std::int64_t batch = 0;
  std::uint64_t calls = 0;
  wattune::Nanoseconds elapsed;
  wattune::Nanoseconds longest_call;  // of the application's thread
  wattune::Nanoseconds blocked;       // that calls waited for a compiler, because there was nothing else to run
  std::uint64_t explored = 0;
  std::uint64_t fallbacks = 0;
  std::uint64_t checked = 0;                    // products
  std::uint64_t wrong_results = 0;              // of these
  std::optional<wattune::Configuration> first;  // what took the place of the application's own product
  wattune::Nanoseconds first_after;             // since the size began
  std::optional<wattune::Configuration> best;
  std::vector<Milestone> milestones;
};

// What lives as long as the application, in one mode. The machine outlives it.
class Application {
 public:
  // `spec` of all sizes, which are keys of one kernel; in the paper's rule every size is a kernel of its own.
  static wattune::Result<std::unique_ptr<Application>> make(Machine& machine, Mode mode,
                                                            const wattune::KernelSpec& spec, const RunOptions& options);

  Mode mode() const { return mode_; }
  // Sizes are keys of one kernel.
  bool has_keys() const { return mode_ == Mode::ours || mode_ == Mode::known; }
  const RunOptions& options() const { return options_; }
  wattune::dynamic::Tuner& tuner() { return *tuner_; }
  // Calls of these sizes begin. `spec` is spec_of() them. The kernel lives until the next begin(). What Mode::known
  // runs is loaded.
  wattune::Result<wattune::dynamic::TunableKernel*> begin(const Sizes& sizes, const wattune::KernelSpec& spec);
  // Calls of these sizes will come, about so many; 0: it is not known.
  wattune::Result<void> expect(const Sizes& sizes, std::uint64_t calls = 0);

 private:
  Application(Machine& machine, Mode mode, const RunOptions& options)
      : machine_(machine), mode_(mode), options_(options) {}
  wattune::dynamic::KernelOptions options_of_known() const;
  wattune::dynamic::KernelOptions options_of_ours();
  wattune::dynamic::KernelOptions options_of_paper() const;
  // By all that says so.
  std::vector<wattune::NamedSize> sizes_in_full(const Sizes& sizes) const;

  Machine& machine_;
  const Mode mode_;
  const RunOptions options_;
  Sizes sizes_;  // of the calls
  std::unique_ptr<wattune::dynamic::Tuner> tuner_;
  std::unique_ptr<wattune::dynamic::TunableKernel> kernel_;
};

// `spec` is spec_of() these sizes; `next` are those that follow, if the application knows.
wattune::Result<Row> run(Machine& machine, Application& application, const Sizes& sizes,
                         const wattune::KernelSpec& spec, const std::optional<Sizes>& next);

}  // namespace batched_gemm
