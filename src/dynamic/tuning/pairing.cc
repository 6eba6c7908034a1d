#include "dynamic/tuning/pairing.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace wattune::inline v0_1::dynamic {

namespace {

constexpr std::size_t kFirstTimes = 5;        // timed calls of a best known with which nothing is compared yet
constexpr std::size_t kRememberedTimes = 16;  // last times of the best known that are kept
// Ratio of a single time to the median of the best known configuration. Up to this ratio, a configuration that ran once
// in Mode::explore is compared with the best known one later.
constexpr double kMayBeAsFast = 1.1;
constexpr std::size_t kContenders = 8;
constexpr Nanoseconds kUntried = Nanoseconds(std::numeric_limits<double>::infinity());
constexpr Nanoseconds kFirstLaunchPatience = nanoseconds_from_ms(100);  // longest wait of a first launch for its stream
constexpr double kBadWhenScreened = 2.0;                                // factor by which a screened time may be wrong
constexpr Nanoseconds kHostLaunch = Nanoseconds(3e3);  // host time of one launch (docs/results/dynamic.md)

// Returns the host time for sending a call of many launches, which is the least time that the call takes.
Nanoseconds sending_time(const Variant& variant) {
  const std::size_t launches = variant.launches();
  return launches > 1 ? static_cast<double>(launches) * kHostLaunch : Nanoseconds();
}

// Makes a sample. If the clock is too coarse for the kernel, a time may be 0. So the sample's time is at least 1 ns.
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

Pairing::~Pairing() {
  drop_candidates();
  for (const Out& out : out_) stall_budget_.settle(out.turn.reserved, Nanoseconds(), &Stalls::exploring);
}

std::shared_ptr<Variant> Pairing::set_best(std::shared_ptr<Variant> best) {
  std::swap(best_, best);
  times_of_best_.clear();
  to_be_timed_ = kFirstTimes;
  best_failed_.reset();
  for (Contest& each : contests_) compare_anew(each);
  return best;
}

std::optional<Nanoseconds> Pairing::best_time() const {
  if (times_of_best_.empty()) return std::nullopt;
  return measure::summarize(times_of_best_).median;
}

void Pairing::add(Candidate candidate, std::shared_ptr<Variant> variant) {
  contests_.push_back({.candidate = std::move(candidate), .variant = std::move(variant), .number = ++last_number_});
}

std::vector<std::shared_ptr<Variant>> Pairing::drop_candidates() {
  std::vector<std::shared_ptr<Variant>> variants;
  for (Contest& each : contests_) {
    stall_budget_.settle(each.reserved.value_or(Nanoseconds()), Nanoseconds(), &Stalls::exploring);
    variants.push_back(std::move(each.variant));
  }
  contests_.clear();
  return variants;
}

Pairing::Contest* Pairing::find(std::uint64_t number) {
  const auto found = std::ranges::find(contests_, number, &Contest::number);
  return found == contests_.end() ? nullptr : &*found;
}

Pairing::Contest* Pairing::untried() {
  const auto found = std::ranges::find_if(
      contests_, [](const Contest& each) { return !each.duel.first_launch() && each.duel.turn() == Duel::candidate; });
  return found == contests_.end() ? nullptr : &*found;
}

// Returns the contests in the order of their turns. First comes a contest in whose round only one turn was given to a
// call, so that the next call runs the other turn. Then comes the contest that had the last turn. The other contests
// follow by their speed, and then those not launched yet. Contests that were put off come last.
std::vector<Pairing::Contest*> Pairing::in_order() {
  std::vector<Contest*> all;
  for (Contest& each : contests_)
    if (each.duel.turn()) all.push_back(&each);
  const auto order = [this](const Contest* each) {
    const Nanoseconds first = each->duel.first_launch() ? each->duel.first_launch()->time : kUntried;
    return std::tuple(each->duel.begins_round(), each->number != current_, each->put_off, first);
  };
  std::ranges::stable_sort(all, {}, order);
  return all;
}

Turn Pairing::timed(const std::shared_ptr<Variant>& variant, std::uint64_t contest) const {
  return {.variant = variant,
          .timed = true,
          .exploring = variant != best_,
          .exclusive = measuring_ == Measuring::exclusive,
          .first = !variant->was_launched(),
          .contest = contest};
}

Turn Pairing::next(Mode mode, Nanoseconds now, const IsIdle& idle) {
  const bool may_compare = !to_be_timed_ && !times_of_best_.empty();
  if (Contest* const contest = mode == Mode::explore && may_compare ? untried() : nullptr) {
    contest->once = true;
    return next_of(*contest, mode, now);
  }
  if (to_be_timed_) return next_of_best(mode);
  if (!may_compare) return {.variant = best_};
  for (Contest* const contest : in_order()) {
    if (mode != Mode::explore && !may_launch(*contest, now, idle)) continue;
    const Turn turn = next_of(*contest, mode, now);
    if (!turn.timed) continue;
    current_ = contest->number;
    return turn;
  }
  return {.variant = best_};
}

bool Pairing::may_launch(Contest& contest, Nanoseconds now, const IsIdle& idle) {
  if (contest.variant->was_launched()) return true;
  if (!contest.waits_since) contest.waits_since = now;
  return now - *contest.waits_since >= kFirstLaunchPatience || idle();
}

// Returns a turn of the best known configuration. In Mode::explore, a single time of it must suffice.
Turn Pairing::next_of_best(Mode mode) {
  const bool enough = *to_be_timed_ == 0 || (mode == Mode::explore && *to_be_timed_ < kFirstTimes);
  to_be_timed_ = enough || mode == Mode::explore ? 0 : *to_be_timed_ - 1;
  return enough ? Turn{.variant = best_} : timed(best_, 0);
}

Turn Pairing::other_half(const Turn& first, Mode mode, Nanoseconds now) {
  Contest* const contest = find(first.contest);
  if (contest == nullptr || contest->duel.begins_round()) return {.variant = best_};
  return next_of(*contest, mode, now);
}

Turn Pairing::next_of(Contest& contest, Mode mode, Nanoseconds now) {
  const std::optional<Duel::Who> who = contest.duel.turn();
  if (!who || (contest.duel.begins_round() && !afford(contest, mode, now))) return {.variant = best_};
  contest.duel.hand_out(*who);
  if (*who == Duel::best) return timed(best_, contest.number);
  Turn turn = timed(contest.variant, contest.number);
  turn.reserved = std::exchange(contest.reserved, {}).value_or(Nanoseconds());
  return turn;
}

// True if the budget affords a round. A turn of the best known configuration costs nothing, so a round costs as much as
// the candidate's turn.
bool Pairing::afford(Contest& contest, Mode mode, Nanoseconds now) {
  if (contest.reserved) return true;
  const Prediction prediction = predict(contest);
  waits_for_budget_ = mode != Mode::explore && !stall_budget_.reserve(prediction, now);
  if (waits_for_budget_ && prediction.longest > stall_budget_.most(prediction.call)) put_off(contest, prediction, now);
  if (waits_for_budget_) return false;
  contest.reserved = mode == Mode::explore ? Nanoseconds() : prediction.expected;
  contest.put_off = false;
  too_long_since_.reset();
  return true;
}

// Puts off a candidate whose call may stall for too long. The prediction comes from the times of earlier calls. If one
// very slow call counted for ever, no other candidate would be tried. So a very slow call counts only until the budget
// has gained as much as another one could lose. The time until then doubles with each very slow call, and halves with
// each call that loses no more than it may.
//
// A candidate is dropped if sending its launches alone takes longer than a call may lose.
void Pairing::put_off(Contest& contest, const Prediction& prediction, Nanoseconds now) {
  const Nanoseconds most = stall_budget_.most(prediction.call);
  if (sending_time(*contest.variant) - prediction.call > most) {
    contest.failed = Error(ErrorCode::timeout, fmt::format("its {} launches take the host longer than a call may lose",
                                                           contest.variant->launches()));
    return;
  }
  stalls_too_long_ = prediction;
  contest.put_off = true;
  if (!too_long_since_) too_long_since_ = now;
  if (stall_budget_.gained_in(now - *too_long_since_) < price_ * prediction.longest) return;
  too_long_since_ = now;
  price_ *= 2.0;
  contest.forgiven = true;
  slowness_.forgive_worst();
  first_launch_.forget();
  waited_.forget();
}

// Predicts the stall of a candidate. Uses the candidate's own times, or else its screened time, or else the times of
// other candidates.
Prediction Pairing::predict(const Contest& contest) const {
  const Nanoseconds best = *best_time();
  const std::vector<Sample> samples = contest.duel.samples();
  Prediction time{slowness_.average() * best, slowness_.bad() * best};
  if (!samples.empty())
    time = {measure::summarize(samples).median,
            contest.forgiven ? measure::summarize(samples).median : std::ranges::max(samples, {}, &Sample::time).time};
  else if (const std::optional<Nanoseconds> expected = contest.candidate.expected)
    time = {*expected, kBadWhenScreened * *expected};
  const Nanoseconds sending = sending_time(*contest.variant);
  time = {std::max(time.expected, sending), std::max(time.longest, sending)};
  const auto stall = [&](Nanoseconds of) { return std::max(Nanoseconds(), of - best) + besides(*contest.variant); };
  return {stall(time.expected), stall(time.longest), best};
}

Nanoseconds Pairing::besides(const Variant& variant) const {
  Nanoseconds sum;
  if (is_shadowed_)
    sum += waited_.value();
  else if (measuring_ == Measuring::exclusive)
    sum += 2.0 * waited_.value();
  if (!variant.was_launched()) sum += first_launch_.value() + loader_.private_memory_cost(variant.private_bytes());
  return sum;
}

void Pairing::sent(const Turn& turn, Result<TimedCall> call, const Sending& sending) {
  const bool compared = is_shadowed_ && turn.exploring;
  if (turn.exclusive || compared) {
    waited_.learn(sending.waited);
    stall_budget_.charge(sending.waited, compared ? &Stalls::comparing : &Stalls::waiting);
  }
  if (compared && !call) stall_budget_.note_call(sending.waited);
  if (turn.first && turn.exploring) {
    const Nanoseconds first = sending.took / static_cast<double>(turn.variant->launches());
    first_launch_.learn(first);
    stall_budget_.charge(first, &Stalls::loading);
  }
  if (!call) return fail(turn, call.error());
  loader_.note_private_memory(turn.variant->private_bytes());
  out_.push_back({*std::move(call), turn, sending});
}

void Pairing::fail(const Turn& turn, const Error& error) {
  stall_budget_.settle(turn.reserved, Nanoseconds(), &Stalls::exploring);
  Contest* const contest = find(turn.contest);
  if (turn.contest == 0 && turn.variant == best_)
    fail_of_best(error);
  else if (contest != nullptr && turn.exploring)
    contest->failed = error;
  else if (contest != nullptr)
    contest->duel.take_nothing(Duel::best);
}

// Takes the failure of a call that was to time the best known configuration. Only a launch that fails is the
// configuration's fault. A call that fails otherwise, for instance in the function of a composition, is timed once
// more. Without a time no candidate could be compared with the best known configuration.
void Pairing::fail_of_best(const Error& error) {
  if (error.code() == ErrorCode::launch_failed)
    best_failed_ = error;
  else if (to_be_timed_)
    ++*to_be_timed_;
}

std::vector<Outcome> Pairing::collect() {
  std::vector<Outcome> outcomes;
  std::erase_if(out_, [this](const Out& out) { return take_if_ready(out); });
  if (to_be_timed_)
    if (std::optional<Outcome> outcome = best_is_timed()) outcomes.push_back(*std::move(outcome));
  for (std::size_t i = 0; i < contests_.size(); ++i)
    if (std::optional<Outcome> outcome = decide(contests_[i])) outcomes.push_back(*std::move(outcome));
  std::erase_if(contests_, [](const Contest& each) { return each.variant == nullptr; });
  return outcomes;
}

bool Pairing::take_if_ready(const Out& out) {
  const Result<bool> ready = out.call.ready();
  if (ready && !*ready) return false;
  const Result<Nanoseconds> time = ready ? out.call.duration() : Result<Nanoseconds>(ready.error());
  time ? take(out, *time) : fail(out.turn, time.error());
  return true;
}

void Pairing::take(const Out& out, Nanoseconds time) {
  const Sample sample = sample_of(time);
  if (out.turn.exploring)
    take_of_candidate(out, sample);
  else if (out.turn.variant == best_)
    take_of_best(sample);
  Contest* const contest = find(out.turn.contest);
  if (contest == nullptr) return;
  // The best known was replaced during this first launch, and there is no time yet with which to compare it.
  if (times_of_best_.empty()) return begin_anew(*contest);
  contest->duel.take(out.turn.exploring ? Duel::candidate : Duel::best, sample, out.sending.others_busy,
                     measure::summarize(times_of_best_), gate_);
}

void Pairing::take_of_candidate(const Out& out, const Sample& sample) {
  const Nanoseconds best = best_time().value_or(sample.time);
  const Contest* const contest = find(out.turn.contest);
  // The device waits for the host if sending a call of many launches takes longer than running it.
  const bool many = out.turn.variant->launches() > 1;
  const Nanoseconds time = many ? std::max(sample.time, out.sending.took) : sample.time;
  if (contest != nullptr && !contest->duel.first_launch()) slowness_.learn(time / best);
  stall_budget_.settle(out.turn.reserved, time - best, &Stalls::exploring);
  const Nanoseconds slower = is_shadowed_ ? std::max(Nanoseconds(), time - best) : time - best;
  const Nanoseconds first = out.turn.first && !many ? out.sending.took : Nanoseconds();
  const Nanoseconds lost = slower + out.sending.waited + first;
  stall_budget_.note_call(lost);
  if (lost <= stall_budget_.most(best)) price_ = std::max(1.0, 0.5 * price_);
}

// Takes a time of the best known configuration. This time also shows how much times vary, by which candidates are
// judged.
void Pairing::take_of_best(const Sample& sample) {
  if (times_of_best_.size() > 2) gate_.learn(sample.time, sample.time, *best_time());
  if (times_of_best_.size() == kRememberedTimes) times_of_best_.erase(times_of_best_.begin());
  times_of_best_.push_back(sample);
}

std::optional<Outcome> Pairing::best_is_timed() {
  const bool all_back =
      *to_be_timed_ == 0 && std::ranges::none_of(out_, [](const Out& out) { return out.turn.contest == 0; });
  if ((!all_back || times_of_best_.empty()) && !best_failed_) return std::nullopt;
  to_be_timed_.reset();
  return Outcome{.configuration = best_->configuration(),
                 .observation = best_failed_ ? failure_of(*best_failed_) : observation_of(times_of_best_),
                 .better = !best_failed_};
}

// Returns the decision of a contest if it has just been made, and nullopt otherwise. A contest without a variant is
// over.
std::optional<Outcome> Pairing::decide(Contest& contest) {
  if (contest.once && contest.duel.first_launch() && !contest.failed) return decide_at_once(contest);
  const Duel::Verdict verdict = contest.duel.verdict();
  if (!contest.failed && verdict == Duel::Verdict::open) return std::nullopt;
  stall_budget_.settle(contest.reserved.value_or(Nanoseconds()), Nanoseconds(), &Stalls::exploring);
  Outcome outcome{.configuration = contest.candidate.configuration,
                  .observation = contest.failed ? failure_of(*contest.failed) : observation_of(contest.duel.samples()),
                  .better = !contest.failed && verdict == Duel::Verdict::better};
  if (outcome.better) crown(contest, contest.duel.samples());
  outcome.retired = std::move(contest.variant);
  return outcome;
}

// Decides by a single time. A candidate that is faster than all recent times of the best known configuration replaces
// that one. The slower of the two remains a candidate if it may be as fast.
Outcome Pairing::decide_at_once(Contest& contest) {
  contest.once = false;
  const Sample time = *contest.duel.first_launch();
  Outcome outcome{.configuration = contest.candidate.configuration, .observation = observation_of({time})};
  outcome.better = time.time < std::ranges::min(times_of_best_, {}, &Sample::time).time;
  if (outcome.better) {
    const Sample loser{.time = *best_time()};
    crown(contest, {time});
    contest.candidate = {contest.variant->configuration(), loser.time};
    contest.number = ++last_number_;
    contest.duel = Duel(loser);
  }
  if (contest.duel.first_launch()->time > kMayBeAsFast * *best_time()) outcome.retired = std::move(contest.variant);
  keep_the_fastest();
  return outcome;
}

// Makes the candidate the best known configuration. Other candidates are compared with the new best anew, except those
// that cannot be as fast.
void Pairing::crown(Contest& contest, std::vector<Sample> times) {
  std::swap(best_, contest.variant);
  times_of_best_ = std::move(times);
  if (times_of_best_.size() > kRememberedTimes)
    times_of_best_.erase(times_of_best_.begin(), times_of_best_.end() - kRememberedTimes);
  for (Contest& each : contests_) {
    if (&each == &contest) continue;
    compare_anew(each);
    const std::optional<Sample>& tried = each.duel.first_launch();
    if (tried && tried->time > kMayBeAsFast * *best_time()) each.duel.give_up();
  }
}

// Begins a new comparison with another best known configuration. Results of earlier rounds that are under way will be
// ignored.
void Pairing::compare_anew(Contest& contest) {
  if (!contest.duel.first_launch()) return;
  contest.number = ++last_number_;
  contest.duel = Duel(*contest.duel.first_launch());
}

// Begins a contest again with another first launch, because the earlier first launch told nothing.
void Pairing::begin_anew(Contest& contest) {
  contest.number = ++last_number_;
  contest.duel = Duel();
  contest.once = false;
}

// Keeps the fastest of the candidates that were tried once.
void Pairing::keep_the_fastest() {
  std::vector<Contest*> tried;
  for (Contest& each : contests_)
    if (each.variant && each.duel.first_launch() && each.number != current_) tried.push_back(&each);
  std::ranges::sort(tried, {}, [](const Contest* each) { return each->duel.first_launch()->time; });
  for (std::size_t i = kContenders; i < tried.size(); ++i) tried[i]->duel.give_up();
}

}  // namespace wattune::dynamic
