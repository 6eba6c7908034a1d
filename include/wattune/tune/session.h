// TuningSession: everything that is needed to tune one spec, opened by one call. It has the devices, the pool that
// compiles for them, measuring policies, evaluators, and a strategy with its stop rule. find_devices_for() and
// open_device() find and open the devices. plan_search() decides everything that needs no device; its result is the
// TuningTask that open() takes.
//
// A session owns all its parts; one thread at a time uses it. Any thread may call the free functions. Devices are
// opened in worker processes of their own, or in this process on request (DriverHost).
//
//   WATTUNE_ASSIGN(const auto session, tune::open(spec, {.device = "cuda:0"}));
//   WATTUNE_ASSIGN(const TuningResult result, session->run());
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "wattune/backend/image.h"
#include "wattune/backend/registry.h"
#include "wattune/core/export.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/trial.h"
#include "wattune/measure/policy.h"
#include "wattune/search/method.h"
#include "wattune/search/stop_rule.h"
#include "wattune/search/strategy.h"
#include "wattune/space/search_space.h"
#include "wattune/tune/advise.h"
#include "wattune/tune/replay.h"
#include "wattune/tune/tuning.h"

namespace wattune::inline v0_1::tune {

// Returns the configuration of the space with the same names and values; nullopt if there is none. Values must also be
// written the same, because 2 and 2.0 give different code.
WATTUNE_EXPORT std::optional<Configuration> place(const space::SearchSpace& space, const Configuration& recorded);

// A function like place() for Trials, which also considers the kernel's resources. Returns nullopt for a Trial whose
// recorded resources break a resource constraint of the spec, and for one that failed as `constraints` under other
// resource constraints.
using Placement = std::function<std::optional<Configuration>(const Trial& trial, const RunInfo& recorded)>;
// Makes a Placement in the space. The space must outlive the Placement. Fails with parse_error or not_found if a
// resource constraint of the spec is wrong.
WATTUNE_EXPORT Result<Placement> placement(const KernelSpec& spec, const space::SearchSpace& space);

// Keeps the former default configuration as the reference of a run whose spec names none and whose default has changed.
// If `recorded` had another default, evaluates that one, and compares its outputs with those of the present default. If
// they agree, `info` gets the reference of `recorded`, with which its journal is continued. Fails with mismatch if they
// do not agree, or if the space lacks the former default.
WATTUNE_EXPORT Result<void> adopt_former_reference(const space::SearchSpace& space, Evaluator& evaluator,
                                                   const RunInfo& recorded, RunInfo& info);

// Finds the devices of all backends. Fails with unavailable if the worker cannot start.
WATTUNE_EXPORT Result<backend::Discovery> find_devices(const DriverHost& where = {});

// Returns the devices that the user named ("auto", a selector, a list of selectors, a backend, part of a name) and that
// compile one of the spec's languages. Fails with unavailable and the reason if there is no device. Other errors are
// those of backend::select_devices().
WATTUNE_EXPORT Result<std::vector<DeviceInfo>> find_devices_for(const KernelSpec& spec, const std::string& wanted,
                                                                const DriverHost& where = {});

// Groups devices by model, so that times within one group can be compared. Groups come in the order of their first
// devices.
WATTUNE_EXPORT std::vector<std::vector<DeviceInfo>> by_model(const std::vector<DeviceInfo>& devices);

// Describes devices of one model, as in "NVIDIA H200 (cuda:0, cuda:1)".
WATTUNE_EXPORT std::string describe(const std::vector<DeviceInfo>& devices);

// Opens a device, which the caller owns. Fails as backend::open_device_in_worker() or backend::open_device() does.
WATTUNE_EXPORT Result<std::unique_ptr<backend::Device>> open_device(const std::string& selector,
                                                                    const DriverHost& where = {});

// The strategy of a run and its stop rule.
struct WATTUNE_EXPORT Plan {
  // The origin of the stop rule; `none` if nothing but the space limits the search.
  enum class Limit { none, user, spec, standard };

