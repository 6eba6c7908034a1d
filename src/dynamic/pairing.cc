#include "dynamic/pairing.h"

#include <algorithm>
#include <utility>

namespace wattune::dynamic {

namespace {

constexpr std::size_t kFirstTimes = 5;    // calls of a best that nothing is compared with yet
constexpr std::size_t kRemembered = 16;   // times of the best known
constexpr double kBadWhenScreened = 2.0;  // how far screening may be wrong

// Of a clock that is too coarse for the kernel, no time is 0.
Sample sample_of(Nanoseconds time) { return {.time = std::max(time, Nanoseconds(1))}; }

Observation observation_of(std::vector<Sample> samples) {
  Observation observation;
  observation.statistics = measure::summarize(samples);
  observation.samples = std::move(samples);
  return observation;
}

Observation failure_of(const Error& error) {
  Observation observation;
  observation.status = error.code() == ErrorCode::timeout    ? Status::timeout
                       : error.code() == ErrorCode::mismatch ? Status::correctness
                                                             : Status::runtime;
  observation.message = error.to_string();
  return observation;
}

}  // namespace

Pairing::~Pairing() { drop_candidates(); }

std::shared_ptr<Variant> Pairing::set_best(std::shared_ptr<Variant> best) {
  std::swap(best_, best);
  times_of_best_.clear();
  to_be_timed_ = kFirstTimes;
  best_failed_.reset();
  ++number_;
  return best;
}

std::optional<Nanoseconds> Pairing::best_time() const {
  if (times_of_best_.empty()) return std::nullopt;
  return measure::summarize(times_of_best_).median;
}

void Pairing::add(Candidate candidate, std::shared_ptr<Variant> variant) {
  waiting_.push_back({.candidate = std::move(candidate), .variant = std::move(variant)});
}

std::vector<std::shared_ptr<Variant>> Pairing::drop_candidates() {
  std::vector<std::shared_ptr<Variant>> variants;
  if (contest_) {
    if (contest_->reserved) settle(*contest_->reserved);
    variants.push_back(std::move(contest_->variant));
    contest_.reset();
  }
  for (Contest& each : waiting_) variants.push_back(std::move(each.variant));
  waiting_.clear();
  return variants;
}

Turn Pairing::timed(const std::shared_ptr<Variant>& variant, bool exploring) const {
  return {.variant = variant,
          .timed = true,
          .exploring = exploring,
          .exclusive = measuring_ == Measuring::exclusive,
          .first = !variant->was_launched(),
          .number = number_};
}

Turn Pairing::next(Mode mode, Nanoseconds now) {
  const Turn plain{.variant = best_};
  if (to_be_timed_) {
    if (*to_be_timed_ == 0) return plain;
    --*to_be_timed_;
    return timed(best_, false);
  }
  if (times_of_best_.empty() || (!contest_ && !begin_contest())) return plain;
  const std::optional<Duel::Who> who = contest_->duel.turn();
  if (!who || (contest_->duel.begins_round() && !afford(mode, now))) return plain;
  contest_->duel.hand_out(*who);
  return timed(*who == Duel::candidate ? contest_->variant : best_, *who == Duel::candidate);
}

bool Pairing::begin_contest() {
  if (waiting_.empty()) return false;
  contest_ = std::move(waiting_.front());
  waiting_.pop_front();
  ++number_;
  return true;
}

// The turn of the best known costs nothing, so a round costs what its candidate's turn does.
bool Pairing::afford(Mode mode, Nanoseconds now) {
  const Prediction prediction = predict();
  waits_for_budget_ = mode != Mode::explore && !ledger_.reserve(prediction, now);
  if (waits_for_budget_) return false;
  contest_->reserved = mode == Mode::explore ? Nanoseconds() : prediction.expected;
  return true;
}

// By its own times, or else those that screening saw, or else those of other candidates.
Prediction Pairing::predict() const {
  const Nanoseconds best = *best_time();
  const std::vector<Sample> samples = contest_->duel.samples();
  Prediction time{slowness_.average() * best, slowness_.bad() * best};
  if (!samples.empty())
    time = {measure::summarize(samples).median, std::ranges::max(samples, {}, &Sample::time).time};
  else if (const std::optional<Nanoseconds> expected = contest_->candidate.expected)
    time = {*expected, kBadWhenScreened * *expected};
  const auto stall = [&](Nanoseconds of) { return std::max(Nanoseconds(), of - best) + besides(); };
  return {stall(time.expected), stall(time.longest)};
}

Nanoseconds Pairing::besides() const {
  Nanoseconds sum;
  if (measuring_ == Measuring::exclusive) sum += 2.0 * waited_.value();
  if (!contest_->variant->was_launched())
    sum += first_launch_.value() + loader_.private_memory_cost(contest_->variant->private_bytes());
  return sum;
}

void Pairing::sent(const Turn& turn, Result<TimedCall> call, const Sending& sending) {
  if (measuring_ == Measuring::exclusive) {
    waited_.learn(sending.waited);
    ledger_.charge(sending.waited, &Stalls::waiting);
  }
  if (turn.first && turn.exploring) {
    first_launch_.learn(sending.took);
    ledger_.charge(sending.took, &Stalls::loading);
  }
  if (!call) return fail(turn, call.error());
  loader_.note_private_memory(turn.variant->private_bytes());
  out_.push_back({*std::move(call), turn, sending});
}

std::vector<Outcome> Pairing::collect() {
  std::vector<Outcome> outcomes;
  std::erase_if(out_, [this](const Out& out) { return take_if_ready(out); });
  if (std::optional<Outcome> outcome = decided()) outcomes.push_back(*std::move(outcome));
  return outcomes;
}

bool Pairing::take_if_ready(const Out& out) {
  const Result<bool> ready = out.call.ready();
  if (ready && !*ready) return false;
  const Result<Nanoseconds> time = ready ? out.call.duration() : Result<Nanoseconds>(ready.error());
  if (out.turn.number != number_) return true;
  time ? take(out, *time) : fail(out.turn, time.error());
  return true;
}

void Pairing::take(const Out& out, Nanoseconds time) {
  const Sample sample = sample_of(time);
  if (!out.turn.exploring) take_time_of_best(sample);
  if (!contest_) return;
  if (out.turn.exploring) {
    const Nanoseconds stall = sample.time - *best_time();
    if (contest_->duel.samples().empty()) slowness_.learn(sample.time / *best_time());
    settle(stall);
    ledger_.note_call(stall + out.sending.waited + (out.turn.first ? out.sending.took : Nanoseconds()));
  }
  contest_->duel.take(out.turn.exploring ? Duel::candidate : Duel::best, sample, out.sending.others_busy,
                      measure::summarize(times_of_best_), gate_);
}

// Each says something of how its times spread, which is what a candidate is judged by.
void Pairing::take_time_of_best(const Sample& sample) {
  if (times_of_best_.size() > 2) gate_.learn(sample.time, sample.time, *best_time());
  if (times_of_best_.size() == kRemembered) times_of_best_.erase(times_of_best_.begin());
  times_of_best_.push_back(sample);
}

void Pairing::settle(Nanoseconds came_to) {
  ledger_.settle(contest_->reserved.value_or(Nanoseconds()), came_to, &Stalls::exploring);
  contest_->reserved.reset();
}

void Pairing::fail(const Turn& turn, const Error& error) {
  if (turn.number != number_) return;
  if (!contest_)
    best_failed_ = error;
  else if (turn.exploring)
    contest_->failed = error;
  else
    contest_->duel.take_nothing(Duel::best);
}

std::optional<Outcome> Pairing::decided() {
  if (to_be_timed_) return best_is_timed();
  if (!contest_ || (!contest_->failed && contest_->duel.verdict() == Duel::Verdict::open)) return std::nullopt;
  return end_contest();
}

std::optional<Outcome> Pairing::best_is_timed() {
  const bool enough = times_of_best_.size() == kFirstTimes;
  if (!enough && !best_failed_) return std::nullopt;
  to_be_timed_.reset();
  return Outcome{.configuration = best_->configuration(),
                 .observation = best_failed_ ? failure_of(*best_failed_) : observation_of(times_of_best_),
                 .better = !best_failed_};
}

Outcome Pairing::end_contest() {
  if (contest_->reserved) settle(Nanoseconds());
  Contest contest = *std::move(contest_);
  contest_.reset();
  Outcome outcome{.configuration = contest.candidate.configuration};
  outcome.observation = contest.failed ? failure_of(*contest.failed) : observation_of(contest.duel.samples());
  outcome.better = !contest.failed && contest.duel.verdict() == Duel::Verdict::better;
  if (outcome.better) {
    std::swap(best_, contest.variant);
    times_of_best_ = contest.duel.samples();
    if (times_of_best_.size() > kRemembered)
      times_of_best_.erase(times_of_best_.begin(), times_of_best_.end() - kRemembered);
  }
  outcome.retired = std::move(contest.variant);
  return outcome;
}

}  // namespace wattune::dynamic
