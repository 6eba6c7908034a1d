// Decides when the screening of a key waits, pauses, makes room for other keys, or ends.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "dynamic/screening/key_screening.h"

namespace wattune::inline v0_1::dynamic {

namespace {

// Time without calls after which the search of a key ends, and a shorter time after which the search makes room for
// other keys.
constexpr Nanoseconds kCallPauseThatEndsSearch = nanoseconds_from_seconds(30);
constexpr Nanoseconds kCallPauseThatMakesRoom = nanoseconds_from_seconds(0.2);
constexpr double kOthersGainFactor = 4.0;
constexpr double kCostFactorOfNewData = 2.0;
// Time for which a key waits for a compiler before other keys are screened instead. A compiler may take seconds for a
// configuration.
constexpr Nanoseconds kForCompiler = nanoseconds_from_ms(20);
// Time after which a key is put aside, if its next step has not paid for so long. Once the same time has passed again,
// the key's evaluator is given up. A few slow configurations do not pay in the first seconds of a key's calls, so a
// shorter time would put aside too many keys.
constexpr Nanoseconds kUnpaidTimeBeforePause = nanoseconds_from_seconds(5);

bool is_compiling(const backend::PooledSource& compilers) {
  const backend::CompileActivity activity = compilers.activity();
  return activity.waiting + activity.running > 0;
}

}  // namespace

// Returns the time since the key's last call. If no call was noticed yet, returns the time since this function was
// first called.
Nanoseconds KeyScreening::since_last_call(Nanoseconds now) {
  const std::uint64_t calls = calls_.load(std::memory_order_relaxed);
  if (std::exchange(seen_calls_, calls) != calls || !last_call_) last_call_ = now;
  return now - *last_call_;
}

bool KeyScreening::is_over(Nanoseconds now) {
  if (cancelled() || state().over) return true;
  if (since_last_call(now) <= kCallPauseThatEndsSearch) return false;
  end("screening ended: the key was not called any more", End::left);
  return true;
}

Nanoseconds KeyScreening::trial_gain(Nanoseconds now) {
  const bool is_called =
      is_expected_.load(std::memory_order_relaxed) || since_last_call(now) <= kCallPauseThatMakesRoom;
  return is_called && !cancelled() ? trial_gain_.of_one_more() : Nanoseconds();
}

bool KeyScreening::stops(const ScreeningPlace& place, Nanoseconds cost) {
  return place.stop.stop_requested() || is_over(place.now()) || yields(place, cost) || rests(place.now(), cost);
}

// Updates the time since which the next step of the key has not paid. Returns true if that is so long ago that the key
// gives up its evaluator.
bool KeyScreening::rests(Nanoseconds now, Nanoseconds cost) {
  if (pays(cost))
    last_paid_.reset();
  else if (!last_paid_)
    last_paid_ = now;
  return last_paid_ && now - *last_paid_ > kUnpaidTimeBeforePause;
}

// True if running the key's next step pays. For a key that was put aside, making its evaluator again is part of the
// cost, unless the evaluator was kept.
bool KeyScreening::is_worth_running(Nanoseconds cost, bool is_set_up) const {
  const bool needs_data_again = under_way_ && !is_set_up;
  return pays((needs_data_again ? kCostFactorOfNewData : 1.0) * cost) && !waits_for_reference() && !waits_for_next();
}

std::optional<std::string> KeyScreening::take_reason_to_rest(Nanoseconds now, Nanoseconds cost) {
  if (told_of_rest_ || !rests(now, cost)) return std::nullopt;
  told_of_rest_ = true;
  return fmt::format(
      "kernel `{}`, {}: screening waits: in the calls that are expected one more configuration would save {:.3g} ms, "
      "and trying it takes {:.3g} ms of the device",
      problem_->spec.name, to_string(problem_->key), to_ms(trial_gain_.of_one_more()), to_ms(cost));
}

// Writes a note, once, that a step has waited too long for the budget.
void KeyScreening::note_poor(const ScreeningPlace& place, Nanoseconds waited, Nanoseconds cost) {
  if (told_of_rest_ || waited <= kUnpaidTimeBeforePause || !pays(cost)) return;
  told_of_rest_ = true;
  place.note(fmt::format(
      "kernel `{}`, {}: screening waits: trying one more configuration takes {:.3g} ms of the device, which the budget "
      "has not gained in {:.3g} s (Budget::share)",
      problem_->spec.name, to_string(problem_->key), to_ms(cost), to_seconds(waited)));
}

// True if this key makes room for other keys. Changing to another key takes a while if data must be generated. So the
// other key must be worth much more, unless the next step of this key does not pay.
bool KeyScreening::yields(const ScreeningPlace& place, Nanoseconds cost) {
  if (!pays(cost)) return place.others() >= Nanoseconds();
  const Nanoseconds own = trial_gain(place.now());
  return place.others() > kOthersGainFactor * own;
}

// True while the key's reference is compiled. That is the spec's reference kernel, or else the default configuration.
bool KeyScreening::waits_for_reference() const {
  if (needs_default()) return !is_compiled(standard()) && is_compiling(*compilers_);
  return reference_compilers_ && is_compiling(*reference_compilers_);
}

// True if the key needs the default configuration, whose outputs are then the reference.
bool KeyScreening::needs_default() const {
  return compilers_ != nullptr && !was_set_up_ && std::holds_alternative<std::monostate>(problem_->spec.reference);
}

// Returns the configurations for whose code the key waits. Announcing more of them would delay the code that is
// screened first, which is mostly the default configuration.
std::vector<Configuration> KeyScreening::awaited() const {
  return needs_default() ? std::vector{standard()} : under_way_->expected();
}

// True while no proposed configuration is compiled. Before the first step, true while the first configuration is not
// compiled, since all others are compared with it.
bool KeyScreening::waits_for_next() const {
  if (compilers_ == nullptr || !next_ || is_compiled(*next_) || !is_compiling(*compilers_)) return false;
  const auto is_ready = [this](const Configuration& each) { return is_compiled(each); };
  return trials_.all.empty() || std::ranges::none_of(under_way_->expected(), is_ready);
}

bool KeyScreening::is_compiled(const Configuration& configuration) const {
  return compilers_->is_ready(tune::macros_of(problem_->spec.parameters, configuration));
}

void KeyScreening::take_compiled() {
  if (compilers_ == nullptr || trials_.all.empty() || is_compiled(*next_)) return;
  const auto ready = under_way_->exchange([this](const Configuration& each) { return is_compiled(each); });
  if (ready) next_ = ready;
}

// Returns how many proposals are made ahead. All known configurations are compiled ahead in any case, since the search
// begins with all of them.
std::size_t KeyScreening::ahead(const ScreeningPlace& place) const {
  const std::size_t tried = trials_.all.size();
  const std::size_t known = search_.known > tried ? search_.known - tried : 0;
  return std::max(lookahead_->value(), std::min(known, place.compile_ahead));
}

// Waits while `waits` returns true. The evaluator could wait instead, but it would not notice that the search is to end
// or that other keys could run.
bool KeyScreening::wait_while(bool (KeyScreening::*waits)() const, const ScreeningPlace& place) {
  constexpr std::chrono::milliseconds kPause{1};
  const Nanoseconds begin = place.now();
  while ((this->*waits)()) {
    const bool yields = place.now() - begin > kForCompiler && place.others() >= Nanoseconds();
    if (place.stop.stop_requested() || is_over(place.now()) || yields) return false;
    std::this_thread::sleep_for(kPause);
  }
  return true;
}

}  // namespace wattune::dynamic