  std::string strategy;
  search::StopRule stop;
  Limit limit = Limit::none;
};

// Makes the plan from the user's choice, the spec and the size of the space. Any rule in `wanted` replaces the spec's
// budget; `strategy`, if not empty, replaces the spec's. Without either, small spaces are searched exhaustively and
// large ones for five minutes.
WATTUNE_EXPORT Plan make_plan(const KernelSpec& spec, const space::SearchSpace& space, const std::string& strategy = {},
                              const search::StopRule& wanted = {});

// Makes a measuring policy with these options.
using MakePolicy = std::function<std::unique_ptr<measure::MeasurePolicy>(const measure::SamplingOptions&)>;

// The treatment of a spec's clock and power parameters: they are set on the board, or left out of the search, which
// then runs at the board's present settings.
enum class Clocks { set, current };

// Recorded results that answer in the place of a device.
struct WATTUNE_EXPORT Replay {
  ResultSet results;
  Identity identity;  // identity of these results
};

// Results of an earlier run, and the name that errors about them give, such as their file's.
struct WATTUNE_EXPORT EarlierResults {
  std::string name;
  ResultSet results;
};

// All options of a run. The session keeps the value as a whole, and the evaluators get `evaluation`.
struct WATTUNE_EXPORT SessionOptions {
  // The device as a user names it ("auto", "cuda:0", part of a name), or several of one model ("cuda:0,cuda:2",
  // "cuda:all"). With a replay it is the name of the recorded results.
  std::string device = "auto";
  std::optional<Replay> replay = {};

  std::string strategy = {};  // strategy; if empty, make_plan() chooses it, and also the stop rule if none is set
  std::map<std::string, double> strategy_parameters = {};
  std::vector<EarlierResults> earlier = {};  // results for other devices or problem sizes, to learn from
  // A method instead of a strategy: a procedure for energy (search/method.h), which decides the objective and has
  // energy observed. The method uses the session's seed, budget, start and constraints. If empty, no method is used.
  std::string method = {};
  search::MethodOptions method_options = {};
  std::vector<MeasuredKernel> others = {};  // other kernels of the board, from which the method `advised` learns
  std::uint64_t seed = 1;
  search::StopRule stop;
  space::BuildOptions building = {};
  // Constraints by functions, beside those of the spec. Their descriptions are part of the space's content_hash(), and
  // follow the spec's constraints in RunInfo.
  std::vector<space::Predicate> predicates = {};

  MakePolicy policy = measure::make_gated;  // function that makes one policy for each device
  measure::SamplingOptions sampling;
  Clocks clocks = Clocks::set;
  EvaluatorOptions evaluation;         // options of the evaluators, except the compilers, which are the session's
  measure::ShootOutOptions shoot_out;  // options of the final; the warm-up is that of `sampling`

