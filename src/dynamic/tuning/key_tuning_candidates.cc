// Handles the candidates of a key's tuning, from the explorer's proposal through loading and calls to the decision.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/logging.h"
#include "dynamic/tuning/key_tuning.h"

namespace wattune::inline v0_1::dynamic {

namespace {

Observation failure_of_loading(const Error& error) {
  Observation observation;
  observation.status = error.code() == ErrorCode::compile_failed ? Status::compile
                       : error.code() == ErrorCode::timeout      ? Status::timeout
                                                                 : Status::runtime;
  observation.message = error.to_string();
  return observation;
}

Nanoseconds time_of(const Result<TimedCall>& ran) {
  const Result<Nanoseconds> duration = ran ? ran->duration() : Result<Nanoseconds>(Nanoseconds());
  return duration ? *duration : Nanoseconds();
}

}  // namespace

void KeyTuning::want_ahead() {
  if (requests_.is_time(kernel_.around.now())) want();
}

void KeyTuning::want() {
  if (!requests_.has_news(*explorer_, kernel_.around.now())) return;
  refuse_failed();
  if (explorer_->over()) return end();
  std::vector<Candidate> wanted = explorer_->wanted();
  std::erase_if(wanted, [&](const Candidate& each) { return each.configuration == best()->configuration(); });
  requests_.request(wanted, [this](const Candidate& each) { request(each); });
}

// Tells the explorer which of its candidates failed before. A second tuning of the key proposes these candidates again.
void KeyTuning::refuse_failed() {
  for (const Candidate& each : explorer_->wanted())
    if (attempts_.has_failed(each.configuration.id()))
      explorer_->tell(each.configuration, {.status = Status::runtime, .message = "it failed before"});
}

void KeyTuning::request(const Candidate& candidate) {
  attempts_.offer(candidate, path_.calls());
  loader_.request({.load = [this, configuration = candidate.configuration] { return loader_.load(configuration); },
                   .loaded = [this, candidate](auto variant) { take_loaded(candidate, std::move(variant)); }});
}

// Takes a candidate from the loader. The loader's thread calls this function, which locks the mutex.
void KeyTuning::take_loaded(const Candidate& candidate, Result<std::shared_ptr<Variant>> variant) {
  const std::lock_guard lock(mutex_);
  if (!variant) {
    take_failed_load(candidate, variant.error());
  } else if (explorer_) {
    pairing_.add(candidate, *std::move(variant));
  } else {
    requests_.decided(candidate.configuration.id());
    retire(*std::move(variant));
  }
  path_.wake();
}

void KeyTuning::take_failed_load(const Candidate& candidate, const Error& error) {
  attempts_.note_error(error);
  requests_.decided(candidate.configuration.id());
  const Observation failure = failure_of_loading(error);
  attempts_.fail(candidate.configuration, failure);
  decide(candidate.configuration, failure, false);
  if (explorer_) explorer_->tell(candidate.configuration, failure);
}

void KeyTuning::take_outcome(Outcome outcome) {
  attempts_.fail(outcome.configuration, outcome.observation);
  requests_.decided(outcome.configuration.id());
  decide(outcome.configuration, outcome.observation, outcome.better);
  log_debug("{}: {} is {} after {} calls, {} of which ran it and were timed", to_string(kernel_.problem->key),
            outcome.configuration.to_string(), outcome.better ? "better" : "not better", path_.calls(),
            outcome.observation.samples.size());
  if (outcome.better) {
    best_known_.publish(best());
    best_known_.remember(outcome.observation);
  }
  if (explorer_) explorer_->tell(outcome.configuration, outcome.observation);
  if (outcome.observation.status != Status::correct && is_best(outcome.configuration))
    replace_best(outcome.observation);
  requests_.look_soon();
  if (outcome.retired) retire(std::move(outcome.retired));
}

void KeyTuning::decide(const Configuration& configuration, const Observation& observation, bool better) {
  attempts_.decide(configuration, observation,
                   {.better = better, .best = pairing_.best_time(), .calls = path_.calls()});
}

void KeyTuning::retire(std::shared_ptr<Variant> variant) {
  if (!best_known_.was_published(variant)) loader_.retire(std::move(variant));
}

Result<void> KeyTuning::begin_shadow() {
  if (kernel_.policy().safety != Safety::shadowed || shadow_ != nullptr) return {};
  WATTUNE_ASSIGN(shadow_, Shadow::make(kernel_.problem, kernel_.around.device, kernel_.around.streams,
                                       !kernel_.policy().adopt_unverified));
  return {};
}

void KeyTuning::end_shadowing(const Error& why) {
  kernel_.note("not tuned further, because outputs cannot be compared: " + why.to_string());
  if (explorer_) end();
}

// Takes the results of a shadowed call. The cost of comparing is the time of the call minus the time of the slower of
// the two runs.
void KeyTuning::take_shadowed(const Turn& candidate, const Turn& best, ShadowedCall call) {
  const Nanoseconds adds = call.took - std::max(time_of(call.best), time_of(call.candidate));
  if (call.is_wrong) ++wrong_results_;
  if (!call.candidate)
    kernel_.note(fmt::format("{} is not used again: {}", candidate.variant->configuration().to_string(),
                             call.candidate.error().to_string()));
  pairing_.sent(candidate, std::move(call.candidate), {.waited = adds});
  if (best.timed) pairing_.sent(best, std::move(call.best), {});
}

}  // namespace wattune::dynamic
