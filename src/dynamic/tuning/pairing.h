// Pairing: decides which configuration each of the next calls of a key runs, so that candidates are compared with the
// best known configuration in the application itself.
//
// The object belongs to one instance and is used under the instance's lock. No function waits. Each candidate has as
// many rounds in flight as its duel allows. Until the times of these rounds are known, other candidates have their
// turns, since an application may send many calls before the first has ended.
//
// A caller asks which variant to run before it sends a call, and reports afterwards. Times are collected in later
// calls, when they are available. The stall of each exploring call is first reserved in the stall budget. In
// Mode::explore, each call runs a candidate that was not tried yet, and a single time decides about it. Candidates that
// may be as fast as the best known are compared with it later.
//
//   if (pairing.is_busy()) turn = pairing.next(mode, now);         // else the best known, and nothing to tell
//   pairing.sent(turn, turn.variant->send_timed(stream, arguments), {.others_busy = loader.others_busy(stream)});
//   for (const Outcome& outcome : pairing.collect()) explorer.tell(outcome.configuration, outcome.observation);
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "dynamic/loading/load_cost.h"
#include "dynamic/loading/loader.h"
#include "dynamic/tuning/duel.h"
#include "dynamic/tuning/explorer.h"
#include "dynamic/tuning/slowness.h"
#include "dynamic/tuning/stall_budget.h"

namespace wattune::inline v0_1::dynamic {

// The variant that a call is to run, and the way in which it runs.
struct Turn {
  std::shared_ptr<Variant> variant;
  bool timed = false;      // send it with send_timed(), then report it to sent()
  bool exploring = false;  // true for a candidate, false for the best known configuration
  bool exclusive = false;  // true to wait for the device before and after the call
  bool first = false;      // true for the first launch of its variant
  std::uint64_t contest = 0;
  Nanoseconds reserved;  // time reserved in the stall budget for this turn
};

// The observations while the launch of one call was sent to the device.
struct Sending {
  bool others_busy = false;
  Nanoseconds took;    // host time of sending; a first launch may wait while it is sent
  Nanoseconds waited;  // time of waiting for the device if exclusive; added time if shadowed
};

// The result of a comparison of a configuration with the best known one.
struct Outcome {
  Configuration configuration;
  Observation observation;
  bool better = false;                    // true if it is the best known configuration from now on
  std::shared_ptr<Variant> retired = {};  // the variant that lost or failed; calls do not send it any more
};

class Pairing {
 public:
  // Takes the stall budget, and the loader, which knows the cost of a first launch. Both must outlive this object.
  Pairing(StallBudget& stall_budget, Loader& loader, Measuring measuring, Safety safety = Safety::trusted)
      : stall_budget_(stall_budget), loader_(loader), measuring_(measuring), is_shadowed_(safety == Safety::shadowed) {}
  Pairing(const Pairing&) = delete;
  Pairing& operator=(const Pairing&) = delete;
  // Releases all reservations.
  ~Pairing();

  // Sets the best known variant without a comparison, for instance the first variant of a key. Its first calls are
  // timed, and then collect() returns an outcome for it. Returns the variant that was the best known before.
  std::shared_ptr<Variant> set_best(std::shared_ptr<Variant> best);
  const std::shared_ptr<Variant>& best() const { return best_; }
  // Returns the median of the last times that the best known configuration took in calls.
  std::optional<Nanoseconds> best_time() const;
  // Adds a loaded candidate. Candidates are tried in the order of their addition.
  void add(Candidate candidate, std::shared_ptr<Variant> variant);
  // Removes all undecided candidates and returns them.
  std::vector<std::shared_ptr<Variant>> drop_candidates();

