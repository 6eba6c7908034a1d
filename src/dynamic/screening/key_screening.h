// KeyScreening: the search for one key's best configurations in the screening process.
//
// The key's explorer and the screening thread share this object, and either of them may end first. The screening thread
// calls run() or refuse(). Any thread may call the other functions at any time, and none of them waits.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "dynamic/screening/random_contents.h"
#include "dynamic/screening/screening_allowance.h"
#include "dynamic/tuning/explorer.h"
#include "dynamic/tuning/key_search.h"
#include "dynamic/tuning/lookahead.h"
#include "dynamic/tuning/trial_gain.h"
#include "wattune/backend/compile_pool.h"
#include "wattune/backend/worker.h"
#include "wattune/core/trial.h"
#include "wattune/dynamic/statistics.h"
#include "wattune/tune/evaluator.h"
#include "wattune/tune/search.h"

namespace wattune::inline v0_1::dynamic {

// The device on which a key is screened, and the objects that are needed for that.
struct ScreeningPlace {
  backend::Device& device;
  measure::MeasurePolicy& policy;      // shared by all keys, since it learns about the device
  std::uint64_t most_memory = 0;       // largest number of bytes of the device that may be taken
  backend::WorkerOptions worker = {};  // options of the worker that computes references on the host
  std::function<Nanoseconds()> now;    // the tuner's clock
  std::stop_token stop = {};           // if a stop is requested, the search stops before the next step
  // Function that returns the largest gain of one more step among the other keys that are worth running. It returns a
  // negative time if there is no such key.
  std::function<Nanoseconds()> others;
  backend::CompilePool* pool = nullptr;                // compiles for the device; nullptr if the device compiles
  std::size_t compile_ahead = 1;                       // largest number of configurations compiled ahead
  std::optional<StepCost>* steps;                      // cost of the steps of all keys
  RandomContents* contents;                            // shared by all keys
  std::function<void(std::uint64_t bytes)> make_room;  // called before this many bytes are allocated
  std::function<void(const std::string& line)> note = [](const std::string&) {};
};

using CompileTargetOf = std::function<Result<backend::CompileTarget>(const KernelSource&)>;

// Makes the policy that decides how often configurations run on a device of this kind.
std::unique_ptr<measure::MeasurePolicy> make_screening_policy(DeviceKind kind);

// Returns the correct Trials that may be as good as the best (tune::may_be_as_good()), whose outputs were therefore
// compared. There are at most five; the best is first.
std::vector<Trial> finalists(const std::vector<Trial>& trials);
// Returns the finalists, followed by other trials that were the best when they were measured, the latest first. The
// first trial of the search is not among these other trials. They are included because the best configuration on
// smaller data may not be the best in calls. The outputs of all returned trials were compared.
std::vector<Trial> finalists_on_smaller_data(const std::vector<Trial>& trials);

class KeyScreening {
 public:
  struct State {
    bool over = false;
    bool complete = false;  // true if the search has come to its end
    bool left = false;      // true if the search ended because the key was not called for a long time
    std::uint64_t explored = 0;
    std::uint64_t failed = 0;
    std::string words = "waits to be screened";
  };

  // Function that takes the best configuration and its time whenever run() ends, unless data were reduced. The thread
  // that calls run() calls this function. `complete` is true if the search has come to its end.
  using Found = std::function<void(const Trial& best, bool complete)>;

  // Takes the search of a key. The stall budget must outlive run(). `found` may be empty. `gains` are the gains of all
  // keys of the kernel.
  KeyScreening(std::shared_ptr<const Problem> problem, KeySearch search, StallBudget& stall_budget, Found found = {},
               std::shared_ptr<SharedGains> gains = {});

  const Problem& problem() const { return *problem_; }
  // Begins to compile the reference, if it is a kernel, while other keys are screened. It must be called before run().
  // The pool must outlive this object.
  void expect_reference(backend::CompilePool& pool, const CompileTargetOf& target_of);
  // Runs the search until it is over or cancelled, until it has not paid for a long time, or until another key is worth
  // more. Another call continues the search. Makes the evaluator if there is none. The caller may keep the evaluator
  // for the next call.
  //
  // An Error ends the search, which keeps its results so far. The Error states why nothing can be evaluated. It is
  // device_lost if the device is lost for good. Only one thread may call this function and the next four.
  Result<void> run(const ScreeningPlace& place, std::unique_ptr<tune::Evaluator>& evaluator);
  // Returns the bytes of the device's memory that the key's data take. Returns 0 if the search has not begun.
  std::uint64_t memory() const { return memory_; }
  // True if the search has no steps left to run. Ends the search if the key was not called for a long time.
  bool is_over(Nanoseconds now);
  // Returns the time that one more step is expected to save. Returns 0 if the key is not called any more.
  Nanoseconds trial_gain(Nanoseconds now);
  // True if the key is called and its next step promises more gain than `cost`. False while the search waits for a
  // compiler. `is_set_up` tells whether the key's evaluator was kept.
  bool is_worth_running(Nanoseconds cost, bool is_set_up) const;
  // Returns the reason why the search pauses, if a step of this cost has not paid for a long time. Returns nullopt
  // otherwise, or if the reason was returned before.
  std::optional<std::string> take_reason_to_rest(Nanoseconds now, Nanoseconds cost);
  // Ends the search before it runs, for this reason.
  void refuse(const Error& why);
  // Cancels the search, because its result is not needed any more.
  void cancel() { cancelled_.store(true); }
  bool cancelled() const { return cancelled_.load(); }
  // Notes that the key was called.
  void note_call() { calls_.fetch_add(1, std::memory_order_relaxed); }
  // The next functions do the same as the functions of the same names in Explorer.

