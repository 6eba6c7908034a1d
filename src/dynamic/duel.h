// Duel: a candidate and the best known in turns, in the application's calls, until one of them has shown itself better.
//
// It launches nothing: whoever does asks whose turn it is and tells the times as they come. A first launch of the
// candidate alone, which only says whether it is clearly slower, as it finds neither code nor data in the caches; then
// rounds of one turn each, A B B A A B B A, so that drift and what a predecessor leaves in the caches fall on both
// alike. One round is under way at a time: a candidate that is to be dropped has no second turn in flight. While it is
// no slower, which costs nothing, eight are, as an application may send many calls before the first has ended. Times of
// each come back in their order. One thread at a time.
//
//   while (duel.verdict() == Duel::Verdict::open)
//     if (const auto who = duel.turn()) duel.take(*who, run(*who), false);
#pragma once

#include <array>
#include <deque>
#include <optional>
#include <vector>

#include "measure/gate.h"
#include "wattune/measure/shoot_out.h"

namespace wattune::dynamic {

// The longest time of one that may be as fast as the best known.
Nanoseconds limit_of(const Statistics& best, const measure::Gate& gate);

class Duel {
 public:
  enum Who : std::size_t { best, candidate };
  enum class Verdict {
    open,
    better,  // the candidate, round by round, with 95 %
    no       // it is worse, or not worth more calls
  };

  Duel() = default;
  // Of a candidate that was launched before.
  explicit Duel(const Sample& first_launch) : first_(first_launch) {}

  // Whose turn it is, once what was handed out before has come back as far as it must. none: nobody's yet.
  std::optional<Who> turn() const;
  // Whether that turn begins a round, which is when its cost is decided about.
  bool begins_round() const { return handed_[best] == handed_[candidate]; }
  void hand_out(Who who) { ++handed_[who]; }

  // A time, and whether other streams were busy. `best` and `gate` say what the best known takes and how its times
  // spread.
  void take(Who who, const Sample& sample, bool others_busy, const Statistics& best, const measure::Gate& gate);
  // A turn came to nothing.
  void take_nothing(Who who);

  // The candidate is worth no more calls.
  void give_up() { verdict_ = Verdict::no; }

  Verdict verdict() const { return verdict_; }
  const std::optional<Sample>& first_launch() const { return first_; }
  // The candidate's times: those of its rounds, or that of its first launch.
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
  std::array<std::size_t, 2> handed_{};              // turns of rounds; of the candidate its first launch before
  std::size_t ended_ = 0;                            // rounds
  std::array<std::deque<std::optional<Half>>, 2> came_back_;  // of rounds that have not ended; none: it came to nothing
  bool is_no_slower_ = false;                                 // in its last time
  Verdict verdict_ = Verdict::open;
};

}  // namespace wattune::dynamic
