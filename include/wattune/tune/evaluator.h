// Evaluator: turns one Configuration into an Observation on a device: compile, check, measure. Recorded ones: replay.h.
//
// Whatever a configuration does to the device (crash, hang, write out of bounds) is undone before evaluate() returns,
// so that the next one meets a clean device. One thread at a time. What becomes which status: docs/tune.md.
//
//   WATTUNE_ASSIGN(auto evaluator, make_evaluator(spec, space, *device, *policy));
//   WATTUNE_ASSIGN(Observation observation, evaluator->evaluate(space.configuration(id)));
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/backend/compile_pool.h"
#include "wattune/backend/device.h"
#include "wattune/backend/worker.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/observation.h"
#include "wattune/core/trial.h"
#include "wattune/measure/policy.h"
#include "wattune/measure/shoot_out.h"
#include "wattune/power/energy.h"
#include "wattune/search/compile_features.h"
#include "wattune/space/search_space.h"
#include "wattune/tune/board_metric.h"
#include "wattune/tune/observer.h"

namespace wattune::tune {

// How well compiling keeps up with the devices, since the evaluators were made.
struct Pipeline {
  std::vector<Nanoseconds> devices_busy;  // of each, while commands were under way on it: launches, transfers
  // Of the pool that compiles ahead; none: the devices compile, and idle meanwhile.
  std::optional<backend::CompileActivity> compiling;
};

// What each configuration showed when several ran in turns.
struct Contest {
  std::vector<Observation> observations;  // those that are correct have one sample per round that they ran
  measure::Rounds rounds;                 // those samples, with what they are worth
};

// What launches took of the device, those of the reference too.
struct DeviceUse {
  Nanoseconds time;       // from the first launch of a wait to the end of its last, and what comes between them
  std::size_t waits = 0;  // for each of which a device that others use turns to this process and back
};

// The outputs that those of configurations are compared with.
struct Verification {
  std::string by;       // "reference", "default configuration a=1, b=2"; empty: nothing is compared
  std::string why_not;  // in words, where nothing is though a comparison was asked for
  // Outputs, or fields of their structs, that are not compared, as they differ between two runs of the default
  // configuration: a line for each.
  std::vector<std::string> left_out;
};

class Evaluator {
 public:
  virtual ~Evaluator() = default;
  // What evaluate() will probably be asked for, the next first, so that it can be compiled meanwhile. Whatever was
  // expected before and no longer is, is forgotten.
  virtual void expect(const std::vector<Configuration>& /*configurations*/) {}
  // What the compiler says of configurations that were expected, none where it has not come to them; waits until it has
  // come to half of them.
  virtual std::vector<std::optional<search::CompileFeatures>> foresee(
      const std::vector<Configuration>& configurations) {
    return std::vector<std::optional<search::CompileFeatures>>(configurations.size());
  }
  // A failed configuration is an Observation. An Error means that no configuration can be evaluated: the spec is wrong
  // (argument count, missing kernel, reference) or, with the code device_lost, the device is gone for good.
  virtual Result<Observation> evaluate(const Configuration& configuration) = 0;
  // The best of an earlier run, which later configurations are measured against.
  virtual void know_best(const Observation& /*best*/) {}
  // The clock that a run on this evaluator is timed by, from any origin: real time, unless evaluations are replayed.
  virtual Nanoseconds now() const;
  // None: there is no device.
  virtual std::optional<Pipeline> pipeline() const { return std::nullopt; }
  virtual Verification verification() const { return {}; }
  // How often it has reset the device: all else that was made from that before is useless.
  virtual std::size_t resets() const { return 0; }
  // Since the evaluator began to be made. Contents that move between host and device do not count: engines of their own
  // move them beside other processes' kernels.
  virtual DeviceUse device_use() const { return {}; }
  // Its selector; empty: there is no device.
  virtual std::string device() const { return {}; }
  // Where the objective of a correct Trial of this run lies, as far as its samples say.
  virtual measure::ObjectiveInterval objective_interval(const Trial& trial) const;
  // Whether hold_contest() can be called: several configurations can be held at once.
  virtual bool holds_contests() const { return false; }
  // What a turn takes beside its runs, as far as the search has shown it: where joules decide, their windows.
  virtual Nanoseconds turn_overhead() const { return {}; }
  // Prepares and checks all of them, then runs them in turns (measure/shoot_out.h). Errors as of evaluate(). Empty: it
  // was cancelled.
  virtual Result<Contest> hold_contest(const std::vector<Configuration>& /*configurations*/,
                                       const measure::ShootOutOptions& /*options*/) {
    return Contest();
  }
};

// Limits start wide and tighten to what good configurations needed: never below the floors, nor above the start.
struct Limits {
  Nanoseconds compile = nanoseconds_from_seconds(120);  // before the first success
  // Of a run, all launches of a configuration together, before the first success.
  Nanoseconds run = nanoseconds_from_seconds(60);
  Nanoseconds compile_floor = nanoseconds_from_seconds(30);
  Nanoseconds run_floor = nanoseconds_from_seconds(1);
  // To compile and call a C++ reference, or to run a reference kernel; none: what the spec says, else ten minutes.
  std::optional<Nanoseconds> reference;
  double compile_factor = 10.0;  // times the slowest successful compile so far
  double run_factor = 20.0;      // times the best configuration so far

