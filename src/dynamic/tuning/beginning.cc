#include "dynamic/tuning/beginning.h"

#include <algorithm>
#include <utility>

#include "core/stopwatch.h"

namespace wattune::inline v0_1::dynamic {

namespace {

// Number of candidates for the beginning that are compiled at once, since compiling any of them may take long.
constexpr std::size_t kCandidatesCompiledAtOnce = 4;
constexpr Nanoseconds kLeastPatience = nanoseconds_from_ms(100);

}  // namespace

void Beginning::begin_loaded() {
  const Configuration* const first = starting_.first();
  if (first == nullptr || !loader_.is_loaded(*first)) return;
  static_cast<void>(take(loader_.load(*starting_.take())));
}

// Requests the first configuration. If the state is unstarted, it becomes beginning.
void Beginning::begin_beside() {
  if (state_ != KeyState::unstarted) return;
  std::vector<Configuration> likeliest = starting_.likeliest(kCandidatesCompiledAtOnce);
  if (likeliest.empty()) return;
  state_ = KeyState::beginning;
  request_first(likeliest);
  loader_.expect(std::move(likeliest), true);
}

// Requests a first configuration if that was not done before, and makes the request urgent. Changes nothing if the
// request is urgent already. If no candidate is left to request, the key is exhausted from now on.
void Beginning::begin_for_calls() {
  begin_beside();
  if (state_ == KeyState::hurried || state_ == KeyState::exhausted) return;
  state_ = state_ == KeyState::beginning ? KeyState::hurried : KeyState::exhausted;
  loader_.hurry();
}

// Requests the first configuration from the loader. Compiling may still take long. If the key has a configuration to
// run by the time it ends, the request is cancelled. The loader calls the request's functions from one thread at a
// time.
void Beginning::request_first(std::vector<Configuration> likeliest) {
  const auto loaded = std::make_shared<Configuration>(likeliest.front());
  const auto request = std::make_shared<FirstRequest>(FirstRequest{std::move(likeliest), kernel_.around.now()});
  loader_.request({.load = [this, request, loaded]() -> Result<std::shared_ptr<Variant>> {
                     if (path_.has_best()) return Error(ErrorCode::cancelled, "the key has something to run");
                     if (const Configuration* const chosen = choose(*request)) *loaded = *chosen;
                     return loader_.load(*loaded);
                   },
                   .loaded = [this, loaded](auto variant) { take_first(*loaded, std::move(variant)); },
                   .ready = [this, request] { return path_.has_best() || choose(*request) != nullptr; }});
}

// Returns the likeliest configuration that is compiled. Returns nullptr if none is compiled. Also returns nullptr if a
// likelier one may soon be compiled and the key was not called yet. Likelier configurations get as much time after the
// first compiled one as that one took.
const Configuration* Beginning::choose(FirstRequest& request) const {
  const std::vector<Configuration>& all = request.likeliest;
  const auto compiled = std::ranges::find_if(all, [this](const Configuration& each) { return loader_.is_ready(each); });
  if (compiled == all.end()) return nullptr;
  const Nanoseconds now = kernel_.around.now();
  if (!request.first_ready) request.first_ready = now;
  const Nanoseconds patience = std::max(kLeastPatience, *request.first_ready - request.asked);
  const bool has_waited = now - *request.first_ready >= patience;
  const bool is_called = path_.calls() > 0;
  return compiled == all.begin() || is_called || has_waited ? &*compiled : nullptr;
}

// Takes the result of the request; the loader calls it, so it takes the mutex. The state becomes running if the
// configuration works, else unstarted, as no request is left. If the key has something to run already, the result is
// not needed.
void Beginning::take_first(const Configuration& configuration, Result<std::shared_ptr<Variant>> variant) {
  const std::lock_guard lock(mutex_);
  state_ = KeyState::unstarted;
  const bool is_late = tuning_.best() != nullptr;
  if (!is_late) starting_.take(configuration);
  if (is_late || take(std::move(variant))) tuning_.begin_ahead();
  path_.wake();
}

// Makes calls run this variant, or records why it cannot run.
Result<void> Beginning::take(Result<std::shared_ptr<Variant>> variant) {
  if (!variant) {
    tuning_.attempts().note_error(variant.error());
    return std::move(variant).error();
  }
  tuning_.best_known().publish(*std::move(variant));
  return {};
}

// Compiles in the calling thread. The application waits for this function.
Result<void> Beginning::begin_now() {
  const std::lock_guard compiling(compiling_);
  const Stopwatch blocked;
  for (;;) {
    std::optional<Configuration> candidate;
    {
      const std::lock_guard lock(mutex_);
      if (tuning_.best() != nullptr) break;
      candidate = starting_.take();
      if (!candidate)
        return tuning_.attempts().last_error().value_or(Error(ErrorCode::launch_failed, "no configuration works"));
    }
    Result<void> began = try_now(*candidate);
    if (!began && began.error().code() == ErrorCode::device_lost) return began;
  }
  const std::lock_guard lock(mutex_);
  blocked_ += blocked.elapsed();
  return {};
}

Result<void> Beginning::try_now(const Configuration& configuration) {
  Result<std::shared_ptr<Variant>> variant = loader_.load(configuration);
  const std::lock_guard lock(mutex_);
  return take(std::move(variant));
}

std::shared_ptr<Variant> Beginning::generic(bool capturing) {
  const std::lock_guard compiling(compiling_);
  if (capturing || generic_) return generic_.value_or(nullptr);
  if (kernel_.parts.options.fallback && !kernel_.parts.variants->is_generic_ready()) return nullptr;
  Result<std::shared_ptr<Variant>> made = make_generic();
  if (!made) kernel_.note("its generic configuration: " + made.error().to_string());
  generic_ = made ? *std::move(made) : nullptr;
  return *generic_;
}

Result<std::shared_ptr<Variant>> Beginning::make_generic() {
  WATTUNE_ASSIGN(const Configuration configuration, kernel_.problem->generic(kernel_.parts.options.generic));
  WATTUNE_ASSIGN(std::shared_ptr<Variant> generic,
                 kernel_.parts.variants->make_generic(kernel_.problem, configuration));
  generic->keep_loaded();
  return generic;
}

}  // namespace wattune::dynamic
