// Runs the application's loop for one size in one mode, tuned while it runs, and returns its results.
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

// The way of tuning.
enum class Mode {
  known,  // the best known configuration runs from the first call on, without tuning; the base of comparisons
  ours,   // the library with its defaults; the application's own product runs until the first variant is compiled
  paper,  // the stop rule of Petrovic et al. 2020, 5.2.1: 75 % of the peak bandwidth, or 20 configurations, at random
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
  int niceness = 19;                                                     // of the compile processes
  wattune::dynamic::Safety safety = wattune::dynamic::Safety::screened;  // of Mode::ours
  bool ahead = true;  // Mode::ours: the application announces a size to the library while the one before runs
  // A function that returns the best configuration of a size, as names and values. It is only for Mode::known.
  std::function<wattune::dynamic::NamedValues(const Sizes& sizes)> best = {};
  std::uint64_t seed = 1;
};

// The state of the loop each time that it waits for the device.
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
  wattune::Nanoseconds blocked;       // time that calls waited for a compiler, because there was nothing else to run
  std::uint64_t explored = 0;
  std::uint64_t fallbacks = 0;
  std::uint64_t checked = 0;                    // products
  std::uint64_t wrong_results = 0;              // among them
  std::optional<wattune::Configuration> first;  // the variant that replaced the application's own product
  wattune::Nanoseconds first_after;             // since the size began
  std::optional<wattune::Configuration> best;
  std::vector<Milestone> milestones;
};

// The objects that live as long as the application, for one mode. The machine must outlive them.
class Application {
 public:
  // Makes the application. `spec` is the spec of all sizes, which are keys of one kernel. Under the rule of Petrovic et
  // al. it is not used, because every size is a kernel of its own.
  static wattune::Result<std::unique_ptr<Application>> make(Machine& machine, Mode mode,
                                                            const wattune::KernelSpec& spec, const RunOptions& options);

  Mode mode() const { return mode_; }
  // Tells whether all sizes are keys of one kernel.
  bool has_keys() const { return mode_ == Mode::ours || mode_ == Mode::known; }
  const RunOptions& options() const { return options_; }
  wattune::dynamic::Tuner& tuner() { return *tuner_; }
  // Begins the calls of these sizes and returns their kernel, which lives until the next begin(). `spec` must be
  // spec_of() these sizes. For Mode::known the kernel is loaded before begin() returns.
  wattune::Result<wattune::dynamic::TunableKernel*> begin(const Sizes& sizes, const wattune::KernelSpec& spec);
  // Announces that about `calls` calls of these sizes will come, or an unknown number of them.
  wattune::Result<void> expect(const Sizes& sizes, std::optional<std::uint64_t> calls = {});

 private:
  Application(Machine& machine, Mode mode, const RunOptions& options)
      : machine_(machine), mode_(mode), options_(options) {}
  wattune::dynamic::KernelOptions options_of_known() const;
  wattune::dynamic::KernelOptions options_of_ours();
  wattune::dynamic::KernelOptions options_of_paper() const;
  // Returns the sizes under all names that specs use for them.
  std::vector<wattune::NamedSize> sizes_in_full(const Sizes& sizes) const;

  Machine& machine_;
  const Mode mode_;
  const RunOptions options_;
  Sizes sizes_;  // of the calls
  std::unique_ptr<wattune::dynamic::Tuner> tuner_;
  std::unique_ptr<wattune::dynamic::TunableKernel> kernel_;
};

// Runs the loop over one size. `spec` must be spec_of() these sizes. `next` are the sizes that come after them, if the
// application knows them.
wattune::Result<Row> run(Machine& machine, Application& application, const Sizes& sizes,
                         const wattune::KernelSpec& spec, const std::optional<Sizes>& next);

}  // namespace batched_gemm
