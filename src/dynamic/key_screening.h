// KeyScreening: the search for one key's best configurations in the screening process.
//
// Its explorer and the thread that screens share it; each outlives the other, or not. Whoever screens calls run() or
// refuse() once; all else any thread calls at any time, and nothing of that waits.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "dynamic/explorer.h"
#include "dynamic/key_search.h"
#include "dynamic/lookahead.h"
#include "dynamic/random_contents.h"
#include "dynamic/screening_allowance.h"
#include "dynamic/worth.h"
#include "wattune/backend/compile_pool.h"
#include "wattune/backend/worker.h"
#include "wattune/core/trial.h"
#include "wattune/dynamic/statistics.h"
#include "wattune/tune/evaluator.h"
#include "wattune/tune/search.h"

namespace wattune::dynamic {

// Where it is screened.
struct ScreeningPlace {
  backend::Device& device;
  measure::MeasurePolicy& policy;      // of all keys: what it learns of the device is no key's
  std::uint64_t most_memory = 0;       // bytes of the device that may be taken
  backend::WorkerOptions worker = {};  // of a reference on the host
  std::function<Nanoseconds()> now;    // the tuner's clock
  std::stop_token stop = {};           // no further step is begun
  // What one more step is worth at most of the keys that are worth running; less than nothing: there is none.
  std::function<Nanoseconds()> others;
  backend::CompilePool* pool = nullptr;                // compiles for it; nullptr: the device does
  std::size_t compile_ahead = 1;                       // of what the strategy proposes, at most
  std::optional<RecentMean>* steps;                    // what those of all keys took of the device
  RandomContents* contents;                            // of all keys
  std::function<void(std::uint64_t bytes)> make_room;  // called before so many bytes of the device are taken
  std::function<void(const std::string& line)> note = [](const std::string&) {};
};

using CompileTargetOf = std::function<Result<backend::CompileTarget>(const KernelSource&)>;

// How often they run on such a device.
std::unique_ptr<measure::MeasurePolicy> make_screening_policy(DeviceKind kind);

// Those of the correct Trials that may be as good as the best (tune::may_be_as_good()): their outputs were compared. At
// most five, the best first.
std::vector<Trial> finalists(const std::vector<Trial>& trials);
// These, and then what was the best of its time, but for the first trial, the later the sooner: on smaller data another
// may be the best than in calls, and the outputs of each of these were compared as well.
std::vector<Trial> finalists_on_smaller_data(const std::vector<Trial>& trials);

class KeyScreening {
 public:
  struct State {
    bool over = false;
    bool complete = false;  // over because the search came to its end
    bool left = false;      // over because the key was not called for long
    std::uint64_t explored = 0;
    std::uint64_t failed = 0;
    std::string words = "waits to be screened";
  };

  // Called with the best configuration and its time, unless that is of reduced data, by whoever calls run(), whenever
  // that ends; `complete`: the search came to its end.
  using Found = std::function<void(const Trial& best, bool complete)>;

  // The ledger outlives run(). `found` may be empty. `gains` of the kernel's keys.
  KeyScreening(std::shared_ptr<const Problem> problem, KeySearch search, Ledger& ledger, Found found = {},
               std::shared_ptr<SharedGains> gains = {});

