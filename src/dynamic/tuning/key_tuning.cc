#include "dynamic/tuning/key_tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace wattune::inline v0_1::dynamic {

namespace {

// Longest pause between two calls that check whether there is work for tuning. If no trial is in flight, for instance
// because a step does not pay yet, the pause grows with the time since the key's first call.
constexpr Nanoseconds kMostBetweenLooks = nanoseconds_from_ms(10.0);
constexpr double kPartBetweenLooks = 1e-3;
// Remaining time of calls with which every step pays, for Mode::explore.
constexpr Nanoseconds kForEver = Nanoseconds(std::numeric_limits<double>::infinity());

TuningStage stage_at_end(const Explorer& explorer) {
  return explorer.is_complete() ? TuningStage::complete : TuningStage::cut_short;
}

}  // namespace

KeyTuning::KeyTuning(const KeyedKernel& kernel, CallPath& path, std::mutex& mutex, KeyLoader& loader,
                     const StartingCandidates& starting)
    : kernel_(kernel),
      path_(path),
      mutex_(mutex),
      loader_(loader),
      starting_(starting),
      pairing_(kernel.around.stall_budget, kernel.around.loader, kernel.policy().measuring, kernel.policy().safety),
      best_known_(kernel, path, pairing_, starting.is_known()),
      occasion_(kernel.policy(), starting.is_known()),
      usage_(kernel.around, path),
      requests_(loader) {}

KeyTuning::~KeyTuning() {
  if (explorer_) --kernel_.around.tuning;
}

void KeyTuning::look(Mode mode) {
  usage_.count(pairing_);
  for (Outcome& outcome : pairing_.collect()) take_outcome(std::move(outcome));
  if (best() == nullptr) return;
  look_for_drift();
  if (state() == KeyState::running && is_occasion()) begin();
  if (state() == KeyState::tuning) {
    explorer_->note_calls(mode == Mode::explore ? kForEver : usage_.outlook());
    if (requests_.is_time(kernel_.around.now())) want();
  }
  note_too_long();
  rest();
}

// Begins the search. The state running becomes tuning, or settled if there can be no explorer.
void KeyTuning::begin() {
  best_known_.set_result(false);
  TuningPolicy policy = kernel_.policy();
  policy.seed += starting_.cut_short();  // so that this run tries other configurations than the run before
  std::vector<Configuration> known{best()->configuration()};
  known.insert(known.end(), starting_.promising().begin(), starting_.promising().end());
  Result<std::unique_ptr<Explorer>> made = kernel_.parts.make_explorer(kernel_.problem, policy, std::move(known));
  if (const Result<void> ready = begin_shadow(); !ready) made = ready.error();
  if (!made) {
    kernel_.note("not tuned: " + made.error().to_string());
    stage_ = TuningStage::none;
    words_ = "not tuned: " + made.error().message();
    return;
  }
  explorer_ = *std::move(made);
  requests_.begin();
  if (best_known_.times()) explorer_->tell(best()->configuration(), *best_known_.times());
  ++kernel_.around.tuning;
}

// Ends the search. The state tuning becomes settled. It becomes running if the search ended early because the key was
// not called. Results of the application's calls are kept, whatever screening found about other configurations.
void KeyTuning::end() {
  --kernel_.around.tuning;
  best_known_.set_result(explorer_->is_complete());
  if (best_known_.times()) best_known_.remember(*best_known_.times());
  stage_ = stage_at_end(*explorer_);
  words_ = explorer_->state();
  if (explorer_->was_left()) occasion_.ask();
  explored_before_ += explorer_->explored();
  failed_before_ += explorer_->failed();
  attempts_.keep_failures_of(*explorer_);
  explorer_.reset();
  requests_.end();
  if (best() != nullptr) loader_.expect({});  // otherwise a first configuration may be announced
  for (std::shared_ptr<Variant>& variant : pairing_.drop_candidates()) retire(std::move(variant));
}

// Tunes the key again if its times have changed. Does not do so if the times of the whole device have changed, because
// the best configuration is probably still the same.
void KeyTuning::look_for_drift() {
  const std::optional<Moved> moved = best_known_.moved();
  if (!moved) return;
  kernel_.note(fmt::format("takes {:.2f} times as long as it did{}", moved->ratio,
                           moved->cause == Cause::device ? ", as do others" : ", so it is tuned again"));
  if (moved->cause == Cause::kernel) occasion_.ask();
}

