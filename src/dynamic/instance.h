// Instance: one kernel at one key: what its calls run, and its tuning.
//
// Any thread. A call that has nothing to try or to time takes the steady way, which locks nothing. All others take the
// instance's lock to decide, and send what was decided without it.
#pragma once

#include <atomic>
#include <deque>
#include <limits>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "dynamic/amortisation.h"
#include "dynamic/hopes.h"
#include "dynamic/pairing.h"
#include "dynamic/shadow.h"
#include "dynamic/surroundings.h"
#include "wattune/dynamic/tunable_kernel.h"

namespace wattune::dynamic {

struct Call {
  const CallStream& stream;
  std::span<const CallArgument> arguments;
  Mode mode;
};

class Instance {
 public:
  // What it refers to outlives it.
  Instance(std::shared_ptr<const Problem> problem, KernelParts& kernel, Surroundings& around);
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
  ~Instance();

  const Key& key() const { return problem_->key; }
  // What the call of this number runs in this mode without asking further; nullptr: it takes call(). The variant lives
  // as long as this.
  Variant* steady(Mode mode, std::uint64_t number) {
    Variant* const best = best_.load(std::memory_order_acquire);
    if (best == nullptr || mode == Mode::explore) return nullptr;
    if (mode == Mode::best) return best;
    const double until = resting_until_.load(std::memory_order_relaxed);
    if (until == kForGood) return best_is_due(number) ? nullptr : best;
    return around_.now().value() < until ? best : nullptr;
  }
  // About how long a launch takes; 0: unknown.
  Nanoseconds expected() const { return Nanoseconds(expected_.load(std::memory_order_relaxed)); }
  // As TunableKernel::call(). The arguments are of the right types.
  Result<void> call(const Call& call);
  // The call again, with another than the steady one, of which a launch was refused.
  Result<void> call_again(const Call& call, const Variant& failed, Error error);
  // Compiles and loads what it begins with, unless something is ready; blocks.
  Result<void> preload();
  // The same beside the application, in gaps; then tuning begins, if it may. About so many calls come from here on; 0:
  // nobody knows.
  void expect(std::uint64_t calls, bool may_tune);

  // Has what tuning found so far compiled and loaded, as calls do. false: it is called, so that those do.
  bool want_ahead();

  // Puts the best known in the place of this launch in a graph, if that was one of the key's, whose calls pass what
  // `is_mine` says so of. false: it was none.
  Result<bool> replace(const CallStream& stream, const backend::GraphLaunch& launch, CUgraphExec_st* executable,
                       const std::function<bool(std::span<const CallArgument>)>& is_mine);
  // Compiles, loads and runs this from here on, which was measured beside the calls: blocks. The key is tuned.
  Result<void> adopt(const Trial& best);
  void retune();
  std::optional<Configuration> best() const;
  void report(KernelReport& report) const;
  // The number of this call.
  std::uint64_t count_call() { return calls_.fetch_add(1, std::memory_order_relaxed); }

 private:
  static constexpr double kForGood = std::numeric_limits<double>::infinity();
  // Of a best that nothing is compared with any more one call in so many is timed.
  bool best_is_due(std::uint64_t number) {
    if (!drift_.due(number, [this] { return around_.now(); })) return false;
    due_.store(true, std::memory_order_relaxed);
    return true;
  }

  // Calls (instance.cc). `lock` is held, and let go before anything is sent.
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
  // Tuning (instance_tuning.cc); the lock is held but by `loaded`.
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
  // What a key may begin with, the likeliest first, and how far its compilers are.
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
  std::atomic<double> resting_until_ = 0.0;  // on the tuner's clock: nothing is to be tried or looked at before
  std::atomic<double> expected_ = 0.0;
  std::atomic<bool> due_ = false;  // the next call is timed
  std::atomic<std::uint64_t> calls_ = 0;
  std::atomic<std::uint64_t> fallbacks_ = 0;
  std::mutex beginning_;  // held by the call that compiles what the key begins with; guards the next two, before mutex_
  std::shared_ptr<Variant> generic_;
  bool asked_for_generic_ = false;

  mutable std::mutex mutex_;  // guards what follows
  Pairing pairing_;
  Drift drift_;  // due() needs no lock
  Hopes hopes_;  // to begin with
  std::optional<Error> last_failure_;
  TuningOccasion occasion_;
  bool is_tuned_;                       // the best known is what a search came to
  std::unique_ptr<Explorer> explorer_;  // while it is tuned
  std::optional<Observation> times_of_best_;
  std::optional<std::pair<ConfigurationId, Nanoseconds>> beginning_with_;  // once it was timed
  std::uint64_t counted_calls_ = 0;                                        // whose time and savings are counted
  Nanoseconds calls_took_;                                                 // of the device
  std::uint64_t told_calls_ = 0;  // that the application expects, with those before it said so; 0: it said nothing
  Nanoseconds told_run_;          // what they take of the device, as the ledger was told
  Nanoseconds wants_at_;          // on the tuner's clock: not before
  bool expects_explorer_ = false;
  std::optional<std::uint64_t> heard_;               // the explorer's news()
  bool awaits_code_ = false;                         // of a candidate, which is not compiled or has no place
  std::vector<Configuration> expected_code_;         // of which the compilers were told
  std::set<ConfigurationId> requested_;              // at the loader, or loaded and not decided about
  std::set<ConfigurationId> failed_;                 // compile, launch, outputs: never used again
  std::deque<TriedReport> tried_;                    // the last few, as they were requested
  std::vector<std::shared_ptr<Variant>> published_;  // calls may be sending any of them
  std::unique_ptr<Shadow> shadow_;                   // as long as this, once it is there
  std::vector<FailedReport> failures_;               // of the explorers before, and of calls
  std::uint64_t wrong_results_ = 0;
  std::string state_ = "not tuned";    // while it is not
  std::uint64_t explored_before_ = 0;  // by explorers that are over
  std::uint64_t failed_before_ = 0;
  Nanoseconds blocked_;
  bool begins_ = false;   // what it begins with is at the loader
  bool hurried_ = false;  // that, too
  bool tunes_ahead_ = false;
  bool told_of_no_times_ = false;
  bool told_of_too_long_ = false;
};

}  // namespace wattune::dynamic
