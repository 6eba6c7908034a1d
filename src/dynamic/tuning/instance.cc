#include "dynamic/tuning/instance.h"

#include <fmt/format.h>

#include <algorithm>

#include "dynamic/calls/repeat.h"
#include "dynamic/tuning/key_search.h"

namespace wattune::inline v0_1::dynamic {

namespace {

// Longest wait for the device, where measuring is exclusive.
constexpr Nanoseconds kLongestWait = nanoseconds_from_seconds(60);

Error nothing_to_capture(const Problem& problem) {
  return Error(ErrorCode::unavailable,
               fmt::format("nothing of kernel `{}` is loaded for {}, and nothing is loaded while a stream is captured",
                           problem.spec.name, to_string(problem.key)))
      .hint("call it once, or preload(), before the capture begins");
}

}  // namespace

Instance::Instance(std::shared_ptr<const Problem> problem, KernelParts& kernel, Surroundings& around)
    : problem_(std::move(problem)),
      kernel_(kernel),
      around_(around),
      pairing_(around.stall_budget, around.loader, kernel.options.policy.measuring, kernel.options.policy.safety),
      drift_(kernel.options.policy.watch_every, kernel.options.policy.drift, around.device_drift),
      starting_candidates_(
          *problem_, around.wisdom.near(kernel.version, around.device.info(), key(), StartingCandidates::kNearKeys),
          kernel.options),
      occasion_(kernel.options.policy, starting_candidates_.is_known()),
      is_tuned_(starting_candidates_.is_known()) {}

Instance::~Instance() {
  around_.loader.drop(this);
  around_.stall_budget.expect(Nanoseconds() - told_run_);
  kernel_.variants->expect(this, *problem_, {});
  if (explorer_) --around_.tuning;
}

// Runs a call. Learning and starting further work come after the launch, while the device is busy.
Result<void> Instance::call(const Call& call) {
  WATTUNE_ASSIGN(Lane* const lane, around_.streams.find(call.stream));
  const bool capturing = lane->stream->is_capturing();
  std::unique_lock lock(mutex_);
  const bool may_time = call.mode != Mode::best && !capturing && keeps_times(*lane->stream);
  Result<void> sent = send(std::move(lock), call, capturing, may_time);
  if (!may_time) return sent;
  lock = std::unique_lock(mutex_);
  look(call.mode);
  return sent;
}

Result<void> Instance::send(std::unique_lock<std::mutex> lock, const Call& call, bool capturing, bool may_time) {
  if (pairing_.best() == nullptr) return without_best(std::move(lock), call, capturing);
  if (may_time && pairing_.is_busy()) return take_turn(std::move(lock), call);
  return may_time && due_.exchange(false) ? watch_best(std::move(lock), call) : run_best(std::move(lock), call);
}

bool Instance::keeps_times(const backend::Stream& stream) {
  if (stream.keeps_times()) return true;
  if (!std::exchange(told_of_no_times_, true))
    around_.note(
        fmt::format("kernel `{}`, {}: nothing is tried in a queue that keeps no times (make it with "
                    "CL_QUEUE_PROFILING_ENABLE)",
                    kernel_.spec.name, to_string(key())));
  rest_a_while();
  return false;
}

Result<void> Instance::watch_best(std::unique_lock<std::mutex> lock, const Call& call) {
  const std::shared_ptr<Variant> best = pairing_.best();
  lock.unlock();
  Result<TimedCall> timed = best->send_timed(call.stream, call.arguments);
  lock.lock();
  if (!timed) return repeat(std::move(lock), call, best, std::move(timed).error());
  if (pairing_.best() == best) drift_.watch(*std::move(timed));
  return {};
}

Result<void> Instance::run_best(std::unique_lock<std::mutex> lock, const Call& call) {
  const std::shared_ptr<Variant> best = pairing_.best();
  if (best == nullptr) return without_best(std::move(lock), call, false);
  lock.unlock();
  Result<void> sent = best->send(call.stream, call.arguments);
  if (sent) return sent;
  lock.lock();
  return repeat(std::move(lock), call, best, std::move(sent).error());
}

// Repeats the call with the best known configuration, if the refused launch left the call's inputs unchanged.
Result<void> Instance::repeat(std::unique_lock<std::mutex> lock, const Call& call,
                              const std::shared_ptr<Variant>& failed, Error error) {
  if (error.code() != ErrorCode::launch_failed) return error;
  fail_best(failed, error);
  if (!can_be_repeated(*problem_, failed->configuration())) return with_spoilt_outputs(std::move(error));
  return run_best(std::move(lock), call);
}

Result<void> Instance::call_again(const Call& call, const Variant& failed, Error error) {
  std::unique_lock lock(mutex_);
  const auto found = std::ranges::find(published_, &failed, &std::shared_ptr<Variant>::get);
  return repeat(std::move(lock), call, *found, std::move(error));
}

void Instance::fail_best(const std::shared_ptr<Variant>& failed, const Error& error) {
  if (pairing_.best() != failed) return;
  around_.note(fmt::format("kernel `{}`, {}: {} fails and is not used again: {}", kernel_.spec.name, to_string(key()),
                           failed->configuration().to_string(), error.to_string()));
  last_failure_ = error;
  // The best configuration that it replaced, if there was one, worked.
  failed_.insert(failed->configuration().id());
  note_failure(failed->configuration(), {.status = Status::runtime, .message = error.to_string()});
  const auto works = std::ranges::find_if(published_.rbegin(), published_.rend(), [&](const auto& each) {
    return !failed_.contains(each->configuration().id());
  });
  pairing_.set_best(nullptr);
  best_.store(nullptr, std::memory_order_release);
  if (works != published_.rend()) publish(*works);
}

// Runs a call as a turn. Memory that does not suit the best known is an error of the call, not of a candidate.
Result<void> Instance::take_turn(std::unique_lock<std::mutex> lock, const Call& call) {
  WATTUNE_TRY(pairing_.best()->check_memory(call.arguments));
  if (shadow_ != nullptr) return take_shadowed_turn(std::move(lock), call);
  const Turn turn = pairing_.next(call.mode, around_.now(), [&] { return is_idle(call.stream); });
  if (!turn.timed) return run_best(std::move(lock), call);
  lock.unlock();
  return run_turn(turn, call);
}

bool Instance::is_idle(const CallStream& stream) const {
  const Result<Lane*> lane = around_.streams.find(stream);
  const Result<backend::StreamState> state = lane ? (*lane)->stream->state() : lane.error();
  return !state || *state == backend::StreamState::idle;
}

// Runs a turn and reports it. Repeats the call with the best known if a candidate failed and left its inputs unchanged.
Result<void> Instance::run_turn(const Turn& turn, const Call& call) {
  WATTUNE_ASSIGN(Lane* const lane, around_.streams.find(call.stream));
  const auto wait = [&]() -> Result<void> {
    return turn.exclusive ? lane->stream->finish(kLongestWait) : Result<void>();
  };
  Sending sending{.others_busy = around_.loader.others_busy(call.stream)};
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
  pairing_.sent(turn, std::move(sent), sending);
  if (result) return result;
  const ErrorCode code = result.error().code();
  if (code == ErrorCode::launch_failed) return repeat(std::move(lock), call, turn.variant, std::move(result).error());
  const bool is_final = !turn.exploring || code == ErrorCode::device_lost || code == ErrorCode::cancelled;
  return is_final ? result : run_best(std::move(lock), call);
}

Result<void> Instance::without_best(std::unique_lock<std::mutex> lock, const Call& call, bool capturing) {
  const bool has_generic = !kernel_.options.generic.empty();
  if (!capturing) begin_with_loaded();
  if (pairing_.best() != nullptr) return run_best(std::move(lock), call);
  if (!capturing && call.mode != Mode::best) expect_explorer();
  if (!capturing && (has_generic || kernel_.options.fallback)) begin_for_calls();
  lock.unlock();
  if (const std::shared_ptr<Variant> generic = has_generic ? this->generic(capturing) : nullptr) {
    fallbacks_.fetch_add(1, std::memory_order_relaxed);
    return generic->send(call.stream, call.arguments);
  }
  if (kernel_.options.fallback) {
    fallbacks_.fetch_add(1, std::memory_order_relaxed);
    return kernel_.options.fallback(call.stream, call.arguments);
  }
  if (capturing) return nothing_to_capture(*problem_);
  WATTUNE_TRY(begin_now());
  lock.lock();
  return run_best(std::move(lock), call);
}

// Returns the generic configuration; nullptr if it cannot run at this key. Also returns nullptr if it is not compiled
// yet and the fallback runs until then, or if a stream is captured and it was not made before.
std::shared_ptr<Variant> Instance::generic(bool capturing) {
  const std::lock_guard beginning(beginning_);
  if (capturing || asked_for_generic_) return generic_;
  if (kernel_.options.fallback && !kernel_.variants->is_generic_ready()) return nullptr;
  asked_for_generic_ = true;
  Result<std::shared_ptr<Variant>> made = make_generic();
  if (made)
    generic_ = *std::move(made);
  else
    around_.note(fmt::format("kernel `{}`, {}: its generic configuration: {}", kernel_.spec.name, to_string(key()),
                             made.error().to_string()));
  return generic_;
}

Result<std::shared_ptr<Variant>> Instance::make_generic() {
  WATTUNE_ASSIGN(const Configuration configuration, problem_->generic(kernel_.options.generic));
  WATTUNE_ASSIGN(std::shared_ptr<Variant> generic, kernel_.variants->make_generic(problem_, configuration));
  generic->keep_loaded();
  return generic;
}

Result<void> Instance::preload() { return best() ? Result<void>() : begin_now(); }

// Compiles in the calling thread; the application waits for this.
Result<void> Instance::begin_now() {
  const std::lock_guard beginning(beginning_);
  const Stopwatch blocked;
  for (;;) {
    std::optional<Configuration> candidate;
    {
      const std::lock_guard lock(mutex_);
      if (pairing_.best() != nullptr) break;
      candidate = starting_candidates_.take();
      if (!candidate) return last_failure_.value_or(Error(ErrorCode::launch_failed, "no configuration works"));
    }
    Result<void> began = try_to_begin(*candidate);
    if (!began && began.error().code() == ErrorCode::device_lost) return began;
  }
  const std::lock_guard lock(mutex_);
  blocked_ += blocked.elapsed();
  return {};
}

// Replaces a launch of a graph. Each variant that may have been captured is among the published ones.
Result<bool> Instance::replace(const CallStream& stream, const backend::GraphLaunch& launch, CUgraphExec_st* executable,
                               const std::function<bool(std::span<const CallArgument>)>& is_mine) {
  std::unique_lock lock(mutex_);
  const std::shared_ptr<Variant> best = pairing_.best();
  const std::vector<std::shared_ptr<Variant>> published = published_;
  lock.unlock();
  for (const std::shared_ptr<Variant>& variant : published) {
    const std::vector<CallArgument> arguments = variant->call_in(launch);
    if (best == nullptr || arguments.empty() || !is_mine(arguments)) continue;
    WATTUNE_TRY(best->replace(stream, arguments, launch, executable));
    return true;
  }
  return false;
}

Result<void> Instance::try_to_begin(const Configuration& configuration) {
  Result<std::shared_ptr<Variant>> variant = load(configuration);
  const std::lock_guard lock(mutex_);
  if (variant) {
    publish(*std::move(variant));
    return {};
  }
  last_failure_ = variant.error();
  return std::move(variant).error();
}

std::optional<Configuration> Instance::best() const {
  const std::lock_guard lock(mutex_);
  if (pairing_.best() == nullptr) return std::nullopt;
  return pairing_.best()->configuration();
}

void Instance::report(KernelReport& report) const {
  const std::lock_guard lock(mutex_);
  KeyReport& one = report.keys.emplace_back();
  one.key = key();
  if (pairing_.best() != nullptr) one.best = pairing_.best()->configuration();
  one.time = pairing_.best_time();
  one.calls = calls_.load(std::memory_order_relaxed);
  one.explored = explored_before_ + (explorer_ ? explorer_->explored() : 0);
  one.failed = failed_before_ + (explorer_ ? explorer_->failed() : 0);
  one.tuning = explorer_ != nullptr;
  one.state = explorer_ ? explorer_->state() : state_;
  one.tried.assign(tried_.begin(), tried_.end());
  one.failures = failures();
  report.calls += one.calls;
  report.explored += one.explored;
  report.fallbacks += fallbacks_.load(std::memory_order_relaxed);
  report.wrong_results += wrong_results_;
  report.blocked += blocked_;
}

}  // namespace wattune::dynamic
