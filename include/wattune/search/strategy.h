// Strategy: proposes configurations and learns from their Trials (ask/tell).
//
// The loop asks for up to n ids and tells each outcome, failures included; several may be asked before the first is
// told. A strategy never proposes an id twice, nor one it was told of without asking (resumed Trials). It ends by
// proposing nothing although nothing is outstanding. The space outlives it. One thread at a time. Equal seeds and
// equal outcomes give equal proposals on every machine.
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

#include "wattune/core/objective.h"
#include "wattune/core/observation.h"
#include "wattune/core/result.h"
#include "wattune/search/compile_features.h"
#include "wattune/search/stop_rule.h"
#include "wattune/search/strategy_options.h"
#include "wattune/space/search_space.h"

namespace wattune::search {

struct IdHash {
  std::size_t operator()(ConfigurationId id) const {
    return static_cast<std::size_t>(id) ^ static_cast<std::size_t>(id >> 64);
  }
};

class Permutation;

class Strategy {
 public:
  virtual ~Strategy();

  // Up to n new ids. Fewer, or none, when the space is exhausted or the strategy waits for outcomes.
  std::vector<ConfigurationId> ask(std::size_t n);
  // How far the run has come, before it is asked: for those that share its limits among steps.
  virtual void see(const Progress& /*progress*/) {}
  // What it had better do while that is evaluated, on any thread but before anything else is called, so that the next
  // ask() is quick; empty: nothing. Whoever asks for it once does all of it from then on.
  virtual std::function<void()> pending_work() { return {}; }
  // The outcome of an id, asked for or not. Smaller objectives are better; failures have none. Where the first one told
  // is negative, a metric that is to be large, one of 0 and above counts as a failure.
  void tell(ConfigurationId id, const Observation& observation);

  // What it may propose next, the most promising first, for somebody to compile and to foresee() before ask() chooses.
  // Empty: it makes no use of that.
  virtual std::vector<ConfigurationId> prospects() { return {}; }
  // What is known of one that was not proposed. What does not run never is, as if it had been.
  void foresee(ConfigurationId id, const CompileFeatures& features);

  const space::SearchSpace& space() const { return space_; }
  // What the user should know of how the search went, one line; empty: nothing.
  virtual std::string remark() const { return {}; }
  // What it has settled on so far, where that is its own decision (method.h); none: the best is what it was after.
  virtual std::optional<ConfigurationId> chosen() const { return std::nullopt; }

 protected:
  Strategy(const space::SearchSpace& space, const StrategyOptions& options);

  // The next id that is not visited(), or none.
  virtual std::optional<ConfigurationId> do_propose() = 0;
  // `objective` is positive, of a metric that is to be large its inverse; empty for a failed configuration.
  virtual void do_learn(ConfigurationId id, std::optional<double> objective) = 0;
  // Before do_learn(), for a strategy that reads more than the objective. Not called for failed configurations.
  virtual void do_read(ConfigurationId, const Observation&) {}
  virtual void do_foresee(ConfigurationId, const CompileFeatures&) {}

  // With two objectives or more: a number for each of a configuration that was told of, less being better; nullptr for
  // a failure, or where one was not recorded.
  const std::vector<double>* costs(ConfigurationId id) const;
  bool several_objectives() const { return objectives_.size() >= 2; }

  // Proposed or told already.
  bool visited(ConfigurationId id) const { return visited_.contains(id); }
  // A uniformly drawn id that is not visited; none when the space is exhausted, or where it is not exact() and counted
  // steps show none. Takes no memory.
  std::optional<ConfigurationId> draw_unvisited();
  Random& random() { return random_; }
  // The configuration to start from, if any; ask() has proposed it before the first do_propose().
  const std::optional<ConfigurationId>& start() const { return start_; }

 private:
  std::optional<ConfigurationId> next_proposal();
  std::optional<ConfigurationId> sample_unvisited();
  std::optional<double> usable_objective(const Observation& observation);

  const space::SearchSpace& space_;
  Random random_;
  std::optional<ConfigurationId> start_;
  std::unordered_set<ConfigurationId, IdHash> visited_;
  std::optional<bool> negative_;  // the objectives, once one is known
  std::vector<Objective> objectives_;
  std::unordered_map<ConfigurationId, std::vector<double>, IdHash> costs_;  // empty with fewer than two objectives
  std::unique_ptr<Permutation> order_;  // of all ids; draw_unvisited() walks along it
  ConfigurationId drawn_ = 0;           // how far
};

// A parameter of a strategy, for --help and for checking what the user passes.
struct StrategyParameter {
  std::string name;
  double default_value = 0.0;
  double minimum = 0.0;
  double maximum = std::numeric_limits<double>::infinity();
  std::string description;
  bool whole = false;  // only whole numbers
};

struct StrategyInfo {
  std::string name;
  std::string description;  // one line, with the source of the method
  std::vector<StrategyParameter> parameters;
  bool takes_prior = false;     // StrategyOptions::prior
  bool reads_counters = false;  // profiled_counters(), without which it searches at random
  // Asked for several ids it proposes some before it was told of the others, and so learns later; all that learn and
  // are not hurt so hand out nothing before its time.
  bool hurt_by_asking_ahead = false;
};

// The hardware counters of CUPTI, with their sub-metrics, that `profile` looks for among the metrics of an Observation:
// one name for each, of which profilers have several. NVIDIA's GPUs from Turing on have them all.
std::vector<std::string> profiled_counters();

// Every strategy, in the order to show them. Lives as long as the program, as what find_strategy() points to.
const std::vector<StrategyInfo>& strategies();
// The one of this name; nullptr: there is none.
const StrategyInfo* find_strategy(std::string_view name);

// not_found (with the nearest name), for the strategy and for each of options.parameters; invalid_argument: a value
// out of its range, a prior for a strategy without a model, or one without hardware counters for `profile`.
Result<std::unique_ptr<Strategy>> make_strategy(const std::string& name, const space::SearchSpace& space,
                                                const StrategyOptions& options = {});

}  // namespace wattune::search