  void note_calls(Nanoseconds time) {
    is_expected_.store(false, std::memory_order_relaxed);
    trial_gain_.note_calls(time);
  }
  void expect_calls(Nanoseconds time) {
    is_expected_.store(true, std::memory_order_relaxed);
    trial_gain_.note_calls(time);
  }
  // Takes the time in calls of the best known configuration, with which the search begins.
  void note_time(Nanoseconds of_best_known);

  State state() const;
  // Returns the failures among the screened configurations.
  std::vector<FailedReport> failures() const;
  // Returns a number that changes whenever state() or best_few() changes.
  std::uint64_t news() const { return news_.load(); }
  // Returns the configurations that may be as good as the best so far, the best first. Calls decide between
  // configurations whose times differ by less than 5 %, since screening uses few samples and possibly much smaller
  // data.
  std::vector<Candidate> best_few() const;

 private:
  class Trials : public TrialSink {
   public:
    Result<void> add(const Trial& trial) override {
      all.push_back(trial);
      return {};
    }
    std::vector<Trial> all;
  };

  Result<void> search_on(const ScreeningPlace& place, std::unique_ptr<tune::Evaluator>& evaluator);
  Result<std::unique_ptr<tune::Evaluator>> set_up(const ScreeningPlace& place, ScreeningAllowance& allowance);
  void expect_while_others_run(Nanoseconds now);
  bool waits_for_reference() const;
  bool needs_default() const;
  Configuration standard() const { return problem_->space.configuration(problem_->space.default_configuration()); }
  std::vector<Configuration> awaited() const;
  Result<void> check_verified(const tune::Evaluator& evaluator, const ScreeningPlace& place);
  void note_poor(const ScreeningPlace& place, Nanoseconds waited, Nanoseconds cost);
  bool waits_for_next() const;
  bool is_compiled(const Configuration& configuration) const;
  void take_compiled();
  std::size_t ahead(const ScreeningPlace& place) const;
  bool wait_while(bool (KeyScreening::*waits)() const, const ScreeningPlace& place);
  Result<void> begin(const ScreeningPlace& place);
  Result<void> evaluate_all(tune::Evaluator& evaluator, const ScreeningPlace& place, ScreeningAllowance& allowance);
  Result<KernelSpec> spec_for(const ScreeningPlace& place);
  void publish();
  void tell_found(bool complete);
  // How a search ended: by an error or a cancellation, at its end, or because the key was not called.
  enum class End { early, complete, left };
  void end(const std::string& words, End how = End::early);
  Nanoseconds since_last_call(Nanoseconds now);
  bool stops(const ScreeningPlace& place, Nanoseconds cost);
  bool pays(Nanoseconds cost) const { return trial_gain_.of_one_more() > cost; }
  bool yields(const ScreeningPlace& place, Nanoseconds cost);
  bool rests(Nanoseconds now, Nanoseconds cost);
  std::vector<Trial> worth_calls() const;
  void keep(const std::vector<Trial>& best);
  std::optional<double> scale() const;
  void note_scale();

  const std::shared_ptr<const Problem> problem_;
  const KeySearch search_;
  StallBudget& stall_budget_;
  const Found found_;
  std::atomic<bool> cancelled_ = false;
  std::atomic<bool> is_expected_ = false;  // true if the key is expected but was not called yet
  std::atomic<std::uint64_t> calls_ = 0;
  std::atomic<std::uint64_t> news_ = 0;
  TrialGain trial_gain_;
  std::optional<backend::PooledSource> reference_compilers_;
  // The members down to `mutex_` belong to the screening thread. The first six are set once the search has begun.
  std::optional<KernelSpec> spec_;
  std::uint64_t memory_ = 0;
  std::unique_ptr<backend::PooledSource> compilers_;  // nullptr if the device compiles
  std::optional<tune::Search> under_way_;
  std::optional<Lookahead> lookahead_;
  std::optional<Configuration> next_;
  Trials trials_;
  tune::TuningObserver nobody_;
  std::uint64_t seen_calls_ = 0;
  std::optional<Nanoseconds> last_call_;
  std::optional<Nanoseconds> last_paid_;  // time since which no step has paid; nullopt while a step pays
  bool was_set_up_ = false;
  bool told_of_rest_ = false;

  mutable std::mutex mutex_;  // guards the members below
  State state_;
  bool was_reduced_ = false;         // true if screening uses smaller data
  std::vector<Candidate> best_few_;  // the best configurations, with their screened times
  std::vector<FailedReport> failures_;
  std::size_t published_ = 0;            // number of trials that failures_ covers
  std::optional<Nanoseconds> first_;     // screened time of the configuration that was the best known at first
  std::optional<Nanoseconds> in_place_;  // time of that configuration in calls
};

}  // namespace wattune::dynamic