  // True if a call must use next() and sent(). Otherwise the call runs best().
  bool is_busy() const { return to_be_timed_ || !contests_.empty(); }
  // Returns what the next call runs. In Mode::explore this is a candidate, whatever the budget. In other modes, the
  // first launch of a candidate is put off for a while until a stream is idle, since it may have to wait for all queued
  // work. Precondition: there is a best().
  using IsIdle = std::function<bool()>;
  Turn next(
      Mode mode, Nanoseconds now, const IsIdle& idle = [] { return true; });
  // Returns the other turn of the round that the turn `first` begins. If `first` begins no round, returns a turn of the
  // best known configuration that is not timed.
  Turn other_half(const Turn& first, Mode mode, Nanoseconds now);
  // Reports that a timed turn was sent, or failed to be sent. Each timed turn must be reported. A call of the best
  // known that failed for another reason than its launch is timed again.
  void sent(const Turn& turn, Result<TimedCall> call, const Sending& sending);
  // Returns the decisions that were made since the last call, without waiting. A configuration that was tried in
  // Mode::explore may occur more than once.
  std::vector<Outcome> collect();
  // True if a candidate's turn waits for the budget.
  bool waits_for_budget() const { return waits_for_budget_; }
  // Returns the predicted stall of a candidate that waits, because that stall may be too long for one call.
  std::optional<Prediction> stalls_too_long() const { return stalls_too_long_; }

 private:
  struct Contest {
    Candidate candidate;
    std::shared_ptr<Variant> variant;
    std::uint64_t number = 0;
    Duel duel = {};
    std::optional<Nanoseconds> reserved = {};  // reserved for a turn that was not given to a call yet
    std::optional<Error> failed = {};
    bool once = false;                            // true if its first launch was in Mode::explore
    std::optional<Nanoseconds> waits_since = {};  // time at which it began to wait for an idle stream
    bool put_off = false;                         // true if it may stall for too long; then others come first
    bool forgiven = false;                        // true if its worst time does not count any more
  };
  struct Out {
    TimedCall call;
    Turn turn;
    Sending sending;
  };

  Contest* untried();
  std::vector<Contest*> in_order();
  Contest* find(std::uint64_t number);
  Turn next_of_best(Mode mode);
  Turn next_of(Contest& contest, Mode mode, Nanoseconds now);
  static bool may_launch(Contest& contest, Nanoseconds now, const IsIdle& idle);
  bool afford(Contest& contest, Mode mode, Nanoseconds now);
  void put_off(Contest& contest, const Prediction& prediction, Nanoseconds now);
  Prediction predict(const Contest& contest) const;
  Nanoseconds besides(const Variant& variant) const;
  Turn timed(const std::shared_ptr<Variant>& variant, std::uint64_t contest) const;

  bool take_if_ready(const Out& out);
  void take(const Out& out, Nanoseconds time);
  void take_of_candidate(const Out& out, const Sample& sample);
  void take_of_best(const Sample& sample);
  void fail(const Turn& turn, const Error& error);
  void fail_of_best(const Error& error);

  std::optional<Outcome> best_is_timed();
  std::optional<Outcome> decide(Contest& contest);
  Outcome decide_at_once(Contest& contest);
  void crown(Contest& contest, std::vector<Sample> times);
  void compare_anew(Contest& contest);
  void begin_anew(Contest& contest);
  void keep_the_fastest();

  StallBudget& stall_budget_;
  Loader& loader_;
  const Measuring measuring_;
  const bool is_shadowed_;
  std::shared_ptr<Variant> best_;
  std::vector<Sample> times_of_best_;       // the last few times of the best known configuration
  std::optional<std::size_t> to_be_timed_;  // number of timed calls that a new best configuration still needs, if any
  std::optional<Error> best_failed_;
  std::deque<Contest> contests_;  // in the order in which candidates were added; over if without a variant
  std::uint64_t current_ = 0;     // the contest that had the last turn
  std::uint64_t last_number_ = 0;
  std::vector<Out> out_;
  measure::Gate gate_;
  Slowness slowness_;
  RecentLargest waited_{is_shadowed_ ? nanoseconds_from_ms(1.0) : Nanoseconds()};
  RecentLargest first_launch_{Nanoseconds(20e3)};  // host time of a first launch while the device is idle
  bool waits_for_budget_ = false;
  std::optional<Prediction> stalls_too_long_;
  std::optional<Nanoseconds> too_long_since_;  // time since which candidates have stalled for too long
  double price_ = 1.0;                         // factor by which the budget must gain more before the next try
};

}  // namespace wattune::dynamic