// Writes a note, once, that no candidate may be tried, because each of them may take longer than Budget::longest
// allows. Without the note, users would not know that.
void KeyTuning::note_too_long() {
  const std::optional<Prediction> stall = pairing_.stalls_too_long();
  if (!stall || std::exchange(noted_too_long_, true)) return;
  kernel_.note(fmt::format(
      "a candidate waits, because it may take {:.3g} ms longer than the best known, and the budget allows {:.3g} ms in "
      "one call (Budget::longest)",
      to_ms(stall->longest), to_ms(kernel_.around.stall_budget.most(stall->call))));
}

void KeyTuning::rest() {
  if (state() == KeyState::settled && !pairing_.is_busy())
    path_.rest_for_good();
  else if (pairing_.is_busy() && !pairing_.waits_for_budget())
    path_.wake();
  else
    rest_a_while();
}

void KeyTuning::rest_a_while() {
  const Nanoseconds idle = requests_.is_empty() ? kPartBetweenLooks * usage_.took() : Nanoseconds();
  path_.rest_until(kernel_.around.now() + std::clamp(idle, CandidateRequests::kBetweenLooks, kMostBetweenLooks));
}

void KeyTuning::expect(std::optional<std::uint64_t> calls, bool may_begin) {
  if (calls) usage_.expect(*calls);
  may_begin_ahead_ = may_begin;
}

void KeyTuning::prepare_explorer() {
  const bool is_soon = occasion_.is_pending() && kernel_.policy().calls_before_tuning == 0;
  if (!is_soon || !kernel_.parts.expect_explorer || std::exchange(prepared_explorer_, true)) return;
  kernel_.parts.expect_explorer();
}

void KeyTuning::begin_ahead() {
  const bool may_begin = may_begin_ahead_ && kernel_.policy().safety != Safety::shadowed;
  if (may_begin && state() == KeyState::running && is_occasion()) begin();
  if (state() != KeyState::tuning) return;
  explorer_->expect_calls(usage_.outlook());
  want();
}

void KeyTuning::adopt(std::shared_ptr<Variant> best, const Observation& observation) {
  if (explorer_) end();
  static_cast<void>(occasion_.begins(std::numeric_limits<std::uint64_t>::max()));
  best_known_.publish(std::move(best));
  loader_.expect({});
  best_known_.set_result(true);
  best_known_.remember(observation, Measured::offline);
  stage_ = TuningStage::complete;
  words_ = "tuned now";
  path_.wake();
}

void KeyTuning::retune() {
  if (explorer_) end();
  occasion_.ask();
  path_.wake();
}

void KeyTuning::fail_best(const std::shared_ptr<Variant>& failed, const Error& error) {
  if (best() != failed) return;
  attempts_.note_error(error);
  replace_best({.status = Status::runtime, .message = error.to_string()});
}

bool KeyTuning::is_best(const Configuration& configuration) const {
  return best() != nullptr && best()->configuration() == configuration;
}

void KeyTuning::replace_best(const Observation& failure) {
  const Configuration& configuration = best()->configuration();
  kernel_.note(fmt::format("{} fails and is not used again: {}", configuration.to_string(), failure.message));
  attempts_.fail(configuration, failure);
  best_known_.fall_back(attempts_);
}

void KeyTuning::report(KeyReport& report) const {
  if (best() != nullptr) report.best = best()->configuration();
  report.time = pairing_.best_time();
  report.explored = explored_before_ + (explorer_ ? explorer_->explored() : 0);
  report.failed = failed_before_ + (explorer_ ? explorer_->failed() : 0);
  report.stage = stage_;
  if (explorer_) report.stage = explorer_->over() ? stage_at_end(*explorer_) : TuningStage::under_way;
  report.state = explorer_ ? explorer_->state() : words_;
  report.tried.assign(attempts_.tried().begin(), attempts_.tried().end());
  report.failures = attempts_.failures(explorer_.get());
}

}  // namespace wattune::dynamic
