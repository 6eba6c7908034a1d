// TuningSession: everything that tuning one spec takes, opened by one call: devices, the pool that compiles for them,
// measuring policies, evaluators, and a strategy with its stop rule. It owns them all. One thread at a time.
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

#include "wattune/backend/image_cache.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/trial.h"
#include "wattune/measure/policy.h"
#include "wattune/search/method.h"
#include "wattune/search/strategy.h"
#include "wattune/space/search_space.h"
#include "wattune/tune/devices.h"
#include "wattune/tune/plan.h"
#include "wattune/tune/replay.h"
#include "wattune/tune/tuning.h"

namespace wattune::tune {

using MakePolicy = std::function<std::unique_ptr<measure::MeasurePolicy>(const measure::SamplingOptions&)>;

// What becomes of the clock and power parameters of a spec: they are set on the board, or left out of the search, which
// then runs at what the board has.
enum class Clocks { set, current };

struct SessionOptions {
  // As a user names it: "auto", "cuda:0", part of a name; or several of one model: "cuda:0,cuda:2", "cuda:all".
  std::string device = "auto";
  DriverHost where;  // its worker's limits hold for compilers and a C++ reference too

  std::string strategy = {};  // empty: as make_plan() chooses, as the stop rule where none is set
  std::map<std::string, double> strategy_parameters = {};
  std::vector<std::vector<search::PriorObjective>> prior = {};  // prior_from()
  // In the place of a strategy: a procedure for energy (search/method.h), which decides what is searched for, and for
  // which energy is observed. Its seed, budget, start and constraints are those of the session. Empty: none.
  std::string method = {};
  search::MethodOptions method_options = {};
  std::uint64_t seed = 1;
  search::StopRule stop;

  MakePolicy policy = measure::make_gated;  // one for each device
  measure::SamplingOptions sampling;
  Clocks clocks = Clocks::set;
  EvaluatorOptions evaluation;         // but for its pool and its worker, which are the session's
  measure::ShootOutOptions shoot_out;  // its warm-up is that of `sampling`

  std::optional<std::uint64_t> compile_processes = {};  // none: as many as suit the machine; 0: the devices compile
  std::optional<std::uint64_t> compile_ahead = {};      // proposals; none: as suits the strategy and the processes
  std::shared_ptr<backend::ImageCache> compile_cache = {};
};

// The spec without those parameters and without the constraints that name them. invalid_argument: it has no others.
Result<KernelSpec> without_clocks(KernelSpec spec);

// How many processes compile ahead with these options.
std::size_t compile_processes(const SessionOptions& options);

// A search that has no devices yet.
struct PlannedSearch {
  KernelSpec spec;
  space::SearchSpace space;
  Plan plan;
  std::unique_ptr<search::Strategy> strategy = {};  // of the space above
  search::MethodOptions method_options = {};        // where that is a method
};

// `clocks` must have been seen to: it decides the space. Errors of the rules, and of search::make_strategy().
Result<std::unique_ptr<PlannedSearch>> plan_search(KernelSpec spec, space::SearchSpace space,
                                                   const SessionOptions& options = {});

// What earlier results say to a search of `space` for the objective of `spec`. mismatch: other parameters, or none of
// the configurations is in the space. As Recording::with_objectives() where the objective needs what is not recorded.
Result<std::vector<search::PriorObjective>> prior_from(ResultSet results, const KernelSpec& spec,
                                                       const space::SearchSpace& space);

class TuningSession {
 public:
  struct Parts;
  explicit TuningSession(std::unique_ptr<Parts> parts);
  ~TuningSession();

  const KernelSpec& spec() const;  // with its source in the devices' language
  const space::SearchSpace& space() const;
  const Plan& plan() const;
  search::Strategy& strategy() const;
  // One, or several of one model.
  const std::vector<DeviceInfo>& devices() const;
  // One for each device, for those who drive a Search of their own.
  std::vector<Evaluator*> evaluators() const;
  // Hardware counters that the strategy reads, which are observed though nobody asked for them.
  const std::vector<std::string>& added_counters() const;
  // In the place of a device; nullptr: there is none.
  const Recording* recording() const;
  // What the results are about.
  RunInfo describe() const;

  // Once. `resumed` and the sink are as of tune(); `cancel` as of TuningOptions.
  Result<TuningResult> run(TrialSink& sink, TuningObserver& observer, const std::vector<Trial>& resumed = {},
                           const std::atomic<bool>* cancel = nullptr, Nanoseconds spent = {});
  // Keeps nothing but the result.
  Result<TuningResult> run();

 private:
  std::unique_ptr<Parts> parts_;
};

// Opens what options.device names, all devices at the same time, and computes the reference. mismatch: the devices are
// of several models. Otherwise errors of the spec, of plan_search(), find_devices_for() and make_evaluator().
Result<std::unique_ptr<TuningSession>> open(KernelSpec spec, const SessionOptions& options = {});
Result<std::unique_ptr<TuningSession>> open(std::unique_ptr<PlannedSearch> search, const SessionOptions& options = {});
// Recorded results in the place of devices; `recording` is what identifies them. Errors of Recording::match() and
// with_objectives().
Result<std::unique_ptr<TuningSession>> open_recording(std::unique_ptr<PlannedSearch> search, ResultSet recorded,
                                                      Identity recording, const SessionOptions& options = {});

}  // namespace wattune::tune