  const Problem& problem() const { return *problem_; }
  // Its reference is compiled from here on, if that is a kernel, while others are screened. Before run(); the pool
  // outlives it.
  void expect_reference(backend::CompilePool& pool, const CompileTargetOf& target_of);
  // Until the search is over, was cancelled, does not pay for long, or another key is worth more: then it goes on when
  // this is called again. An Error ends it with what it found before: why nothing can be evaluated, device_lost when
  // the device is gone for good. The evaluator is set up where there is none; whoever keeps it for the next time saves
  // that. Of one thread, as the next four.
  Result<void> run(const ScreeningPlace& place, std::unique_ptr<tune::Evaluator>& evaluator);
  // Bytes of the device's memory that its data take; 0: it has not begun.
  std::uint64_t memory() const { return memory_; }
  // Nothing of it is left to run; what was not called for long ends here.
  bool is_over(Nanoseconds now);
  // What one more step is worth: nothing, where the key is not called any more.
  Nanoseconds worth(Nanoseconds now);
  // Whether it is worth running, where a step costs so much and the key is called: not while it waits for a compiler.
  // `is_set_up`: its evaluator was kept.
  bool is_worth_running(Nanoseconds cost, bool is_set_up) const;
  // Once, why it waits, where a step that costs so much has not paid for long; else nothing.
  std::optional<std::string> take_reason_to_rest(Nanoseconds now, Nanoseconds cost);
  // It will not be run.
  void refuse(const Error& why);
  // Nobody wants to know any more.
  void cancel() { cancelled_.store(true); }
  bool cancelled() const { return cancelled_.load(); }
  // The key is called.
  void note_call() { calls_.fetch_add(1, std::memory_order_relaxed); }
  // As those of Explorer.
  void note_calls(Nanoseconds time) {
    is_expected_.store(false, std::memory_order_relaxed);
    worth_.note_calls(time);
  }
  void expect_calls(Nanoseconds time) {
    is_expected_.store(true, std::memory_order_relaxed);
    worth_.note_calls(time);
  }
  // What the best known, with which the search begins, takes in calls.
  void note_time(Nanoseconds of_best_known);

  State state() const;
  // Returns those of the configurations that were screened.
  std::vector<FailedReport> failures() const;
  // Another number whenever state() or best_few() is another than before.
  std::uint64_t news() const { return news_.load(); }
  // Those that may be as good as the best so far, the best first: what takes 5 % longer or less on data that are
  // smaller by far, or in a few samples, is told apart in calls.
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
  void end(const std::string& words, bool complete = false);
  Nanoseconds since_last_call(Nanoseconds now);
  bool stops(const ScreeningPlace& place, Nanoseconds cost);
  bool pays(Nanoseconds cost) const { return worth_.of_one_more() > cost; }
  bool yields(const ScreeningPlace& place, Nanoseconds cost);
  bool rests(Nanoseconds now, Nanoseconds cost);
  std::vector<Trial> worth_calls() const;
  void keep(const std::vector<Trial>& best);
  std::optional<double> scale() const;
  void note_scale();

  const std::shared_ptr<const Problem> problem_;
  const KeySearch search_;
  Ledger& ledger_;
  const Found found_;
  std::atomic<bool> cancelled_ = false;
  std::atomic<bool> is_expected_ = false;  // not called yet
  std::atomic<std::uint64_t> calls_ = 0;
  std::atomic<std::uint64_t> news_ = 0;
  Worth worth_;
  std::optional<backend::PooledSource> reference_compilers_;
  // Of the thread that screens; the first six once it has begun.
  std::optional<KernelSpec> spec_;
  std::uint64_t memory_ = 0;
  std::unique_ptr<backend::PooledSource> compilers_;  // nullptr: the device compiles
  std::optional<tune::Search> under_way_;
  std::optional<Lookahead> lookahead_;
  std::optional<Configuration> next_;
  Trials trials_;
  tune::TuningObserver nobody_;
  std::uint64_t seen_calls_ = 0;
  std::optional<Nanoseconds> last_call_;
  std::optional<Nanoseconds> last_paid_;  // nothing: it does
  bool was_set_up_ = false;
  bool told_of_rest_ = false;

  mutable std::mutex mutex_;  // guards what follows
  State state_;
  bool was_reduced_ = false;         // what is screened runs on smaller data
  std::vector<Candidate> best_few_;  // with their times as they were screened
  std::vector<FailedReport> failures_;
  std::size_t published_ = 0;            // trials, of which failures_ knows
  std::optional<Nanoseconds> first_;     // of the best known, as it was screened
  std::optional<Nanoseconds> in_place_;  // of the best known, in calls
};

}  // namespace wattune::dynamic
