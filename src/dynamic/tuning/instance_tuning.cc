// Tuning of an instance: the search for its best configuration.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/logging.h"
#include "dynamic/screening/measured_entry.h"
#include "dynamic/tuning/instance.h"
#include "dynamic/tuning/key_search.h"

namespace wattune::inline v0_1::dynamic {

namespace {

// Pause between two looks of calls at what was compiled, while there is nothing to try. If nothing is under way, such
// as when a step does not pay yet, the pause grows with the time that the key has been called.
constexpr Nanoseconds kBetweenLooks = Nanoseconds(100e3);
constexpr Nanoseconds kMostBetweenLooks = nanoseconds_from_ms(10.0);
constexpr double kPartBetweenLooks = 1e-3;
// Most candidates that are loaded ahead of their turn.
constexpr std::size_t kLoadedAhead = 16;
constexpr std::size_t kReported = 32;
// Number of candidates for the beginning that are compiled at once, since a compiler may take long for any of them.
constexpr std::size_t kBeginnings = 4;
constexpr Nanoseconds kLeastPatience = nanoseconds_from_ms(100);
// Remaining time with which every step pays, for Mode::explore.
constexpr Nanoseconds kForEver = Nanoseconds(std::numeric_limits<double>::infinity());

Observation failure_of_loading(const Error& error) {
  Observation observation;
  observation.status = error.code() == ErrorCode::compile_failed ? Status::compile
                       : error.code() == ErrorCode::timeout      ? Status::timeout
                                                                 : Status::runtime;
  observation.message = error.to_string();
  return observation;
}

}  // namespace

void Instance::look(Mode mode) {
  count_calls();
  for (Outcome& outcome : pairing_.collect()) take_outcome(std::move(outcome));
  if (pairing_.best() == nullptr) return;
  look_for_drift();
  if (!explorer_ && is_occasion()) begin_tuning();
  if (explorer_) {
    explorer_->note_calls(mode == Mode::explore ? kForEver : outlook());
    if (around_.now() >= wants_at_) want();
  }
  note_too_long();
  rest();
}

// Counts the calls since the last look: their time, and the time saved against the first configuration.
void Instance::count_calls() {
  const std::uint64_t calls = calls_.load(std::memory_order_relaxed);
  const std::uint64_t further = calls - std::exchange(counted_calls_, calls);
  const std::optional<Nanoseconds> time = pairing_.best_time();
  if (!time) return;
  const ConfigurationId id = pairing_.best()->configuration().id();
  if (!beginning_with_) {
    beginning_with_ = {id, *time};
    around_.usage.add_key();
  }
  const double count = static_cast<double>(further);
  calls_took_ += count * *time;
  around_.usage.add(count * *time);
  if (id != beginning_with_->first) around_.stall_budget.save(count * (beginning_with_->second - *time));
  const Nanoseconds run = static_cast<double>(told_calls_) * *time;
  around_.stall_budget.expect(run - std::exchange(told_run_, run));
}

bool Instance::is_occasion() { return occasion_.begins(std::max(calls_.load(std::memory_order_relaxed), told_calls_)); }

// Returns the device time that calls will probably take from here on. If the application announced a number of calls,
// it is the difference between that and the calls so far. Otherwise it is the time that calls of this key have taken
// or, if that is more, the mean time of all keys.
Nanoseconds Instance::outlook() const {
  const std::uint64_t calls = calls_.load(std::memory_order_relaxed);
  const std::uint64_t off = told_calls_ > calls ? told_calls_ - calls : calls - told_calls_;
  if (told_calls_ > 0 && expected() > Nanoseconds()) return static_cast<double>(off) * expected();
  return std::max(calls_took_, around_.usage.of_a_key());
}

void Instance::begin_tuning() {
  is_tuned_ = false;
  TuningPolicy policy = kernel_.options.policy;
  policy.seed += starting_candidates_.cut_short();  // so that other configurations are tried than in the run before
  std::vector<Configuration> known{pairing_.best()->configuration()};
  known.insert(known.end(), starting_candidates_.promising().begin(), starting_candidates_.promising().end());
  Result<std::unique_ptr<Explorer>> made = kernel_.make_explorer(problem_, policy, std::move(known));
  if (const Result<void> ready = begin_shadow(); !ready) made = ready.error();
  if (!made) {
    around_.note(
        fmt::format("kernel `{}`, {}: not tuned: {}", kernel_.spec.name, to_string(key()), made.error().to_string()));
    state_ = "not tuned: " + made.error().message();
    return;
  }
  explorer_ = *std::move(made);
  heard_.reset();
  if (times_of_best_) explorer_->tell(pairing_.best()->configuration(), *times_of_best_);
  ++around_.tuning;
}

// Tunes the key again if its times moved, unless the whole device moved: then the best has probably stayed the same.
void Instance::look_for_drift() {
  const std::optional<Moved> moved = drift_.collect(around_.now());
  if (!moved) return;
  around_.note(fmt::format("kernel `{}`, {}: takes {:.2f} times as long as it did{}", kernel_.spec.name,
                           to_string(key()), moved->ratio,
                           moved->cause == Cause::device ? ", as do others" : ", so it is tuned again"));
  if (moved->cause == Cause::kernel) occasion_.ask();
}

// Notes, once, that the budget's bound keeps all candidates out. Nobody would notice otherwise.
void Instance::note_too_long() {
  const std::optional<Prediction> stall = pairing_.stalls_too_long();
  if (!stall || std::exchange(told_of_too_long_, true)) return;
  around_.note(fmt::format(
      "kernel `{}`, {}: a candidate waits, because it may take {:.3g} ms longer than the best known, and the budget "
      "allows {:.3g} ms in one call (Budget::longest)",
      kernel_.spec.name, to_string(key()), to_ms(stall->longest), to_ms(around_.stall_budget.most(stall->call))));
}

// Begins with the likeliest configuration if its code is loaded for another key: then nothing needs to be waited for.
void Instance::begin_with_loaded() {
  const Configuration* const first = starting_candidates_.first();
  if (first == nullptr || !kernel_.variants->is_loaded(*problem_, *first)) return;
  Result<std::shared_ptr<Variant>> variant = load(*starting_candidates_.take());
  if (variant)
    publish(*std::move(variant));
  else
    last_failure_ = std::move(variant).error();
}

// Has the first configurations compiled while calls run the fallback, before all code that is only to be tried.
void Instance::begin_beside() {
  std::vector<Configuration> likeliest = starting_candidates_.likeliest(kBeginnings);
  if (begins_ || likeliest.empty()) return;
  begins_ = true;
  request_first(likeliest);
  expect_code(std::move(likeliest), true);
}

// Hurries the loader, once for each request. A configuration that fails is followed by the next.
void Instance::begin_for_calls() {
  begin_beside();
  if (!std::exchange(hurried_, true)) around_.loader.hurry(this);
}

// Prepares for expected calls. No call waits yet, so nothing is loaded beside busy streams.
void Instance::expect(std::uint64_t calls, bool may_tune) {
  const std::lock_guard lock(mutex_);
  if (calls > 0) told_calls_ = calls_.load(std::memory_order_relaxed) + calls;
  tunes_ahead_ = may_tune;
  if (pairing_.best() == nullptr) begin_with_loaded();
  if (pairing_.best() != nullptr) return begin_ahead();
  if (may_tune) expect_explorer();
  begin_beside();
}

// Prepares what an explorer needs, while the first variant is compiled.
void Instance::expect_explorer() {
  const bool is_soon = occasion_.is_pending() && kernel_.options.policy.calls_before_tuning == 0;
  if (!is_soon || !kernel_.expect_explorer || std::exchange(expects_explorer_, true)) return;
  kernel_.expect_explorer();
}

// Begins to tune an expected key before its first call: screens it, or compiles and loads its candidates.
void Instance::begin_ahead() {
  const bool may_begin = tunes_ahead_ && kernel_.options.policy.safety != Safety::shadowed;
  if (may_begin && !explorer_ && is_occasion()) begin_tuning();
  if (!explorer_) return;
  explorer_->expect_calls(outlook());
  want();
}

bool Instance::want_ahead() {
  if (calls_.load(std::memory_order_relaxed) > 0) return false;
  const std::lock_guard lock(mutex_);
  if (explorer_ && pairing_.best() != nullptr && around_.now() >= wants_at_) want();
  return true;
}

// Tells the explorer which wanted configurations failed before; a second tuning of the key proposes them again.
void Instance::refuse_failed() {
  for (const Candidate& each : explorer_->wanted())
    if (failed_.contains(each.configuration.id()))
      explorer_->tell(each.configuration, {.status = Status::runtime, .message = "it failed before"});
}

void Instance::want() {
  wants_at_ = around_.now() + kBetweenLooks;
  const std::uint64_t news = explorer_->news();
  if (heard_ == news && !awaits_code_) return;
  heard_ = news;
  refuse_failed();
  if (explorer_->over()) return end_tuning();
  std::vector<Candidate> wanted = explorer_->wanted();
  std::erase_if(wanted, [&](const Candidate& each) { return each.configuration == pairing_.best()->configuration(); });
  expect_candidates(wanted);
  awaits_code_ = false;
  for (const Candidate& each : wanted) {
    if (requested_.contains(each.configuration.id())) continue;
    const bool may_load = requested_.size() < kLoadedAhead && kernel_.variants->is_ready(*problem_, each.configuration);
    if (may_load)
      request(each);
    else
      awaits_code_ = true;
  }
}

// Tells the compilers of the wanted candidates, and of those the loader was asked for. The latter may not be wanted any
// more, but would otherwise be compiled anew in a gap.
void Instance::expect_candidates(const std::vector<Candidate>& wanted) {
  std::vector<Configuration> expected;
  for (const Candidate& candidate : wanted) expected.push_back(candidate.configuration);
  for (const Configuration& each : expected_code_)
    if (requested_.contains(each.id()) && std::ranges::count(expected, each) == 0) expected.push_back(each);
  expect_code(std::move(expected));
}

// Tells the compilers only if something changed, since that goes over the candidates of all keys.
void Instance::expect_code(std::vector<Configuration> configurations, bool urgently) {
  if (expected_code_ == configurations) return;
  kernel_.variants->expect(this, *problem_, configurations, urgently);
  expected_code_ = std::move(configurations);
}

void Instance::keep_offer(const Candidate& candidate) {
  if (tried_.size() == kReported) tried_.pop_front();
  tried_.push_back({.configuration = candidate.configuration,
                    .expected = candidate.expected,
                    .time = {},
                    .best = {},
                    .offered_at = calls_.load(std::memory_order_relaxed)});
}

// Notes a failure. The first reason of a configuration is kept.
void Instance::note_failure(const Configuration& configuration, const Observation& observation) {
  const auto is_it = [&](const FailedReport& each) { return each.configuration.id() == configuration.id(); };
  if (observation.status != Status::correct && std::ranges::none_of(failures_, is_it))
    failures_.push_back({configuration, observation.status, observation.message});
}

std::vector<FailedReport> Instance::failures() const {
  std::vector<FailedReport> all = failures_;
  std::set<ConfigurationId> seen;
  for (const FailedReport& each : all) seen.insert(each.configuration.id());
  if (explorer_)
    for (FailedReport& each : explorer_->failures())
      if (seen.insert(each.configuration.id()).second) all.push_back(std::move(each));
  return all;
}

// Records the decision about the latest offer of this configuration. There may be several in Mode::explore.
void Instance::keep_decision(const Configuration& configuration, const Observation& observation, bool better) {
  const auto found = std::find_if(tried_.rbegin(), tried_.rend(),
                                  [&](const auto& each) { return each.configuration == configuration; });
  if (found == tried_.rend()) return;
  found->time = observation.statistics ? std::optional(observation.statistics->median) : std::nullopt;
  found->best = pairing_.best_time();
  found->decided_at = calls_.load(std::memory_order_relaxed);
  found->outcome = observation.status != Status::correct ? observation.message : better ? "better" : "not better";
}

void Instance::request(const Candidate& candidate) {
  requested_.insert(candidate.configuration.id());
  keep_offer(candidate);
  around_.loader.request({.load = [this, configuration = candidate.configuration] { return load(configuration); },
                          .loaded = [this, candidate](auto variant) { take_loaded(candidate, std::move(variant)); },
                          .owner = this});
}

// Returns the likeliest configuration that is compiled. nullptr if none is, or if a likelier one may be soon: while no
// call waits, those get as long again as the first took.
const Configuration* Instance::choose(Beginning& beginning) const {
  const std::vector<Configuration>& all = beginning.likeliest;
  const auto compiled = std::ranges::find_if(
      all, [this](const Configuration& each) { return kernel_.variants->is_ready(*problem_, each); });
  if (compiled == all.end()) return nullptr;
  const Nanoseconds now = around_.now();
  if (!beginning.first_ready) beginning.first_ready = now;
  const Nanoseconds patience = std::max(kLeastPatience, *beginning.first_ready - beginning.asked);
  const bool has_waited = now - *beginning.first_ready >= patience;
  const bool is_called = calls_.load(std::memory_order_relaxed) > 0;
  return compiled == all.begin() || is_called || has_waited ? &*compiled : nullptr;
}

// Requests the first configuration from the loader. Compiling may still take long; if the key has something to run by
// then, the request is cancelled. The loader asks the request from one thread at a time.
void Instance::request_first(std::vector<Configuration> likeliest) {
  const auto is_late = [this] { return best_.load(std::memory_order_acquire) != nullptr; };
  const auto loaded = std::make_shared<Configuration>(likeliest.front());
  const auto beginning = std::make_shared<Beginning>(Beginning{std::move(likeliest), around_.now()});
  around_.loader.request({.load = [this, is_late, beginning, loaded]() -> Result<std::shared_ptr<Variant>> {
                            if (is_late()) return Error(ErrorCode::cancelled, "the key has something to run");
                            if (const Configuration* const chosen = choose(*beginning)) *loaded = *chosen;
                            return load(*loaded);
                          },
                          .loaded = [this, loaded](auto variant) { take_first(*loaded, std::move(variant)); },
                          .owner = this,
                          .ready = [this, is_late, beginning] { return is_late() || choose(*beginning) != nullptr; }});
}

Result<std::shared_ptr<Variant>> Instance::load(const Configuration& configuration) {
  return kernel_.variants->make(problem_, configuration);
}

void Instance::take_first(const Configuration& configuration, Result<std::shared_ptr<Variant>> variant) {
  const std::lock_guard lock(mutex_);
  if (!variant) last_failure_ = variant.error();
  begins_ = hurried_ = false;
  starting_candidates_.take(configuration);
  if (variant && pairing_.best() == nullptr) {
    publish(*std::move(variant));
    begin_ahead();
  }
  resting_until_.store(0.0, std::memory_order_relaxed);
}

void Instance::take_loaded(const Candidate& candidate, Result<std::shared_ptr<Variant>> variant) {
  const std::lock_guard lock(mutex_);
  if (!variant) {
    last_failure_ = variant.error();
    requested_.erase(candidate.configuration.id());
    failed_.insert(candidate.configuration.id());
    const Observation failure = failure_of_loading(variant.error());
    note_failure(candidate.configuration, failure);
    keep_decision(candidate.configuration, failure, false);
    if (explorer_) explorer_->tell(candidate.configuration, failure);
  } else if (explorer_ && pairing_.best() != nullptr) {
    pairing_.add(candidate, *std::move(variant));
  } else {
    requested_.erase(candidate.configuration.id());
    retire(*std::move(variant));
  }
  resting_until_.store(0.0, std::memory_order_relaxed);
}

void Instance::take_outcome(Outcome outcome) {
  if (outcome.observation.status != Status::correct) failed_.insert(outcome.configuration.id());
  requested_.erase(outcome.configuration.id());
  note_failure(outcome.configuration, outcome.observation);
  keep_decision(outcome.configuration, outcome.observation, outcome.better);
  log_debug("{}: {} is {} after {} calls, {} of which ran it and were timed", to_string(key()),
            outcome.configuration.to_string(), outcome.better ? "better" : "not better",
            calls_.load(std::memory_order_relaxed), outcome.observation.samples.size());
  if (outcome.better) {
    publish(pairing_.best());
    remember(outcome.observation);
  }
  if (explorer_) explorer_->tell(outcome.configuration, outcome.observation);
  wants_at_ = {};
  if (outcome.retired) retire(std::move(outcome.retired));
}

// Makes this the best known. Calls on the steady way may be sending it from here on, so it lives as long as the
// instance. Its code is kept even longer, since those calls do not check whether they are captured.
void Instance::publish(std::shared_ptr<Variant> best) {
  best->keep_loaded();
  if (pairing_.best() != best) {
    pairing_.set_best(best);
    times_of_best_.reset();
  }
  if (best_.exchange(best.get(), std::memory_order_release) != best.get()) drift_.begin_anew();
  if (std::ranges::count(published_, best) == 0) published_.push_back(std::move(best));
  if (const auto time = pairing_.best_time()) expected_.store(time->value(), std::memory_order_relaxed);
}

void Instance::remember(const Observation& observation, Measured measured) {
  if (!observation.statistics) return;
  times_of_best_ = observation;
  expected_.store(observation.statistics->median.value(), std::memory_order_relaxed);
  const Trial trial{.configuration = pairing_.best()->configuration(), .observation = observation};
  const Result<bool> put =
      around_.wisdom.put(measured_entry(kernel_.version, around_.device.info(), key(), trial, measured, is_tuned_));
  if (!put) around_.note(put.error().to_string());
}

void Instance::retire(std::shared_ptr<Variant> variant) {
  if (std::ranges::count(published_, variant) == 0) around_.loader.retire(std::move(variant));
}

// Ends tuning. Results of the application's calls are kept, whatever screening found about other configurations.
void Instance::end_tuning() {
  --around_.tuning;
  is_tuned_ = explorer_->is_complete();
  if (times_of_best_) remember(*times_of_best_);
  state_ = explorer_->state();
  if (explorer_->was_left()) occasion_.ask();
  explored_before_ += explorer_->explored();
  failed_before_ += explorer_->failed();
  failures_ = failures();
  explorer_.reset();
  expect_code({});
  for (std::shared_ptr<Variant>& variant : pairing_.drop_candidates()) retire(std::move(variant));
  requested_.clear();
}

void Instance::rest() {
  const bool busy = pairing_.is_busy() && !pairing_.waits_for_budget();
  const bool over = !explorer_ && !pairing_.is_busy() && !occasion_.is_pending();
  if (over || busy)
    resting_until_.store(over ? kForGood : 0.0, std::memory_order_relaxed);
  else
    rest_a_while();
}

void Instance::rest_a_while() {
  const Nanoseconds idle = requested_.empty() ? kPartBetweenLooks * calls_took_ : Nanoseconds();
  const Nanoseconds pause = std::clamp(idle, kBetweenLooks, kMostBetweenLooks);
  resting_until_.store((around_.now() + pause).value(), std::memory_order_relaxed);
}

// Adopts the configuration of a Trial, which may be of the space of other sizes.
Result<void> Instance::adopt(const Trial& best) {
  WATTUNE_ASSIGN(const Configuration configuration, same_in(problem_->space, best.configuration));
  WATTUNE_ASSIGN(std::shared_ptr<Variant> variant, load(configuration));
  const std::lock_guard lock(mutex_);
  if (explorer_) end_tuning();
  static_cast<void>(occasion_.begins(std::numeric_limits<std::uint64_t>::max()));
  publish(std::move(variant));
  is_tuned_ = true;
  remember(best.observation, Measured::offline);
  state_ = "tuned now";
  resting_until_.store(0.0, std::memory_order_relaxed);
  return {};
}

void Instance::retune() {
  const std::lock_guard lock(mutex_);
  if (explorer_) end_tuning();
  occasion_.ask();
  resting_until_.store(0.0, std::memory_order_relaxed);
}

}  // namespace wattune::dynamic
