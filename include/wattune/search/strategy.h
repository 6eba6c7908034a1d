// Strategy: proposes configurations and learns from their Trials (ask/tell). make_strategy() makes one by its name,
// with StrategyOptions. CompileFeatures tell a strategy what compiling a configuration showed, before it runs.
// register_strategy() adds an application's own.
//
// The loop asks for up to n ids and tells each outcome, including failures; it may ask for several before it tells the
// first. A strategy never proposes an id twice, nor one whose outcome it was told without asking (resumed Trials). A
// strategy has ended when it proposes nothing although no outcome is outstanding. The space must outlive the strategy.
// Only one thread at a time may use it. Equal seeds and equal outcomes give equal proposals on every machine.
//
//   auto strategy = make_strategy("greedy_ils", space, {.seed = 7});
//   for (auto id : (*strategy)->ask(1)) (*strategy)->tell(id, measure(id));
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "wattune/core/export.h"
#include "wattune/core/observation.h"
#include "wattune/core/parameter.h"
#include "wattune/core/result.h"
#include "wattune/search/stop_rule.h"
#include "wattune/space/search_space.h"

namespace wattune::inline v0_1::search {

// An objective that was measured elsewhere, on another device or size. Only the ratios between such objectives count.
struct WATTUNE_EXPORT PriorObjective {
  ConfigurationId id = 0;
  double objective = 0.0;            // positive objective, as for Strategy::do_learn()
  std::vector<Metric> metrics = {};  // metrics for `profile`, which reads hardware counters
};

// The options of a strategy: plain values, which the strategy copies.
struct WATTUNE_EXPORT StrategyOptions {
  std::uint64_t seed = 1;
  // The configuration to start from, proposed first. A configuration outside the space is ignored.
  std::optional<ConfigurationId> start = {};
  // The user's objectives, for strategies of several objectives. With fewer than two objectives, such strategies
  // minimise the objective that tell() gives.
  std::vector<Objective> objectives;
  // Results of earlier runs, with a list for each run. Strategies with a model can start from them.
  std::vector<std::vector<PriorObjective>> prior;
  // Parameters of the strategy by name, as `wattune tune --strategy-option NAME=VALUE` gives them.
  std::map<std::string, double> parameters;
};

// The properties of a configuration that are known once it is compiled, before it runs.
struct WATTUNE_EXPORT CompileFeatures {
  bool runs = true;             // false if it cannot be compiled, or if no device of this kind can launch its kernels
  std::vector<Metric> metrics;  // named as in resource_names(), as far as the compiler reports them
};

// A hash of ids for unordered containers.
struct WATTUNE_EXPORT IdHash {
  std::size_t operator()(ConfigurationId id) const {
    return static_cast<std::size_t>(id) ^ static_cast<std::size_t>(id >> 64);
  }
};

class Permutation;

// A search strategy on one space.
class WATTUNE_EXPORT Strategy {
 public:
  virtual ~Strategy();

  // Returns up to n new ids; fewer, or none, if the space is exhausted or the strategy waits for outcomes.
  std::vector<ConfigurationId> ask(std::size_t n);
  // Takes the progress of the run, before ask(). Strategies that divide the run's limits among steps need it.
  virtual void see(const Progress& /*progress*/) {}
  // Returns work that makes the next ask() quick; an empty function if there is none. The caller runs the work while an
  // evaluation is in flight, on any thread, before any other call. After its first call, the caller must run all work
  // that this function returns.
  virtual std::function<void()> pending_work() { return {}; }
  // Takes the outcome of an id, asked for or not. Smaller objectives are better; failures have none. If the first
  // objective told is negative, that of a metric to be maximised, a later one of 0 or above counts as a failure.
  void tell(ConfigurationId id, const Observation& observation);

  // Returns the ids that the strategy may propose next, the most promising first, so that the caller can compile them
  // and call foresee() before ask() chooses. Returns nothing if the strategy makes no use of compile features.
  virtual std::vector<ConfigurationId> prospects() { return {}; }
  // Returns how many of this number of prospects must be compiled before ask() chooses.
  virtual std::size_t least_foreseen(std::size_t prospects) const { return prospects - prospects / 2; }
  // Takes the compile features of an id that was not proposed. An id that does not run counts as visited and is never
  // proposed.
  void foresee(ConfigurationId id, const CompileFeatures& features);

  const space::SearchSpace& space() const { return space_; }
  // Returns one line for the user on how the search went; empty if there is nothing to say.
  virtual std::string remark() const { return {}; }
  // Returns the configuration that the strategy has chosen so far by a rule of its own (method.h); nullopt if its
  // answer is simply the best.
  virtual std::optional<ConfigurationId> chosen() const { return std::nullopt; }

 protected:
  Strategy(const space::SearchSpace& space, const StrategyOptions& options);

