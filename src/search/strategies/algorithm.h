// Algorithm: a strategy whose code reads like the published description of its algorithm.
//
// The body is a coroutine that awaits outcomes where it needs them; Algorithm turns it into ask/tell. An awaited
// configuration is proposed unless its outcome is known. A known outcome is answered at once, without a measurement;
// one that is being measured is waited for. Configurations that are awaited together are proposed together, so that
// they can be compiled at the same time.
//
//   Task<> search() override {
//     auto here = starting_point();
//     if (!here) co_return;
//     const Outcome outcome = co_await evaluate(*here);
//
// A body that returns is started again. A body is also started again if it got kMostIdleAnswers known outcomes in a row
// without proposing anything (a population that has converged). The body's state is in its coroutine frame, so a
// restart forgets all of it. If a whole body passes without a proposal, the next one is drawn at random; if nothing is
// left to draw, the strategy has ended. For a procedure with an end of its own (begins_anew()) neither happens: it ends
// with its body.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "search/strategies/task.h"
#include "wattune/search/strategy.h"

namespace wattune::inline v0_1::search {

// An objective; nullopt for a failed configuration.
using Outcome = std::optional<double>;

// A configuration that worked, with its objective.
struct Point {
  ConfigurationId id = 0;
  double objective = 0.0;
};

// Returns the objective for comparisons; a failure is worse than any time.
inline double cost(const Outcome& outcome) { return outcome.value_or(std::numeric_limits<double>::infinity()); }

// True if `a` is better; any objective beats a failure.
inline bool better(const Outcome& a, const Outcome& b) { return a && (!b || *a < *b); }

class Algorithm : public Strategy {
 public:
  static constexpr std::size_t kMostIdleAnswers = 500;

  // Makes a strategy. `options.parameters` holds a checked value for every parameter of the strategy (registry.cc).
  Algorithm(const space::SearchSpace& space, const StrategyOptions& options)
      : Strategy(space, options), parameters_(options.parameters) {}
  ~Algorithm() override;

 protected:
  class Evaluation;
  class Evaluations;
  class Submission;

  // Returns the value of one of the strategy's parameters.
  double option(const char* name) const { return parameters_.at(name); }
  std::size_t count_option(const char* name) const { return static_cast<std::size_t>(option(name)); }

  // Runs the search. The body awaits only results of the functions below and other Tasks of this object.
  virtual Task<> search() = 0;
  // True if search() begins again when it has ended, or when it got known outcomes for long without proposing anything.
  virtual bool begins_anew() const { return true; }
  // Takes the outcome of every configuration, asked for or not, before search() continues.
  virtual void do_observe(ConfigurationId, const Outcome&) {}

  // Evaluates a configuration: co_await evaluate(id) gives its Outcome.
  Evaluation evaluate(ConfigurationId id);
  // Evaluates several configurations: co_await evaluate_all(ids) gives their Outcomes in the same order.
  Evaluations evaluate_all(std::vector<ConfigurationId> ids);
  // Submits a configuration: co_await submit(id) continues when the next proposal is wanted, which may be before the
  // outcome is known.
  Submission submit(ConfigurationId id);

  // Returns the best configuration so far, including those of earlier runs.
  const std::optional<Point>& best() const { return best_; }
  // Returns a configuration to begin from: at first the best known one or the start configuration, later an unvisited
  // one. Returns nullopt if all are visited.
  std::optional<ConfigurationId> starting_point();
  // Returns starting_point() and unvisited configurations spread over the space: n, or as many as are left.
  std::vector<ConfigurationId> starting_points(std::size_t n);

 private:
  std::optional<ConfigurationId> do_propose() final;
  void do_learn(ConfigurationId id, std::optional<double> objective) final;

  bool known(ConfigurationId id) const { return outcomes_.contains(id); }
  bool answer_at_once(std::span<const ConfigurationId> ids);
  void require(ConfigurationId id);
  bool waits() const { return stalled_ || !queue_.empty() || !awaited_.empty(); }
  bool advance();
  void begin();

  std::map<std::string, double> parameters_;
  std::unordered_map<ConfigurationId, Outcome, IdHash> outcomes_;
  std::optional<Point> best_;
  std::deque<ConfigurationId> queue_;                    // configurations that wait to be proposed
  std::unordered_set<ConfigurationId, IdHash> awaited_;  // configurations whose outcomes the body awaits
  std::size_t answered_ = 0;                             // number of known outcomes that were answered in a row
  bool stalled_ = false;                                 // true if these were too many
  bool fruitful_ = true;                                 // true if the body has proposed something
  bool begun_ = false;                                   // true after the first call of starting_point()
  bool entered_ = false;                                 // true after the body has begun to run
  FrameStack frames_;
  Task<> body_;
};

class [[nodiscard]] Algorithm::Evaluation {
 public:
  bool await_ready() { return algorithm_.answer_at_once({&id_, 1}); }
  void await_suspend(std::coroutine_handle<>) { algorithm_.require(id_); }
  Outcome await_resume() { return algorithm_.outcomes_.at(id_); }

 private:
  friend class Algorithm;
  Evaluation(Algorithm& algorithm, ConfigurationId id) : algorithm_(algorithm), id_(id) {}

  Algorithm& algorithm_;
  ConfigurationId id_;
};

class [[nodiscard]] Algorithm::Evaluations {
 public:
  bool await_ready() { return algorithm_.answer_at_once(ids_); }
  void await_suspend(std::coroutine_handle<>) {
    for (const ConfigurationId id : ids_) algorithm_.require(id);
  }
  std::vector<Outcome> await_resume();

 private:
  friend class Algorithm;
  Evaluations(Algorithm& algorithm, std::vector<ConfigurationId> ids) : algorithm_(algorithm), ids_(std::move(ids)) {}

  Algorithm& algorithm_;
  std::vector<ConfigurationId> ids_;
};

class [[nodiscard]] Algorithm::Submission {
 public:
  bool await_ready() { return algorithm_.visited(id_) && algorithm_.answer_at_once({}); }
  void await_suspend(std::coroutine_handle<>) { algorithm_.queue_.push_back(id_); }
  void await_resume() {}

 private:
  friend class Algorithm;
  Submission(Algorithm& algorithm, ConfigurationId id) : algorithm_(algorithm), id_(id) {}

  Algorithm& algorithm_;
  ConfigurationId id_;
};

inline Algorithm::Evaluation Algorithm::evaluate(ConfigurationId id) { return {*this, id}; }
inline Algorithm::Evaluations Algorithm::evaluate_all(std::vector<ConfigurationId> ids) {
  return {*this, std::move(ids)};
}
inline Algorithm::Submission Algorithm::submit(ConfigurationId id) { return {*this, id}; }

}  // namespace wattune::search
