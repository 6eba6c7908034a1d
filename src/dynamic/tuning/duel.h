// Duel: runs a candidate and the best known in turns, in the application's calls, until one of them is shown to be
// better.
//
// It launches nothing: the caller asks whose turn it is and reports the times. The first launch of the candidate stands
// alone. It finds neither code nor data in caches, so it only shows whether the candidate is clearly slower. Rounds in
// which each runs once follow, A B B A A B B A, so that drift and the cache contents left by a predecessor affect both
// alike.
//
// One round is in flight at a time, so that a candidate about to be dropped has no second turn in flight. While the
// candidate is no slower, which costs nothing, eight are in flight, since an application may send many calls before the
// first has ended. Times of each must be reported in their order. One thread at a time may use it.
//
//   while (duel.verdict() == Duel::Verdict::open)
//     if (const auto who = duel.turn()) duel.take(*who, run(*who), false);
#pragma once

#include <array>
#include <deque>
#include <optional>
#include <vector>

#include "measure/interface/gate.h"
#include "wattune/measure/policy.h"

namespace wattune::inline v0_1::dynamic {

// Returns the longest time at which a candidate may still be as fast as the best known.
Nanoseconds limit_of(const Statistics& best, const measure::Gate& gate);

class Duel {
 public:
  enum Who : std::size_t { best, candidate };
  enum class Verdict {
    open,
    better,  // the candidate is better, round by round, with 95 %
    no       // the candidate is worse, or not worth more calls
  };

  Duel() = default;
  // Begins with a candidate that was launched before.
  explicit Duel(const Sample& first_launch) : first_(first_launch) {}

  // Returns whose turn it is; nullopt while too many earlier turns have not been reported.
  std::optional<Who> turn() const;
  // True if the next turn begins a round. The budget is asked only before such turns.
  bool begins_round() const { return handed_[best] == handed_[candidate]; }
  void hand_out(Who who) { ++handed_[who]; }

  // Takes the time of a turn, and whether other streams were busy. `best` and `gate` tell the time of the best known
  // and its spread.
  void take(Who who, const Sample& sample, bool others_busy, const Statistics& best, const measure::Gate& gate);
  // Notes that a turn gave no time.
  void take_nothing(Who who);

  // Ends the duel: the candidate is not worth more calls.
  void give_up() { verdict_ = Verdict::no; }

  Verdict verdict() const { return verdict_; }
  const std::optional<Sample>& first_launch() const { return first_; }
  // Returns the candidate's times: those of its rounds, or that of its first launch.
  std::vector<Sample> samples() const;
  std::size_t rounds() const { return turns_[best].size(); }

 private:
  struct Half {
    Sample sample;
    bool others_busy = false;
  };

  void take_first(const Sample& sample, const Statistics& best, const measure::Gate& gate);
  void end_rounds();
  void end_round(const std::optional<Half>& of_best, const std::optional<Half>& of_candidate);
  void look();
  bool all_worse() const;

  std::optional<Sample> first_;
  std::vector<Sample> samples_;                      // the candidate's
  std::array<std::vector<measure::Turn>, 2> turns_;  // of the rounds that count
  std::array<std::size_t, 2> handed_{};              // turns that began; the candidate's first one is its first launch
  std::size_t ended_ = 0;                            // rounds that ended
  std::array<std::deque<std::optional<Half>>, 2> came_back_;  // of rounds in flight; nullopt: no time
  bool is_no_slower_ = false;                                 // true if the candidate was no slower in its last turn
  Verdict verdict_ = Verdict::open;
};

}  // namespace wattune::dynamic