  Result<void> validate() const;
};

// Which configurations have their outputs compared with the reference, or without one with what the default
// configuration leaves: all; those that may be as good as the best so
// far; those that would be the best; none. With several objectives `contenders` and `winners` are `every`. In a contest
// all are compared, but with `never`.
enum class CheckOutput { every, contenders, winners, never };

// Whether a configuration cannot be told from the best, or is within 5 % of it. What is not as good as some
// configuration is not as good as a better one either.
bool may_be_as_good(const Statistics& one, const Statistics& best);

// What a timed run finds in the device's caches: what the run before left there, or a buffer larger than they are.
enum class Cache { warm, cold };

// Which configurations more than the time is measured of: every correct one, or those that are the best so far and
// those in a contest.
enum class ObserveFor { every, winners };

// Bytes that several hold.
using SharedBytes = std::shared_ptr<const std::vector<std::byte>>;

struct EvaluatorOptions {
  Limits limits;
  CheckOutput check = CheckOutput::every;
  Cache cache = Cache::warm;
  // Other processes compute on the device meanwhile. When a wait begins, a GPU may have turned to them: its first run
  // then takes as long as they have it, and is left out.
  bool is_shared = false;
  // Metrics of these names (docs/measure.md).
  std::vector<BoardMetric> observe;
  // How long a configuration runs for that, at least, in each turn of a contest that joules decide, too; five times as
  // long for each contestant where the time decides.
  Nanoseconds energy_window = power::kScreening;
  OpenRecorder open_recorder;  // none: that of the board at DeviceInfo::pci_bus_id
  // Hardware counters with their sub-metrics, such as dram__bytes_read.sum (backend/counters.h), which become metrics
  // of these names, of one run. Those that mean nothing for a configuration are left out.
  std::vector<std::string> counters;
  // What the user measures, each in a pass of its own of so many runs.
  std::vector<std::shared_ptr<Observer>> observers;
  std::size_t observed_runs = 32;
  ObserveFor observe_for = ObserveFor::every;  // with winners the objective is the time
  // Compiles the spec's source for the device, ahead of it; outlives the evaluator. Evaluators of equal devices may
  // share it. nullptr: the device compiles.
  backend::PooledSource* compilers = nullptr;
  backend::PooledSource* reference_compilers = nullptr;  // the same of a reference kernel's source
  backend::WorkerOptions reference_worker;               // compiles and calls a C++ reference
  // What vector arguments hold at first, by their positions in the spec: of these bytes as many as they are long; none,
  // or nullptr: what the spec says.
  std::vector<SharedBytes> contents = {};
  // Sets clocks and limits of a board though somebody else has set it, computes on it, or might.
  bool take_over = false;
  // Called now and then while `what`, "the reference" or what takes its place, takes long, from a thread of its own;
  // may be empty.
  std::function<void(std::string_view what, Nanoseconds elapsed, Nanoseconds limit)> on_slow_reference;
};

// The names of what is observed.
std::vector<std::string> observed_metrics(const EvaluatorOptions& options);

// Evaluates on `device`, which it resets after a crash, a hang or an out-of-bounds write. The reference, if the spec
// names one, is computed once, here; its failure is an Error. Without one the default configuration runs here, and what
// it leaves is the reference; if it fails, nothing is compared. `policy` and `device` outlive it.
// invalid_argument, mismatch, not_found: what the spec or the options got wrong. unavailable: a board metric or counter
// cannot be read.
Result<std::unique_ptr<Evaluator>> make_evaluator(const KernelSpec& spec, const space::SearchSpace& space,
                                                  backend::Device& device, measure::MeasurePolicy& policy,
                                                  const EvaluatorOptions& options = {});

// What a kernel's compiler gets of a configuration: those of its parameters, a spec's or recorded ones, that are code.
std::vector<backend::Macro> macros_of(const std::vector<Parameter>& parameters, const Configuration& configuration);

// The functions that a configuration launches, each once. Errors of conditions that cannot be evaluated.
Result<std::vector<std::string>> launched_functions(const KernelSpec& spec, const Configuration& configuration);

// Whether every evaluation may give this metric without the spec defining it: `time`, `registers` and the like.
bool is_measured(std::string_view metric);

// The objective that the search follows, which is the spec's first; none when that is the least time.
std::optional<Objective> custom_objective(const KernelSpec& spec);

}  // namespace wattune::tune
