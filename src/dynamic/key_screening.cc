#include "dynamic/key_screening.h"

#include <fmt/format.h>

#include <algorithm>

#include "dynamic/screening_allowance.h"
#include "dynamic/screening_data.h"
#include "wattune/measure/policy.h"

namespace wattune::dynamic {

namespace {

constexpr std::size_t kMostFinalists = 5;
constexpr double kAsGood = 1.05;

// The application pays for the time, and its own calls decide in the end.
measure::SamplingOptions few_samples() {
  return {.warm_up = nanoseconds_from_ms(1),
          .min_samples = 5,
          .max_samples = 25,
          .max_time = nanoseconds_from_ms(10),
          .relative_precision = 0.02};
}

// What hangs takes the device from the application, half of the time.
tune::Limits short_limits() {
  tune::Limits limits;
  limits.run = nanoseconds_from_seconds(2);
  limits.run_floor = nanoseconds_from_ms(100);
  limits.reference = nanoseconds_from_seconds(10);
  return limits;
}

bool is_correct(const Trial& trial) {
  return trial.observation.status == Status::correct && trial.observation.statistics.has_value();
}

// The best known, which the application runs, is the first of them.
Error none_works(const std::vector<Trial>& trials) {
  return Error(ErrorCode::mismatch,
               fmt::format("none of {} configurations works on generated data; {}: {}", trials.size(),
                           trials.front().configuration.to_string(), trials.front().observation.message));
}

Nanoseconds median_of(const Trial& trial) { return trial.observation.statistics->median; }

}  // namespace

std::vector<Trial> finalists(const std::vector<Trial>& trials) {
  std::vector<Trial> best;
  std::ranges::copy_if(trials, std::back_inserter(best), is_correct);
  std::ranges::stable_sort(best, {}, median_of);
  const auto is_worse = [&](const Trial& trial) {
    return trial.observation.statistics->interval_low > best.front().observation.statistics->interval_high &&
           median_of(trial) > kAsGood * median_of(best.front());
  };
  std::vector<Trial> few;
  for (const Trial& trial : best)
    if (few.size() < kMostFinalists && !is_worse(trial)) few.push_back(trial);
  return few;
}

KeyScreening::KeyScreening(std::shared_ptr<const Problem> problem, KeySearch search, Ledger& ledger, Found found)
    : problem_(std::move(problem)), search_(std::move(search)), ledger_(ledger), found_(std::move(found)) {}

Result<void> KeyScreening::run(const ScreeningPlace& place) {
  Result<void> done = search_on(place);
  if (!done) end(fmt::format("screening ended: {}", done.error().to_string()));
  return done;
}

void KeyScreening::refuse(const Error& why) { end(fmt::format("not screened: {}", why.to_string())); }

Result<void> KeyScreening::search_on(const ScreeningPlace& place) {
  WATTUNE_ASSIGN(const KernelSpec spec, fit_to_memory(*problem_, place.most_memory));
  was_reduced_ =
      !std::ranges::equal(spec.problem_size, problem_->spec.problem_size, {}, &NamedSize::value, &NamedSize::value);
  const auto policy = measure::make_gated(few_samples());
  ScreeningAllowance allowance(ledger_, place.now);
  if (!allowance.reserve([&] { return ended(place); })) return {};
  const auto evaluator = tune::make_evaluator(spec, problem_->space, place.device, *policy,
                                              {.limits = short_limits(), .reference_worker = place.worker});
  allowance.settle(evaluator ? (*evaluator)->device_time() : Nanoseconds());
  if (!evaluator) return evaluator.error();
  tune::TuningObserver nobody;
  tune::Search search(problem_->space, *search_.strategy, {place.device.info().selector}, trials_, nobody,
                      {.stop = search_.stop, .shoot_out = {.finalists = 0}});
  search.start({}, place.now());
  return evaluate_all(**evaluator, search, place);
}

Result<void> KeyScreening::evaluate_all(tune::Evaluator& evaluator, tune::Search& search, const ScreeningPlace& place) {
  ScreeningAllowance allowance(ledger_, place.now);
  publish(search);
  while (const std::optional<Configuration> configuration = search.next(place.now())) {
    if (!allowance.reserve([&] { return ended(place); })) return {};
    const Nanoseconds before = evaluator.device_time();
    Result<Observation> seen = evaluator.evaluate(*configuration);
    allowance.settle(evaluator.device_time() - before);
    if (!seen) return std::move(seen).error();
    WATTUNE_TRY(search.tell(*std::move(seen), place.now()));
    publish(search);
  }
  if (finalists(trials_.all).empty() && !trials_.all.empty()) return none_works(trials_.all);
  end(fmt::format("screened: {}", search.so_far().stop_reason));
  return {};
}

void KeyScreening::publish(const tune::Search& search) {
  const search::Progress& progress = search.progress();
  const std::optional<std::uint64_t> left = search_.stop.evaluations_left(progress);
  const std::lock_guard lock(mutex_);
  state_.explored = progress.evaluations;
  state_.failed = static_cast<std::uint64_t>(std::ranges::count_if(
      trials_.all, [](const Trial& trial) { return trial.observation.status != Status::correct; }));
  state_.words = left ? fmt::format("screening, {} of {}", state_.explored, state_.explored + *left)
                      : fmt::format("screening, {} so far", state_.explored);
}

void KeyScreening::end(const std::string& words) {
  const std::vector<Trial> best = finalists(trials_.all);
  if (found_ && !best.empty() && !was_reduced_) found_(best.front());
  const std::lock_guard lock(mutex_);
  for (const Trial& trial : best)
    best_few_.push_back({.configuration = trial.configuration,
                         .expected = was_reduced_ ? std::nullopt : std::optional(median_of(trial))});
  state_.words = words;
  state_.over = true;
}

KeyScreening::State KeyScreening::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

std::vector<Candidate> KeyScreening::best_few() const {
  const std::lock_guard lock(mutex_);
  return best_few_;
}

}  // namespace wattune::dynamic
