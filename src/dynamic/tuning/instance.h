// Instance: one kernel at one key. It decides which configuration a call runs, and tunes the key.
//
// Any thread may call. A call that has nothing to try or to time takes the steady way, which takes no lock. All others
// take the instance's lock to decide, and send the launch without it.
#pragma once

#include <atomic>
#include <deque>
#include <limits>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "dynamic/calls/surroundings.h"
#include "dynamic/tuning/amortisation.h"
#include "dynamic/tuning/pairing.h"
#include "dynamic/tuning/shadow.h"
#include "dynamic/tuning/starting_candidates.h"
#include "wattune/dynamic/tunable_kernel.h"

namespace wattune::inline v0_1::dynamic {

struct Call {
  const CallStream& stream;
  std::span<const CallArgument> arguments;
  Mode mode;
};

class Instance {
 public:
  // Takes references to objects that must outlive it.
  Instance(std::shared_ptr<const Problem> problem, KernelParts& kernel, Surroundings& around);
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
  ~Instance();

  const Key& key() const { return problem_->key; }
  // Returns the variant that this call runs without further questions; nullptr if it must take call(). `number` is that
  // of the call. The variant lives as long as this object.
  Variant* steady(Mode mode, std::uint64_t number) {
    Variant* const best = best_.load(std::memory_order_acquire);
    if (best == nullptr || mode == Mode::explore) return nullptr;
    if (mode == Mode::best) return best;
    const double until = resting_until_.load(std::memory_order_relaxed);
    if (until == kForGood) return best_is_due(number) ? nullptr : best;
    return around_.now().value() < until ? best : nullptr;
  }
  // Returns about how long a launch takes; 0 if unknown.
  Nanoseconds expected() const { return Nanoseconds(expected_.load(std::memory_order_relaxed)); }
  // Runs a call as TunableKernel::call() does. Precondition: the arguments have the right types.
  Result<void> call(const Call& call);
  // Repeats a call after a launch of the steady variant was refused, with another variant.
  Result<void> call_again(const Call& call, const Variant& failed, Error error);
  // Compiles and loads the first configuration, unless one is ready. Blocks.
  Result<void> preload();
  // Does the same in the background, in gaps. Tuning then begins, if it may. `calls` is the expected number of calls
  // from here on, 0 if unknown.
  void expect(std::uint64_t calls, bool may_tune);

  // Has the candidates that tuning found so far compiled and loaded. Returns false if the key is called, since its
  // calls then do that.
  bool want_ahead();

  // Replaces this launch in a graph by the best known, if it was one of this key. `is_mine` tells whether arguments
  // belong to the key. Returns false if the launch was none of the key's.
  Result<bool> replace(const CallStream& stream, const backend::GraphLaunch& launch, CUgraphExec_st* executable,
                       const std::function<bool(std::span<const CallArgument>)>& is_mine);
  // Compiles and loads the configuration, which was measured beside the calls, and runs it from here on. Blocks. The
  // key then counts as tuned.
  Result<void> adopt(const Trial& best);
  void retune();
  std::optional<Configuration> best() const;
  void report(KernelReport& report) const;
  // Returns the number of this call and counts it.
  std::uint64_t count_call() { return calls_.fetch_add(1, std::memory_order_relaxed); }

 private:
  static constexpr double kForGood = std::numeric_limits<double>::infinity();
  // True if this call is to be timed. One call in so many is, once the best has nothing left to be compared with.
  bool best_is_due(std::uint64_t number) {
    if (!drift_.due(number, [this] { return around_.now(); })) return false;
    due_.store(true, std::memory_order_relaxed);
    return true;
  }

  // Calls (instance.cc). `lock` is held, and released before anything is sent.

  Result<void> send(std::unique_lock<std::mutex> lock, const Call& call, bool capturing, bool may_time);
  Result<void> run_best(std::unique_lock<std::mutex> lock, const Call& call);
  Result<void> watch_best(std::unique_lock<std::mutex> lock, const Call& call);
  Result<void> take_turn(std::unique_lock<std::mutex> lock, const Call& call);
  Result<void> run_turn(const Turn& turn, const Call& call);
  Result<void> without_best(std::unique_lock<std::mutex> lock, const Call& call, bool capturing);
  std::shared_ptr<Variant> generic(bool capturing);
  Result<std::shared_ptr<Variant>> make_generic();
  bool keeps_times(const backend::Stream& stream);
  bool is_idle(const CallStream& stream) const;
  Result<void> begin_now();
  Result<void> try_to_begin(const Configuration& configuration);
  void fail_best(const std::shared_ptr<Variant>& failed, const Error& error);
  Result<void> repeat(std::unique_lock<std::mutex> lock, const Call& call, const std::shared_ptr<Variant>& failed,
                      Error error);
  // Shadowed calls (instance_shadowed.cc).