  // Returns the next id that is not visited(); nullopt if there is none.
  virtual std::optional<ConfigurationId> do_propose() = 0;
  // Learns the outcome of an id. `objective` is positive, since that of a metric to be maximised was inverted. It is
  // empty for a failed configuration.
  virtual void do_learn(ConfigurationId id, std::optional<double> objective) = 0;
  // Reads the whole observation, for strategies that need more than the objective. The function is called before
  // do_learn(), except for failed configurations.
  virtual void do_read(ConfigurationId, const Observation&) {}
  virtual void do_foresee(ConfigurationId, const CompileFeatures&) {}

  // Returns the costs of a configuration whose outcome was told: one number for each of two or more objectives, where
  // less is better. Returns nullptr with fewer objectives, for a failure, or if a number was not recorded.
  const std::vector<double>* costs(ConfigurationId id) const;
  bool several_objectives() const { return objectives_.size() >= 2; }

  // True if the id was proposed or told already.
  bool visited(ConfigurationId id) const { return visited_.contains(id); }
  // Draws an id that is not visited, uniformly; nullopt if the space is exhausted. If the space is not exact(), also
  // returns nullopt if a bounded number of steps finds none. Needs no memory for the ids.
  std::optional<ConfigurationId> draw_unvisited();
  Random& random() { return random_; }
  // Returns the configuration to start from, if any; ask() has proposed it before the first do_propose().
  const std::optional<ConfigurationId>& start() const { return start_; }

 private:
  std::optional<ConfigurationId> next_proposal();
  std::optional<ConfigurationId> sample_unvisited();
  std::optional<double> usable_objective(const Observation& observation);

  const space::SearchSpace& space_;
  Random random_;
  std::optional<ConfigurationId> start_;
  std::unordered_set<ConfigurationId, IdHash> visited_;
  std::optional<bool> negative_;  // true if objectives are negative; nullopt before the first one
  std::vector<Objective> objectives_;
  std::unordered_map<ConfigurationId, std::vector<double>, IdHash> costs_;  // empty with fewer than two objectives
  std::unique_ptr<Permutation> order_;  // an order of all ids, along which draw_unvisited() walks
  ConfigurationId drawn_ = 0;           // the place in `order_` that the walk has reached
};

// A parameter of a strategy, for --help and for checking the user's values.
struct WATTUNE_EXPORT StrategyParameter {
  std::string name;
  double default_value = 0.0;
  double minimum = 0.0;
  double maximum = std::numeric_limits<double>::infinity();
  std::string description;
  bool whole = false;  // accepts only whole numbers
};

// A description of a strategy, as it is shown in lists.
struct WATTUNE_EXPORT StrategyInfo {
  std::string name;
  std::string description;  // description in one line, with the source of the method
  std::vector<StrategyParameter> parameters;
  bool takes_prior = false;     // uses StrategyOptions::prior
  bool reads_counters = false;  // needs profiled_counters(); searches at random without them
  // True if the strategy finds less when it is asked for several ids at once, because it proposes ids before it knows
  // the outcomes of others. Other learning strategies propose an id only after they were told the outcomes on which it
  // depends.
  bool hurt_by_asking_ahead = false;
};

// Returns the hardware counters of CUPTI, with their sub-metrics, that `profile` looks for among the metrics of an
// Observation. Returns one name for each counter, though profilers have several names for one. NVIDIA's GPUs from
// Turing on have all these counters.
WATTUNE_EXPORT std::vector<std::string> profiled_counters();

// Returns every strategy, in the order to show them; registered ones come last. Any thread may call this function and
// those that follow.
WATTUNE_EXPORT std::vector<StrategyInfo> strategies();
// Returns the strategy of this name, for as long as the program runs; nullptr if there is none.
WATTUNE_EXPORT const StrategyInfo* find_strategy(std::string_view name);

// Makes a strategy for a space. The options hold a checked value for every parameter of the strategy's StrategyInfo.
using StrategyFactory = std::function<std::unique_ptr<Strategy>(const space::SearchSpace&, const StrategyOptions&)>;

// Registers a strategy of one's own in this process. From then on make_strategy(), tune::open() and scores take it by
// its name. Fails with invalid_argument if the name or the function is empty, and with already_exists if the name is
// taken.
WATTUNE_EXPORT Result<void> register_strategy(StrategyInfo info, StrategyFactory make);

// Makes the strategy of this name. Fails with not_found (and the nearest name) if the strategy, or one of
// options.parameters, does not exist. Fails with invalid_argument if a value is out of its range, if a strategy without
// a model gets a prior, or if the prior of `profile` has no hardware counters.
WATTUNE_EXPORT Result<std::unique_ptr<Strategy>> make_strategy(const std::string& name, const space::SearchSpace& space,
                                                               const StrategyOptions& options = {});

}  // namespace wattune::search
