// Evaluator: turns one Configuration into an Observation on a device: compiles, checks, measures. make_evaluator()
// makes one with EvaluatorOptions and Limits of time; replay.h makes one that answers from recorded results.
//
// Before evaluate() returns, it undoes whatever a configuration did to the device (crash, hang, out-of-bounds writes),
// so that the next configuration meets a clean device. Only one thread at a time may use it. docs/tune.md lists which
// event becomes which status.
//
//   WATTUNE_ASSIGN(auto evaluator, make_evaluator(spec, space, *device, *policy));
//   WATTUNE_ASSIGN(Observation observation, evaluator->evaluate(space.configuration(id)));
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/backend/compile_pool.h"
#include "wattune/backend/device.h"
#include "wattune/backend/worker.h"
#include "wattune/core/configuration.h"
#include "wattune/core/export.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/observation.h"
#include "wattune/core/trial.h"
#include "wattune/measure/policy.h"
#include "wattune/power/energy.h"
#include "wattune/search/strategy.h"
#include "wattune/space/search_space.h"
#include "wattune/tune/observer.h"

namespace wattune::inline v0_1::tune {

// Figures on how well compiling keeps up with the devices, since the evaluators were made.
struct WATTUNE_EXPORT Pipeline {
  std::vector<Nanoseconds> devices_busy;  // time of each device with commands under way: launches, transfers
  // Activity of the pool that compiles ahead; empty if the devices compile themselves, which then run nothing
  // meanwhile.
  std::optional<backend::CompileActivity> compiling;
};

// Results of several configurations that ran in turns.
struct WATTUNE_EXPORT Contest {
  std::vector<Observation> observations;  // one for each configuration; a correct one has a sample per round
  measure::Rounds rounds;                 // the same samples, with their objectives
};

// Time that launches took on the device, including those of the reference.
struct WATTUNE_EXPORT DeviceUse {
  Nanoseconds time;       // time from the first launch of a wait to the end of its last launch, with the gaps between
  std::size_t waits = 0;  // number of waits for the device; for each wait, a shared device turns to this process
};

// The outputs with which the outputs of configurations are compared.
struct WATTUNE_EXPORT Verification {
  std::string by;       // "reference", "default configuration a=1, b=2"; empty if nothing is compared
  std::string why_not;  // the reason in words, if nothing is compared although the user asked for it
  // Outputs, or fields of their structs, that are not compared because they differ between two runs of the default
  // configuration, a line for each.
  std::vector<std::string> left_out;
};

// An evaluator of configurations, which uses one device or a recording.
class WATTUNE_EXPORT Evaluator {
 public:
  virtual ~Evaluator() = default;
  // Announces the configurations that evaluate() will probably be asked for, the next first, so that they can be
  // compiled ahead. They replace those that were announced before.
  virtual void expect(const std::vector<Configuration>& /*configurations*/) {}
  // Returns what the compiler says of announced configurations; nullopt for a configuration that it has not compiled
  // yet. Waits until `least` of them are compiled.
  virtual std::vector<std::optional<search::CompileFeatures>> foresee(const std::vector<Configuration>& configurations,
                                                                      std::size_t /*least*/) {
    return std::vector<std::optional<search::CompileFeatures>>(configurations.size());
  }
  // Evaluates a configuration. A failed configuration is an Observation. An Error means that no configuration can be
  // evaluated: the spec is wrong (argument count, missing kernel, reference) or, with the code device_lost, the device
  // is gone for good.
  virtual Result<Observation> evaluate(const Configuration& configuration) = 0;
  // Takes the best observation of an earlier run, against which later configurations are raced.
  virtual void know_best(const Observation& /*best*/) {}
  // Returns the present time of the clock by which runs are timed, counted from any origin. It is real time, unless
  // evaluations are replayed.
  virtual Nanoseconds now() const;
  // Returns how well compiling keeps up; nullopt if there is no device.
  virtual std::optional<Pipeline> pipeline() const { return std::nullopt; }
  virtual Verification verification() const { return {}; }
  // Returns how often the evaluator has reset the device. Objects that were made from the device before a reset are
  // useless.
  virtual std::size_t resets() const { return 0; }
  // Returns the time that launches took since the construction of the evaluator began. Transfers between host and
  // device do not count: separate engines do them beside other processes' kernels.
  virtual DeviceUse device_use() const { return {}; }
  // Returns the device's selector; empty if there is no device.
  virtual std::string device() const { return {}; }
  // Returns the interval in which the objective of a correct Trial of this run lies, as far as its samples say.
  virtual measure::ObjectiveInterval objective_interval(const Trial& trial) const;
  // True if hold_contest() can be called, that is, if several configurations can be held at once.
  virtual bool holds_contests() const { return false; }
  // Returns how much longer a turn of a contest takes than its timed runs, as far as the search has shown it. The
  // windows in which energy is measured count, if energy decides.
  virtual Nanoseconds turn_overhead() const { return {}; }
  // Prepares and checks all configurations, then runs them in turns (measure/policy.h). The result is empty if the
  // contest was cancelled. Errors are those of evaluate().
  virtual Result<Contest> hold_contest(const std::vector<Configuration>& /*configurations*/,
                                       const measure::ShootOutOptions& /*options*/) {
    return Contest();
  }
};

// Time limits. They start wide and are tightened to what good configurations needed: never below the floors, never
// above their start.
struct WATTUNE_EXPORT Limits {
  Nanoseconds compile = nanoseconds_from_seconds(120);  // limit of compiling before the first success
  // Limit of a run, that is, all launches of a configuration together, before the first success.
  Nanoseconds run = nanoseconds_from_seconds(60);
  Nanoseconds compile_floor = nanoseconds_from_seconds(30);
  Nanoseconds run_floor = nanoseconds_from_seconds(1);
  // Limit of compiling and calling a reference written in C++, or of running a reference kernel. If empty, the spec's
  // value counts, or ten minutes.
  std::optional<Nanoseconds> reference;
  double compile_factor = 10.0;  // limit as a multiple of the slowest successful compilation so far
  double run_factor = 20.0;      // limit as a multiple of the time of the best configuration so far