  std::optional<std::uint64_t> compile_processes = {};  // nullopt for the machine's default; 0 if the devices compile
  std::optional<std::uint64_t> compile_ahead = {};      // proposals to compile ahead; nullopt for a suitable number
  std::shared_ptr<backend::ImageCache> compile_cache = {};
};

// Returns the spec without its clock and power parameters and without the constraints that name them. Fails with
// invalid_argument if the spec has no other parameters.
WATTUNE_EXPORT Result<KernelSpec> without_clocks(KernelSpec spec);

// Returns how many processes compile ahead with these options.
WATTUNE_EXPORT std::size_t compile_processes(const SessionOptions& options);

// A planned search, which has no devices yet: everything that is decided before one is opened. open() takes it.
struct WATTUNE_EXPORT TuningTask {
  KernelSpec spec;  // the spec, without clock parameters if options.clocks leaves them out
  space::SearchSpace space;
  Plan plan;
  SessionOptions options;
  std::string architecture = {};  // architecture of the board; empty until open() knows it
  // A strategy of `space`, or the error that open() returns. Errors are those of search::make_strategy() and
  // make_method(), or that a slowdown limit suits no objective. The error is kept here instead of returned, so that a
  // program still has the plan and can tell which strategy failed.
  Result<std::unique_ptr<search::Strategy>> strategy{nullptr};
};

// Plans a search: builds the space, chooses strategy and stop rule, and makes the strategy. In a replay, a spec without
// file and parameters stands for the recorded configurations. Fails with errors of the stop rule, of the sampling
// options and of the space, and as without_clocks() and priors_from().
WATTUNE_EXPORT Result<std::unique_ptr<TuningTask>> plan_search(KernelSpec spec, SessionOptions options = {});

// Returns the prior that each of these results gives a search of `space` for the objective of `spec`. Fails with
// mismatch if the parameters differ or no configuration is in the space. Fails with invalid_argument if no recorded
// configuration is correct, and as Recording::with_objectives() if the objective needs figures that are not recorded.
WATTUNE_EXPORT Result<std::vector<std::vector<search::PriorObjective>>> priors_from(std::vector<EarlierResults> earlier,
                                                                                    const KernelSpec& spec,
                                                                                    const space::SearchSpace& space);

// The devices, evaluators and strategy of one run.
class WATTUNE_EXPORT TuningSession {
 public:
  struct Parts;
  explicit TuningSession(std::unique_ptr<Parts> parts);
  ~TuningSession();

  const KernelSpec& spec() const;  // the spec; its source is in the devices' language
  const space::SearchSpace& space() const;
  const Plan& plan() const;
  search::Strategy& strategy() const;
  // Returns the one device, or several of one model.
  const std::vector<DeviceInfo>& devices() const;
  // Returns one evaluator for each device, for callers that drive a Search of their own.
  std::vector<Evaluator*> evaluators() const;
  // Returns the hardware counters that are observed only because the strategy reads them.
  const std::vector<std::string>& added_counters() const;
  // Returns the recording that takes the place of a device; nullptr if there is none.
  const Recording* recording() const;
  // Returns the description of this run, for the head of its journal and of its results.
  RunInfo describe() const;
  // Returns the description of a run that continues an earlier one. Fails as adopt_former_reference() does.
  Result<RunInfo> describe(const RunInfo& earlier) const;
  // Returns the function that finds earlier results in this space. Fails as tune::placement() does.
  Result<Placement> placement() const { return tune::placement(spec(), space()); }

  // Runs the search. Call it once. `resumed` and the sink are those of tune(), and so are the errors; `cancel` and
  // `spent` are those of TuningOptions.
  Result<TuningResult> run(TrialSink& sink, TuningObserver& observer, const std::vector<Trial>& resumed = {},
                           const std::atomic<bool>* cancel = nullptr, Nanoseconds spent = {});
  // Runs the search and returns the result without recording the Trials.
  Result<TuningResult> run();

 private:
  std::unique_ptr<Parts> parts_;
};

// Opens the devices that options.device names, all at the same time, and computes the reference. Fails with mismatch if
// the devices are of several models; otherwise with errors of the spec, with that of the strategy, and as
// find_devices_for() and make_evaluator(). A replay opens no device, and fails as Recording::match() and
// with_objectives(). Fails with cancelled soon after any thread has set `cancel`, whatever runs or is compiled then:
// all workers end. In this process (DriverHost) a reference kernel or a compiler that runs is waited for.
WATTUNE_EXPORT Result<std::unique_ptr<TuningSession>> open(std::unique_ptr<TuningTask> task,
                                                           const std::atomic<bool>* cancel = nullptr);
// Plans a search and opens its session, with the errors of plan_search() and of the open() above. `cancel` also ends
// the building of the space.
WATTUNE_EXPORT Result<std::unique_ptr<TuningSession>> open(KernelSpec spec, SessionOptions options = {},
                                                           const std::atomic<bool>* cancel = nullptr);

}  // namespace wattune::tune
