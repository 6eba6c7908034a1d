// Shadowed calls of an instance: a call compares a candidate's outputs with those of the best known before the
// application sees them.
#include <fmt/format.h>

#include <algorithm>

#include "dynamic/tuning/instance.h"

namespace wattune::inline v0_1::dynamic {

namespace {

Nanoseconds time_of(const Result<TimedCall>& ran) {
  const Result<Nanoseconds> duration = ran ? ran->duration() : Result<Nanoseconds>(Nanoseconds());
  return duration ? *duration : Nanoseconds();
}

}  // namespace

Result<void> Instance::begin_shadow() {
  if (kernel_.options.policy.safety != Safety::shadowed || shadow_ != nullptr) return {};
  WATTUNE_ASSIGN(shadow_,
                 Shadow::make(problem_, around_.device, around_.streams, !kernel_.options.policy.adopt_unverified));
  return {};
}

// Runs both halves of a round in one call, where their outputs are compared anyway.
Result<void> Instance::take_shadowed_turn(std::unique_lock<std::mutex> lock, const Call& call) {
  const Turn first = pairing_.next(call.mode, around_.now());
  if (!first.timed) return run_best(std::move(lock), call);
  const Turn second = pairing_.other_half(first, call.mode, around_.now());
  lock.unlock();
  if (first.exploring) return run_shadowed(first, second, call);
  return second.exploring ? run_shadowed(second, first, call) : run_turn(first, call);
}

Result<void> Instance::run_shadowed(const Turn& candidate, const Turn& best, const Call& call) {
  const Result<void> fits = candidate.variant->check_memory(call.arguments);
  Result<ShadowedCall> ran =
      fits ? shadow_->run(call.stream, call.arguments, *best.variant, *candidate.variant) : fits.error();
  std::unique_lock lock(mutex_);
  if (ran) {
    const Result<void> result = ran->best ? Result<void>() : ran->best.error();
    tell(candidate, best, *std::move(ran));
    return result ? result : repeat(std::move(lock), call, best.variant, result.error());
  }
  if (fits) end_shadowing(ran.error());
  pairing_.sent(candidate, ran.error(), {});
  if (best.timed) pairing_.sent(best, ran.error(), {});
  return run_best(std::move(lock), call);
}

// Ends tuning, because nothing can be explored without memory for the copies.
void Instance::end_shadowing(const Error& why) {
  around_.note(fmt::format("kernel `{}`, {}: not tuned further, because outputs cannot be compared: {}",
                           kernel_.spec.name, to_string(key()), why.to_string()));
  if (explorer_) end_tuning();
}

// Reports a shadowed call. The cost of comparing is the time of the call minus that of the slower of the two.
void Instance::tell(const Turn& candidate, const Turn& best, ShadowedCall call) {
  const Nanoseconds adds = call.took - std::max(time_of(call.best), time_of(call.candidate));
  if (call.is_wrong) ++wrong_results_;
  if (!call.candidate)
    around_.note(fmt::format("kernel `{}`, {}: {} is not used again: {}", kernel_.spec.name, to_string(key()),
                             candidate.variant->configuration().to_string(), call.candidate.error().to_string()));
  pairing_.sent(candidate, std::move(call.candidate), {.waited = adds});
  if (best.timed) pairing_.sent(best, std::move(call.best), {});
}

}  // namespace wattune::dynamic
