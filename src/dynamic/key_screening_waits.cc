// When the screening of a key waits, rests, makes room for others, or ends.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "dynamic/key_screening.h"

namespace wattune::dynamic {

namespace {

// When a key is not called for so long its search ends; sooner where another key waits.
constexpr Nanoseconds kLeft = nanoseconds_from_seconds(30);
constexpr Nanoseconds kLeftForOthers = nanoseconds_from_seconds(0.2);
constexpr double kByFar = 4.0;
constexpr double kAgain = 2.0;
// And sooner where it waits for a compiler, which may take seconds for a configuration.
constexpr Nanoseconds kForCompiler = nanoseconds_from_ms(20);
// When its next step has not paid for so long it is put aside, and its process given back after as long: in the first
// seconds of its calls, what a few slow configurations cost does not pay.
constexpr Nanoseconds kRest = nanoseconds_from_seconds(5);

bool is_compiling(const backend::PooledSource& compilers) {
  const backend::CompileActivity activity = compilers.activity();
  return activity.waiting + activity.running > 0;
}

}  // namespace

// Once it has begun, since then.
Nanoseconds KeyScreening::since_last_call(Nanoseconds now) {
  const std::uint64_t calls = calls_.load(std::memory_order_relaxed);
  if (std::exchange(seen_calls_, calls) != calls || !last_call_) last_call_ = now;
  return now - *last_call_;
}

bool KeyScreening::is_over(Nanoseconds now) {
  if (cancelled() || state().over) return true;
  if (since_last_call(now) <= kLeft) return false;
  end("screening ended: the key was not called any more");
  const std::lock_guard lock(mutex_);
  state_.left = true;
  return true;
}

Nanoseconds KeyScreening::worth(Nanoseconds now) {
  const bool is_called = is_expected_.load(std::memory_order_relaxed) || since_last_call(now) <= kLeftForOthers;
  return is_called && !cancelled() ? worth_.of_one_more() : Nanoseconds();
}

bool KeyScreening::stops(const ScreeningPlace& place, Nanoseconds cost) {
  return place.stop.stop_requested() || is_over(place.now()) || yields(place, cost) || rests(place.now(), cost);
}

// What it holds of the device is not wanted for long.
bool KeyScreening::rests(Nanoseconds now, Nanoseconds cost) {
  if (pays(cost))
    last_paid_.reset();
  else if (!last_paid_)
    last_paid_ = now;
  return last_paid_ && now - *last_paid_ > kRest;
}

// What was put aside needs data once more, unless they were kept.
bool KeyScreening::is_worth_running(Nanoseconds cost, bool is_set_up) const {
  const bool needs_data_again = under_way_ && !is_set_up;
  return pays((needs_data_again ? kAgain : 1.0) * cost) && !waits_for_reference() && !waits_for_next();
}

std::optional<std::string> KeyScreening::take_reason_to_rest(Nanoseconds now, Nanoseconds cost) {
  if (told_of_rest_ || !rests(now, cost)) return std::nullopt;
  told_of_rest_ = true;
  return fmt::format(
      "kernel `{}`, {}: screening waits: in the calls that are expected one more configuration would save {:.3g} ms, "
      "and trying it takes {:.3g} ms of the device",
      problem_->spec.name, to_string(problem_->key), to_ms(worth_.of_one_more()), to_ms(cost));
}

// Once, of a budget that a step has waited for so long.
void KeyScreening::note_poor(const ScreeningPlace& place, Nanoseconds waited, Nanoseconds cost) {
  if (told_of_rest_ || waited <= kRest || !pays(cost)) return;
  told_of_rest_ = true;
  place.note(fmt::format(
      "kernel `{}`, {}: screening waits: trying one more configuration takes {:.3g} ms of the device, which the budget "
      "has not gained in {:.3g} s (Budget::share)",
      problem_->spec.name, to_string(problem_->key), to_ms(cost), to_seconds(waited)));
}

// To change between keys takes a while, if data are generated in it, so that others must be worth more by far, unless
// its own next step does not pay.
bool KeyScreening::yields(const ScreeningPlace& place, Nanoseconds cost) {
  if (!pays(cost)) return place.others() >= Nanoseconds();
  const Nanoseconds own = worth(place.now());
  return place.others() > kByFar * own;
}

// A reference is all that is expected of its compilers.
bool KeyScreening::waits_for_reference() const {
  if (needs_default()) return !is_compiled(standard()) && is_compiling(*compilers_);
  return reference_compilers_ && is_compiling(*reference_compilers_);
}

// Which takes the place of a reference.
bool KeyScreening::needs_default() const {
  return compilers_ != nullptr && !was_set_up_ && std::holds_alternative<std::monostate>(problem_->spec.reference);
}

// Others behind it would keep the compilers from what is screened first, which mostly is the default once more.
std::vector<Configuration> KeyScreening::awaited() const {
  return needs_default() ? std::vector{standard()} : under_way_->expected();
}

// For whichever is compiled first; at first for the one with which all others are compared.
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

// Nothing is lost where all are compiled with which it begins whatever they show.
std::size_t KeyScreening::ahead(const ScreeningPlace& place) const {
  const std::size_t tried = trials_.all.size();
  const std::size_t known = search_.known > tried ? search_.known - tried : 0;
  return std::max(lookahead_->value(), std::min(known, place.compile_ahead));
}

// Not in the evaluator, which would not notice that the search is to end, or that others could go on meanwhile.
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
