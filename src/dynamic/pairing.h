// Pairing: which of the next calls of one key run what, so that candidates are compared with the best known in place.
//
// Of one instance, under its lock; nothing here waits. Of each candidate as many rounds are under way as its duel
// lets; while its times have not come back, others have their turns, as an application may send many calls before the
// first has ended.
// What a call runs is asked before it is sent and told afterwards; times are collected in later calls, when they are
// there. Each exploring call is reserved in the ledger before. In Mode::explore each call runs a candidate that was not
// tried, and one time says what there is to say of it; those that may be as fast as the best known are compared with it
// later.
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

#include "dynamic/duel.h"
#include "dynamic/explorer.h"
#include "dynamic/ledger.h"
#include "dynamic/load_cost.h"
#include "dynamic/loader.h"
#include "dynamic/slowness.h"

namespace wattune::dynamic {

// What a call is to run.
struct Turn {
  std::shared_ptr<Variant> variant;
  bool timed = false;      // with send_timed(), and then told to sent()
  bool exploring = false;  // a candidate: not the best known
  bool exclusive = false;  // the caller waits for the device before and after
  bool first = false;      // of its variant
  std::uint64_t contest = 0;
  Nanoseconds reserved;  // in the ledger
};

// How it was sent.
struct Sending {
  bool others_busy = false;
  Nanoseconds took;    // the host, to send it: a first launch may wait there
  Nanoseconds waited;  // for the device, where the turn was exclusive; that the call was shadowed added so much
};

// What became of a configuration.
struct Outcome {
  Configuration configuration;
  Observation observation;
  bool better = false;                    // it is the best known from here on
  std::shared_ptr<Variant> retired = {};  // nobody is sent it any more: the one that lost, or that failed
};

class Pairing {
 public:
  // The ledger and the loader, which knows what a first launch costs, outlive it.
  Pairing(Ledger& ledger, Loader& loader, Measuring measuring, Safety safety = Safety::trusted)
      : ledger_(ledger), loader_(loader), measuring_(measuring), is_shadowed_(safety == Safety::shadowed) {}
  Pairing(const Pairing&) = delete;
  Pairing& operator=(const Pairing&) = delete;
  // What it had reserved is free again.
  ~Pairing();

  // What is the best known from here on, without being compared, as the first of a key is. Its first calls are timed;
  // then it is an outcome like any other. Gives back the one before.
  std::shared_ptr<Variant> set_best(std::shared_ptr<Variant> best);
  const std::shared_ptr<Variant>& best() const { return best_; }
  // The median of its last times in place.
  std::optional<Nanoseconds> best_time() const;
  // A candidate that is loaded; they are tried in their order.
  void add(Candidate candidate, std::shared_ptr<Variant> variant);
  // Gives back all candidates that were not decided about.
  std::vector<std::shared_ptr<Variant>> drop_candidates();

  // Whether a call has to ask and tell. false: it runs best().
  bool is_busy() const { return to_be_timed_ || !contests_.empty(); }
  // What the next call runs. In Mode::explore a candidate whatever the budget says, else the first launch of one waits
  // a while for an idle stream: it may wait for all that is queued. Precondition: there is a best().
  using IsIdle = std::function<bool()>;
  Turn next(
      Mode mode, Nanoseconds now, const IsIdle& idle = [] { return true; });
  // The other half of the round of which this turn is the first; where it is none, the best known, untimed.
  Turn other_half(const Turn& first, Mode mode, Nanoseconds now);
  // A timed turn was sent, or failed in that. Each that these gave has to be told.
  void sent(const Turn& turn, Result<TimedCall> call, const Sending& sending);
  // What became known since; of one configuration more than once, if it was tried in Mode::explore. Asks what is out
  // without waiting.
  std::vector<Outcome> collect();
  // A candidate's turn waits for the budget.
  bool waits_for_budget() const { return waits_for_budget_; }
  // And waits until the budget has gained as much, as it may stall for so long.
  std::optional<Prediction> stalls_too_long() const { return stalls_too_long_; }

 private:
  struct Contest {
    Candidate candidate;
    std::shared_ptr<Variant> variant;
    std::uint64_t number = 0;
    Duel duel = {};
    std::optional<Nanoseconds> reserved = {};  // for a turn that was not handed out yet
    std::optional<Error> failed = {};
    bool once = false;                            // its first launch is in Mode::explore
    std::optional<Nanoseconds> waits_since = {};  // for its stream
    bool put_off = false;                         // it may stall for too long: behind the others
    bool forgiven = false;                        // its worst time counts no more
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

  std::optional<Outcome> best_is_timed();
  std::optional<Outcome> decide(Contest& contest);
  Outcome decide_at_once(Contest& contest);
  void crown(Contest& contest, std::vector<Sample> times);
  void compare_anew(Contest& contest);
  void keep_the_fastest();

  Ledger& ledger_;
  Loader& loader_;
  const Measuring measuring_;
  const bool is_shadowed_;
  std::shared_ptr<Variant> best_;
  std::vector<Sample> times_of_best_;       // the last few
  std::optional<std::size_t> to_be_timed_;  // calls of a best that was not compared; none: it was told
  std::optional<Error> best_failed_;
  std::deque<Contest> contests_;  // in the order of their variants' coming; one without a variant is over
  std::uint64_t current_ = 0;     // who had a turn last
  std::uint64_t last_number_ = 0;
  std::vector<Out> out_;
  measure::Gate gate_;
  Slowness slowness_;
  RecentLargest waited_{is_shadowed_ ? nanoseconds_from_ms(1.0) : Nanoseconds()};
  RecentLargest first_launch_{Nanoseconds(20e3)};  // of the host, on an idle device
  bool waits_for_budget_ = false;
  std::optional<Prediction> stalls_too_long_;
  std::optional<Nanoseconds> too_long_since_;  // that is so
  double price_ = 1.0;                         // how many times as much the budget has to gain
};

}  // namespace wattune::dynamic