  // Checks the limits. Fails with invalid_argument if a limit or a floor is not positive, or a factor is below 1.
  Result<void> validate() const;
};

// The configurations whose outputs are compared with the reference or, without one, with the outputs of the default
// configuration. With several objectives or a slowdown limit, `contenders` and `winners` mean `every`. Contests compare
// the outputs of all contestants, except with `never`.
enum class CheckOutput {
  every,
  contenders,  // those that may be as good as the best so far
  winners,     // those that would be the new best
  never
};

// Tells whether a configuration may be as good as the best: its interval overlaps, or it is within 5 %. If this is
// false against some best configuration, it is also false against a better one.
WATTUNE_EXPORT bool may_be_as_good(const Statistics& one, const Statistics& best);

// The contents of the device's caches when a timed run begins. `warm` leaves there what the run before left, and `cold`
// fills them with a buffer that is larger than the caches.
enum class Cache { warm, cold };

// The way in which runs are launched to be timed: each by itself, or many of them in one graph (CUDA). In a graph no
// time of the host comes between short kernels. The time of a run is then its share of the graph's time.
enum class Launching { each, graph };

// The configurations of which more than the time is measured: every correct one, or winners. Winners are those that are
// the best so far, and all in a contest.
enum class ObserveFor { every, winners };

// The process in which drivers are loaded: a worker or this process.
struct WATTUNE_EXPORT DriverHost {
  bool in_process = false;  // true to run in this process, which a crashing kernel ends
  backend::WorkerOptions worker = {};
};

using wattune::SharedBytes;

// The caller's judgement on the outputs of a configuration's run. It comes after the comparison with the reference. If
// the spec has no reference, the judge alone decides, and nothing is compared with the default configuration.
// `function` gets the bytes of the outputs by the position of their arguments; other arguments have no bytes. Its Error
// makes the configuration incorrect. The function is called in the thread that evaluates.
struct WATTUNE_EXPORT OutputJudge {
  // Description of what is judged, and how. A run resumes results only under the same text, since functions cannot be
  // compared.
  std::string description;
  std::function<Result<void>(const Configuration& configuration, std::span<const std::vector<std::byte>> outputs)>
      function;
};

// A value that a function of the caller's computes from a configuration. The expressions of launches and arguments read
// it by its name, as they read a parameter: grid, work-group, lengths, scalars, local memory, conditions. Metrics and
// conditions on resources do not. An output whose length reads it counts as one whose length depends on parameters.
struct WATTUNE_EXPORT ComputedValue {
  std::string name;  // of no parameter, extent or other computed value
  // Description of how the value is computed. Results are resumed only under the same description, because functions
  // cannot be compared.
  std::string description;
  // Computes the value. The same configuration must give the same value. An Error makes the configuration fail as
  // `constraints`. Evaluators of several devices call it at the same time.
  std::function<Result<Value>(const Configuration& configuration)> function;
  bool is_macro = false;  // true if compilers also get it as a macro, as they get a parameter
};

// A function of the caller's that writes the text of the kernel's source for each configuration, in the place of
// KernelSource::text. All else of the source stays: its language, functions, options, and the macros.
struct WATTUNE_EXPORT SourceWriter {
  // Description of how the text is written. Results are resumed only under the same description, because functions
  // cannot be compared.
  std::string description;
  // Writes the text. The same configuration must give the same text, which is not empty. An Error makes the
  // configuration fail as `compile`. Evaluators of several devices call it at the same time.
  std::function<Result<std::string>(const Configuration& configuration)> function;
};

// The options of an evaluator.
struct WATTUNE_EXPORT EvaluatorOptions {
  Limits limits;
  CheckOutput check = CheckOutput::every;
  Cache cache = Cache::warm;
  // The way of launching. With `graph`, caches must be warm, and no metric of a board is observed. Arguments are
  // restored before each graph, not between its runs.
  Launching launching = Launching::each;
  // True if other processes compute on the device meanwhile. A GPU may have turned to them when a wait begins, so that
  // the first run of a wait also takes their time. This first run is left out.
  bool is_shared = false;
  // Figures of the board to observe (docs/measure.md).
  std::vector<BoardMetric> observe;
  // The least time for which a configuration runs while the figures of `observe` are measured, also in each turn of a
  // contest that energy decides. If time decides the contest, contestants run five times as long.
  Nanoseconds energy_window = power::kScreeningWindow;
  // The name of registered sensors (power::register_sensors()). If empty, the sensors of the board at
  // DeviceInfo::pci_bus_id are read.
  std::string sensors = {};
  OpenRecorder open_recorder = {};  // a function that opens a recorder to use instead of sensors; may be empty
  // Hardware counters with their sub-metrics, such as dram__bytes_read.sum (backend/counters.h). Their values for one
  // run become metrics of these names. Counters without a meaning for a configuration are left out.
  std::vector<std::string> counters;
  // The user's own measurements, each in a pass of its own of `observed_runs` runs.
  std::vector<std::shared_ptr<Observer>> observers;
  std::size_t observed_runs = 32;
  ObserveFor observe_for = ObserveFor::every;  // configurations to observe; `winners` needs the time as objective
  // Compiles the spec's source for the device ahead of evaluation; nullptr if the device compiles. Outlives the
  // evaluator. Evaluators of equal devices may share it.
  backend::PooledSource* compilers = nullptr;
  backend::PooledSource* reference_compilers = nullptr;  // compiles a reference kernel's source in the same way
  // The process in which a session opens its devices. The limits of its worker also hold for compilers, and for the
  // process that calls a reference written in C++.
  DriverHost where;
  // Initial contents of vector arguments, by their positions in the spec. An argument uses as many of these bytes as it
  // has itself. An argument without an entry, or with nullptr, gets the contents that the spec says.
  std::vector<SharedBytes> contents = {};
  OutputJudge judge = {};  // without a function, the comparison alone counts
  std::vector<ComputedValue> computed = {};
  SourceWriter writer = {};  // without a function, all configurations have the text of the spec's source
  // True if clocks and limits of a board are set even though somebody else has set them or computes on the board, or
  // might do so.
  bool take_over = false;
  // A function that is called now and then, from a thread of its own, while the reference or its substitute runs for
  // long. `what` is "the reference" or names the substitute. The function may be empty.
  std::function<void(std::string_view what, Nanoseconds elapsed, Nanoseconds limit)> on_slow_reference;
};

// Returns the names of the metrics that are observed.
WATTUNE_EXPORT std::vector<std::string> observed_metrics(const EvaluatorOptions& options);

// Makes an evaluator that uses `device`, and resets it after a crash, a hang or an out-of-bounds write. If the spec
// names a reference, it is computed here, and its failure is an Error. A reference written in C++ is called again only
// for configurations with other scalars. Without a reference the default configuration runs here and its outputs are
// the reference; if it fails, nothing is compared. `policy` and `device` outlive the evaluator. Fails with
// invalid_argument, mismatch or not_found for mistakes in the spec or the options, with unavailable if a board metric
// or counter cannot be read.
WATTUNE_EXPORT Result<std::unique_ptr<Evaluator>> make_evaluator(const KernelSpec& spec,
                                                                 const space::SearchSpace& space,
                                                                 backend::Device& device,
                                                                 measure::MeasurePolicy& policy,
                                                                 const EvaluatorOptions& options = {});

// Returns the macros that a kernel's compiler gets for a configuration: the values of the parameters whose role is
// code. The parameters are a spec's or recorded ones.
WATTUNE_EXPORT std::vector<backend::Macro> macros_of(const std::vector<Parameter>& parameters,
                                                     const Configuration& configuration);

// Returns the functions that a configuration launches, each once. Fails if a condition cannot be evaluated.
WATTUNE_EXPORT Result<std::vector<std::string>> launched_functions(const KernelSpec& spec,
                                                                   const Configuration& configuration);

// True if every evaluation may give this metric without a definition in the spec: `time`, `registers` and the like.
WATTUNE_EXPORT bool is_measured(std::string_view metric);

// Returns the objective that the search follows, which is the spec's first; nullopt if that objective is the least
// time.
WATTUNE_EXPORT std::optional<Objective> custom_objective(const KernelSpec& spec);

}  // namespace wattune::tune