  Result<void> take_shadowed_turn(std::unique_lock<std::mutex> lock, const Call& call);
  Result<void> run_shadowed(const Turn& candidate, const Turn& best, const Call& call);
  void tell(const Turn& candidate, const Turn& best, ShadowedCall call);
  Result<void> begin_shadow();
  void end_shadowing(const Error& why);
  // Tuning (instance_tuning.cc). The lock is held, except in `loaded` functions, which take it.

  void look(Mode mode);
  void count_calls();
  bool is_occasion();
  Nanoseconds outlook() const;
  void begin_tuning();
  void begin_beside();
  void expect_explorer();
  void begin_ahead();
  void begin_for_calls();
  void begin_with_loaded();
  void look_for_drift();
  void note_too_long();
  void want();
  void expect_candidates(const std::vector<Candidate>& wanted);
  void expect_code(std::vector<Configuration> configurations, bool urgently = false);
  void refuse_failed();
  void request(const Candidate& candidate);
  void note_failure(const Configuration& configuration, const Observation& observation);
  std::vector<FailedReport> failures() const;
  void keep_offer(const Candidate& candidate);
  void keep_decision(const Configuration& configuration, const Observation& observation, bool better);
  // The candidates to begin a key with, the likeliest first, and the progress of their compilation.
  struct Beginning {
    std::vector<Configuration> likeliest;
    Nanoseconds asked;
    std::optional<Nanoseconds> first_ready = {};
  };
  void request_first(std::vector<Configuration> likeliest);
  const Configuration* choose(Beginning& beginning) const;
  Result<std::shared_ptr<Variant>> load(const Configuration& configuration);
  void take_first(const Configuration& configuration, Result<std::shared_ptr<Variant>> variant);
  void take_loaded(const Candidate& candidate, Result<std::shared_ptr<Variant>> variant);
  void take_outcome(Outcome outcome);
  void publish(std::shared_ptr<Variant> best);
  void remember(const Observation& observation, Measured measured = Measured::in_place);
  void retire(std::shared_ptr<Variant> variant);
  void end_tuning();
  void rest();
  void rest_a_while();

  const std::shared_ptr<const Problem> problem_;
  KernelParts& kernel_;
  Surroundings& around_;
  std::atomic<Variant*> best_ = nullptr;
  std::atomic<double> resting_until_ = 0.0;  // on the tuner's clock: nothing is tried or looked at before
  std::atomic<double> expected_ = 0.0;
  std::atomic<bool> due_ = false;  // true if the next call is timed
  std::atomic<std::uint64_t> calls_ = 0;
  std::atomic<std::uint64_t> fallbacks_ = 0;
  std::mutex beginning_;  // held to compile the first configuration; guards the next two; taken before mutex_
  std::shared_ptr<Variant> generic_;
  bool asked_for_generic_ = false;

  mutable std::mutex mutex_;  // guards the members below
  Pairing pairing_;
  Drift drift_;                             // due() needs no lock
  StartingCandidates starting_candidates_;  // to begin with
  std::optional<Error> last_failure_;
  TuningOccasion occasion_;
  bool is_tuned_;                       // true if the best known is the result of a search
  std::unique_ptr<Explorer> explorer_;  // exists while the key is tuned
  std::optional<Observation> times_of_best_;
  std::optional<std::pair<ConfigurationId, Nanoseconds>> beginning_with_;  // set once it was timed
  std::uint64_t counted_calls_ = 0;  // number of calls whose time and savings are counted
  Nanoseconds calls_took_;           // device time of these calls
  std::uint64_t told_calls_ = 0;     // number of expected calls, with those made before; 0 if unknown
  Nanoseconds told_run_;             // device time of these, as the stall_budget was told
  Nanoseconds wants_at_;             // on the tuner's clock: the earliest time to look again
  bool expects_explorer_ = false;
  std::optional<std::uint64_t> heard_;               // the explorer's news()
  bool awaits_code_ = false;                         // true if a candidate is not compiled yet or has no place
  std::vector<Configuration> expected_code_;         // configurations that the compilers were told of
  std::set<ConfigurationId> requested_;              // requested from the loader, or loaded and not decided
  std::set<ConfigurationId> failed_;                 // failed to compile, to launch or in outputs; never used again
  std::deque<TriedReport> tried_;                    // the last few, in the order of their requests
  std::vector<std::shared_ptr<Variant>> published_;  // all that calls may still be sending
  std::unique_ptr<Shadow> shadow_;                   // created once and kept as long as this
  std::vector<FailedReport> failures_;               // failures in calls, and of earlier explorers
  std::uint64_t wrong_results_ = 0;
  std::string state_ = "not tuned";    // text while it is not tuned
  std::uint64_t explored_before_ = 0;  // by earlier explorers
  std::uint64_t failed_before_ = 0;
  Nanoseconds blocked_;
  bool begins_ = false;   // true while the first configuration is at the loader
  bool hurried_ = false;  // true while that request is urgent
  bool tunes_ahead_ = false;
  bool told_of_no_times_ = false;
  bool told_of_too_long_ = false;
};

}  // namespace wattune::dynamic
