#include "dynamic/tuning/duel.h"

#include <algorithm>
#include <utility>

namespace wattune::inline v0_1::dynamic {

namespace {

// Numbers of rounds after which the candidate and the best known configuration are judged. With three judgements, each
// interval must hold with 98.3 %. That needs seven differences of one sign, or 16 with two exceptions.
constexpr std::size_t kRoundsAtLooks[] = {8, 16, 32};
// The largest number of rounds that are begun, since some rounds do not count.
constexpr std::size_t kMostRounds = 64;
// The largest number of rounds in flight for a candidate that is not slower. It is the number that the first judgement
// needs.
constexpr std::size_t kMostUnderWay = 8;
// Number of first rounds after which a candidate is dropped if it was worse in each. By this rule, one in eight
// candidates of equal speed is dropped, which costs nothing. One in a thousand of those that win nine rounds of ten is
// dropped as well.
constexpr std::size_t kAllWorse = 3;
// Gain below which a candidate is not worth more rounds.
constexpr double kNoGain = 1.01;
// Factor that exceeds any noise. It is used before the noise is known, and for first launches. The next constant is the
// time that a first launch may take in addition.
constexpr double kClearlySlower = 2.0;
constexpr Nanoseconds kFirstLaunch = Nanoseconds(50e3);

measure::Turn turn_of(const Sample& sample) {
  return {.sample = sample, .objective = sample.time.value(), .spent = sample.time};
}

}  // namespace

Nanoseconds limit_of(const Statistics& best, const measure::Gate& gate) {
  return gate.ready() ? gate.warm_limit(best) : kClearlySlower * best.interval_high;
}

std::optional<Duel::Who> Duel::turn() const {
  if (verdict_ != Verdict::open) return std::nullopt;
  if (!first_) return handed_[candidate] > 0 ? std::nullopt : std::optional(candidate);
  if (!begins_round()) return handed_[best] < handed_[candidate] ? best : candidate;
  const std::size_t round = handed_[best];
  if (round == kMostRounds || round - ended_ >= (is_no_slower_ ? kMostUnderWay : 1)) return std::nullopt;
  return round % 2 == 0 ? candidate : best;
}

void Duel::take(Who who, const Sample& sample, bool others_busy, const Statistics& best_known,
                const measure::Gate& gate) {
  if (!first_) return take_first(sample, best_known, gate);
  came_back_[who].push_back(Half{sample, others_busy});
  if (who == candidate) {
    samples_.push_back(sample);
    is_no_slower_ = sample.time <= best_known.median;
    if (samples_.size() == 1 && sample.time > limit_of(best_known, gate)) verdict_ = Verdict::no;
  }
  end_rounds();
}

void Duel::take_first(const Sample& sample, const Statistics& best_known, const measure::Gate& gate) {
  first_ = sample;
  handed_[candidate] = 0;
  const Nanoseconds limit = std::max(limit_of(best_known, gate), kClearlySlower * best_known.interval_high);
  if (sample.time > limit + kFirstLaunch) verdict_ = Verdict::no;
}

void Duel::take_nothing(Who who) {
  came_back_[who].push_back(std::nullopt);
  end_rounds();
}

void Duel::end_rounds() {
  while (!came_back_[best].empty() && !came_back_[candidate].empty()) {
    end_round(came_back_[best].front(), came_back_[candidate].front());
    for (std::deque<std::optional<Half>>& halves : came_back_) halves.pop_front();
  }
}

// Counts a round, unless other streams were busy during only one of its two turns, since such times cannot be compared.
void Duel::end_round(const std::optional<Half>& of_best, const std::optional<Half>& of_candidate) {
  if (verdict_ == Verdict::open && of_best && of_candidate && of_best->others_busy == of_candidate->others_busy) {
    turns_[best].push_back(turn_of(of_best->sample));
    turns_[candidate].push_back(turn_of(of_candidate->sample));
    look();
  }
  if (++ended_ == kMostRounds && verdict_ == Verdict::open) verdict_ = Verdict::no;
}

void Duel::look() {
  if (rounds() == kAllWorse && all_worse()) verdict_ = Verdict::no;
  if (std::ranges::count(kRoundsAtLooks, rounds()) == 0) return;
  const auto winner = [&](Who standard) { return measure::judge(turns_, standard, std::size(kRoundsAtLooks)).winner; };
  const std::optional<PairedGain> gain = measure::paired_gain(turns_[candidate], turns_[best]);
  if (winner(best) == candidate)
    verdict_ = Verdict::better;
  else if (winner(candidate) == best || rounds() == kRoundsAtLooks[std::size(kRoundsAtLooks) - 1] ||
           gain->high < kNoGain)
    verdict_ = Verdict::no;
}

bool Duel::all_worse() const {
  for (std::size_t i = 0; i < rounds(); ++i)
    if (turns_[candidate][i].objective <= turns_[best][i].objective) return false;
  return true;
}

std::vector<Sample> Duel::samples() const { return samples_.empty() && first_ ? std::vector{*first_} : samples_; }

}  // namespace wattune::dynamic
