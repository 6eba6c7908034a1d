#include "dynamic/calls/instance.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/stopwatch.h"
#include "dynamic/calls/repeat.h"
#include "dynamic/tuning/key_search.h"

namespace wattune::inline v0_1::dynamic {

namespace {

// Longest wait for the device, for exclusive measurements.
constexpr Nanoseconds kLongestWait = nanoseconds_from_seconds(60);

Error nothing_to_capture(const Problem& problem) {
  return Error(ErrorCode::unavailable,
               fmt::format("nothing of kernel `{}` is loaded for {}, and nothing is loaded while a stream is captured",
                           problem.spec.name, to_string(problem.key)))
      .hint("call it once, or preload(), before the capture begins");
}

}  // namespace

Instance::Instance(std::shared_ptr<const Problem> problem, KernelParts& kernel, Surroundings& around)
    : path_(around, kernel.options.policy.watch_every.value_or(0)),
      kernel_{std::move(problem), kernel, around},
      starting_(*kernel_.problem,
                around.wisdom.near(kernel.version, around.device.info(), key(), StartingCandidates::kNearKeys),
                kernel.options),
      loader_(kernel_),
      tuning_(kernel_, path_, mutex_, loader_, starting_),
      beginning_(kernel_, path_, mutex_, loader_, starting_, tuning_) {}

// Runs a call. Results of earlier calls are taken and further work is started after the launch, while the device is
// busy.
Result<void> Instance::call(const Call& call) {
  WATTUNE_ASSIGN(Lane* const lane, kernel_.around.streams.find(call.stream));
  const bool capturing = lane->stream->is_capturing();
  std::unique_lock lock(mutex_);
  const bool may_time = call.mode != Mode::best && !capturing && keeps_times(*lane->stream);
  Result<void> sent = send(std::move(lock), call, capturing, may_time);
  if (!may_time) return sent;
  lock = std::unique_lock(mutex_);
  tuning_.look(call.mode);
  return sent;
}

Result<void> Instance::send(std::unique_lock<std::mutex> lock, const Call& call, bool capturing, bool may_time) {
  if (!has_best(state())) return without_best(std::move(lock), call, capturing);
  if (may_time && tuning_.pairing().is_busy()) return take_turn(std::move(lock), call);
  return may_time && path_.take_due() ? watch_best(std::move(lock), call) : run_best(std::move(lock), call);
}

bool Instance::keeps_times(const backend::Stream& stream) {
  if (stream.keeps_times()) return true;
  if (!std::exchange(noted_no_times_, true))
    kernel_.note("nothing is tried in a queue that keeps no times (make it with CL_QUEUE_PROFILING_ENABLE)");
  tuning_.rest_a_while();
  return false;
}

Result<void> Instance::watch_best(std::unique_lock<std::mutex> lock, const Call& call) {
  const std::shared_ptr<Variant> best = tuning_.best();
  lock.unlock();
  Result<TimedCall> timed = best->send_timed(call.stream, call.arguments);
  lock.lock();
  if (!timed) return repeat(std::move(lock), call, best, std::move(timed).error());
  tuning_.best_known().watch(best, *std::move(timed));
  return {};
}

Result<void> Instance::run_best(std::unique_lock<std::mutex> lock, const Call& call) {
  const std::shared_ptr<Variant> best = tuning_.best();
  if (best == nullptr) return without_best(std::move(lock), call, false);
  lock.unlock();
  Result<void> sent = best->send(call.stream, call.arguments);
  if (sent) return sent;
  lock.lock();
  return repeat(std::move(lock), call, best, std::move(sent).error());
}

// Repeats the call with the best known configuration after the driver refused a launch, if that launch left the call's
// inputs unchanged.
Result<void> Instance::repeat(std::unique_lock<std::mutex> lock, const Call& call,
                              const std::shared_ptr<Variant>& failed, Error error) {
  if (error.code() != ErrorCode::launch_failed) return error;
  tuning_.fail_best(failed, error);
  if (!can_be_repeated(*kernel_.problem, failed->configuration())) return with_spoilt_outputs(std::move(error));
  return run_best(std::move(lock), call);
}

Result<void> Instance::call_again(const Call& call, const Variant& failed, Error error) {
  std::unique_lock lock(mutex_);
  const BestKnown::Variants& published = tuning_.best_known().published();
  const auto found = std::ranges::find(published, &failed, &std::shared_ptr<Variant>::get);
  return repeat(std::move(lock), call, *found, std::move(error));
}

// Runs a call as a turn of a comparison. If the call's memory does not suit the best known configuration, the call
// fails, and the candidate is not blamed for that.
Result<void> Instance::take_turn(std::unique_lock<std::mutex> lock, const Call& call) {
  WATTUNE_TRY(tuning_.best()->check_memory(call.arguments));
  if (tuning_.shadow() != nullptr) return take_shadowed_turn(std::move(lock), call);
  const Turn turn = tuning_.pairing().next(call.mode, kernel_.around.now(), [&] { return is_idle(call.stream); });
  if (!turn.timed) return run_best(std::move(lock), call);
  lock.unlock();
  return run_turn(turn, call);
}

bool Instance::is_idle(const CallStream& stream) const {
  const Result<Lane*> lane = kernel_.around.streams.find(stream);
  const Result<backend::StreamState> state = lane ? (*lane)->stream->state() : lane.error();
  return !state || *state == backend::StreamState::idle;
}

// Runs a turn and reports it. If a candidate failed and left the call's inputs unchanged, repeats the call with the
// best known configuration.
Result<void> Instance::run_turn(const Turn& turn, const Call& call) {
  const Result<Lane*> lane = kernel_.around.streams.find(call.stream);
  const auto wait = [&]() -> Result<void> {
    WATTUNE_TRY(lane);
    return turn.exclusive ? (*lane)->stream->finish(kLongestWait) : Result<void>();
  };
  Sending sending{.others_busy = kernel_.around.loader.others_busy(call.stream)};
  const Stopwatch waiting;
  Result<void> ready = wait();
  sending.waited = waiting.elapsed();
  const Stopwatch launching;
  Result<TimedCall> sent = ready ? turn.variant->send_timed(call.stream, call.arguments) : ready.error();
  sending.took = launching.elapsed();
  const Stopwatch waiting_after;
  if (sent && turn.exclusive) ready = wait();
  sending.waited += turn.exclusive ? waiting_after.elapsed() : Nanoseconds();
  Result<void> result = sent ? Result<void>() : sent.error();
  std::unique_lock lock(mutex_);
  tuning_.pairing().sent(turn, std::move(sent), sending);
  if (result) return result;
  const ErrorCode code = result.error().code();
  if (code == ErrorCode::launch_failed) return repeat(std::move(lock), call, turn.variant, std::move(result).error());
  const bool is_final = !turn.exploring || code == ErrorCode::device_lost || code == ErrorCode::cancelled;
  return is_final ? result : run_best(std::move(lock), call);
}

Result<void> Instance::without_best(std::unique_lock<std::mutex> lock, const Call& call, bool capturing) {
  const KernelOptions& options = kernel_.parts.options;
  const bool has_generic = !options.generic.empty();
  if (!capturing) beginning_.begin_loaded();
  if (has_best(state())) return run_best(std::move(lock), call);
  if (!capturing && call.mode != Mode::best) tuning_.prepare_explorer();
  if (!capturing && (has_generic || options.fallback)) beginning_.begin_for_calls();
  lock.unlock();
  if (const std::shared_ptr<Variant> generic = has_generic ? beginning_.generic(capturing) : nullptr) {
    fallbacks_.fetch_add(1, std::memory_order_relaxed);
    return generic->send(call.stream, call.arguments);
  }
  if (options.fallback) {
    fallbacks_.fetch_add(1, std::memory_order_relaxed);
    return options.fallback(call.stream, call.arguments);
  }
  if (capturing) return nothing_to_capture(*kernel_.problem);
  WATTUNE_TRY(beginning_.begin_now());
  lock.lock();
  return run_best(std::move(lock), call);
}

// Runs the candidate and the best known configuration in one call, because a shadowed call compares the outputs of both
// anyway.
Result<void> Instance::take_shadowed_turn(std::unique_lock<std::mutex> lock, const Call& call) {
  const Turn first = tuning_.pairing().next(call.mode, kernel_.around.now());
  if (!first.timed) return run_best(std::move(lock), call);
  const Turn second = tuning_.pairing().other_half(first, call.mode, kernel_.around.now());
  lock.unlock();
  if (first.exploring) return run_shadowed(first, second, call);
  return second.exploring ? run_shadowed(second, first, call) : run_turn(first, call);
}

Result<void> Instance::run_shadowed(const Turn& candidate, const Turn& best, const Call& call) {
  const Result<void> fits = candidate.variant->check_memory(call.arguments);
  Result<ShadowedCall> ran =
      fits ? tuning_.shadow()->run(call.stream, call.arguments, *best.variant, *candidate.variant) : fits.error();
  std::unique_lock lock(mutex_);
  if (ran) {
    const Result<void> result = ran->best ? Result<void>() : ran->best.error();
    tuning_.take_shadowed(candidate, best, *std::move(ran));
    return result ? result : repeat(std::move(lock), call, best.variant, result.error());
  }
  if (fits) tuning_.end_shadowing(ran.error());
  tuning_.pairing().sent(candidate, ran.error(), {});
  if (best.timed) tuning_.pairing().sent(best, ran.error(), {});
  return run_best(std::move(lock), call);
}

// Prepares for expected calls. No call waits yet, so nothing is loaded beside busy streams.
void Instance::expect(std::optional<std::uint64_t> calls, bool may_tune) {
  const std::lock_guard lock(mutex_);
  tuning_.expect(calls, may_tune);
  if (!has_best(state())) beginning_.begin_loaded();
  if (has_best(state())) return tuning_.begin_ahead();
  if (may_tune) tuning_.prepare_explorer();
  beginning_.begin_beside();
}

bool Instance::want_ahead() {
  if (path_.calls() > 0) return false;
  const std::lock_guard lock(mutex_);
  if (state() == KeyState::tuning) tuning_.want_ahead();
  return true;
}

// Replaces a launch of a graph. The launch is searched among the launches of all variants that were ever the best,
// since no other variant can have been captured.
Result<bool> Instance::replace(const CallStream& stream, const backend::GraphLaunch& launch, CUgraphExec_st* executable,
                               const std::function<bool(std::span<const CallArgument>)>& is_mine) {
  std::unique_lock lock(mutex_);
  const std::shared_ptr<Variant> best = tuning_.best();
  const BestKnown::Variants published = tuning_.best_known().published();
  lock.unlock();
  for (const std::shared_ptr<Variant>& variant : published) {
    const std::vector<CallArgument> arguments = variant->call_in(launch);
    if (best == nullptr || arguments.empty() || !is_mine(arguments)) continue;
    WATTUNE_TRY(best->replace(stream, arguments, launch, executable));
    return true;
  }
  return false;
}

// Adopts the configuration of a Trial, even if the Trial comes from the space of other sizes.
Result<void> Instance::adopt(const Trial& best) {
  WATTUNE_ASSIGN(const Configuration configuration, same_in(kernel_.problem->space, best.configuration));
  WATTUNE_ASSIGN(std::shared_ptr<Variant> variant, loader_.load(configuration));
  const std::lock_guard lock(mutex_);
  tuning_.adopt(std::move(variant), best.observation);
  return {};
}

void Instance::retune() {
  const std::lock_guard lock(mutex_);
  tuning_.retune();
}

std::optional<Configuration> Instance::best() const {
  const std::lock_guard lock(mutex_);
  if (tuning_.best() == nullptr) return std::nullopt;
  return tuning_.best()->configuration();
}

void Instance::report(KernelReport& report) const {
  const std::lock_guard lock(mutex_);
  KeyReport& one = report.keys.emplace_back();
  one.key = key();
  one.calls = path_.calls();
  tuning_.report(one);
  report.calls += one.calls;
  report.explored += one.explored;
  report.fallbacks += fallbacks_.load(std::memory_order_relaxed);
  report.wrong_results += tuning_.wrong_results();
  report.blocked += beginning_.blocked();
}

}  // namespace wattune::dynamic
