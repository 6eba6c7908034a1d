#include "dynamic/screening/key_screening.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/logging.h"
#include "dynamic/screening/screening_allowance.h"
#include "dynamic/screening/screening_data.h"
#include "wattune/measure/policy.h"

namespace wattune::inline v0_1::dynamic {

namespace {

constexpr std::size_t kMostFinalists = 5;
// Running time of the application in which the stall budget must grow by the cost of a step of screening. With this
// value, several steps are made within a second or two.
constexpr Nanoseconds kBudgetTimePerStep = nanoseconds_from_seconds(0.2);

// Returns the limits of a step. They are short, because a candidate that hangs takes half of the device's time from the
// application.
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

// Returns the error of the first trial, which ran the best known configuration. The application runs that
// configuration, too.
Error none_works(const std::vector<Trial>& trials) {
  return Error(ErrorCode::mismatch,
               fmt::format("none of {} configurations works on generated data; {}: {}", trials.size(),
                           trials.front().configuration.to_string(), trials.front().observation.message));
}

Nanoseconds median_of(const Trial& trial) { return trial.observation.statistics->median; }

}  // namespace

// Makes the policy of screening. The application pays for the time, and in the end its own calls decide. So little is
// measured here. A candidate that takes twice as long is not measured further. Six samples give an interval; more are
// not worth another wait for the device.
//
// The first launch is the only warm-up of the device. Each wait lasts until the application's kernels leave the device,
// and these kernels keep the clocks high. On a CPU, other threads interrupt a kernel, so a time that is twice as long
// proves nothing there.
std::unique_ptr<measure::MeasurePolicy> make_screening_policy(DeviceKind kind) {
  const bool is_interrupted = kind == DeviceKind::cpu;
  return measure::make_gated({.warm_up = Nanoseconds(),
                              .min_samples = 6,
                              .max_samples = 6,
                              .slower_factor = is_interrupted ? std::nullopt : std::optional(2.0),
                              .wait_cost = is_interrupted ? Nanoseconds() : ScreeningAllowance::kTurningAndBack});
}

std::vector<Trial> finalists(const std::vector<Trial>& trials) {
  std::vector<Trial> best;
  std::ranges::copy_if(trials, std::back_inserter(best), is_correct);
  std::ranges::stable_sort(best, {}, median_of);
  const auto is_worse = [&](const Trial& trial) {
    return !tune::may_be_as_good(*trial.observation.statistics, *best.front().observation.statistics);
  };
  std::erase_if(best, is_worse);
  if (best.size() > kMostFinalists) best.erase(best.begin() + kMostFinalists, best.end());
  return best;
}

std::vector<Trial> finalists_on_smaller_data(const std::vector<Trial>& trials) {
  std::vector<Trial> all = finalists(trials);
  std::vector<Trial> bests;
  for (const Trial& each : trials)
    if (is_correct(each) && (bests.empty() || median_of(each) < median_of(bests.back()))) bests.push_back(each);
  const auto is_there = [&](const Trial& trial) {
    return std::ranges::count(all, trial.configuration.id(), [](const Trial& each) { return each.configuration.id(); });
  };
  for (std::size_t i = bests.size(); i-- > 1;)
    if (!is_there(bests[i])) all.push_back(bests[i]);
  return all;
}

KeyScreening::KeyScreening(std::shared_ptr<const Problem> problem, KeySearch search, StallBudget& stall_budget,
                           Found found, std::shared_ptr<SharedGains> gains)
    : problem_(std::move(problem)),
      search_(std::move(search)),
      stall_budget_(stall_budget),
      found_(std::move(found)),
      trial_gain_(std::move(gains), search_.least_time) {}

namespace {

// Returns the target for which the device compiles. If the device's process has died since the last key was screened, a
// new one is started. Evaluators of other keys cannot work with the new process.
Result<backend::CompileTarget> target_of(const KernelSource& source, const ScreeningPlace& place) {
  Result<backend::CompileTarget> target = place.device.compile_target(source);
  if (target || target.error().code() != ErrorCode::device_lost) return target;
  place.make_room(place.most_memory);
  WATTUNE_TRY(place.device.reset());
  return place.device.compile_target(source);
}

// Returns the compilers of a spec. Returns nullptr if the device compiles; on a CPU it must, because other compilers
// would compete with the timed kernels.
std::unique_ptr<backend::PooledSource> compilers_for(const KernelSpec& spec, const ScreeningPlace& place) {
  if (place.pool == nullptr || place.device.info().kind == DeviceKind::cpu) return nullptr;
  KernelSource source = launched_source(spec);
  Result<backend::CompileTarget> target = target_of(source, place);
  if (!target) return nullptr;
  return std::make_unique<backend::PooledSource>(place.pool->add(*std::move(target), std::move(source)));
}

std::vector<backend::ImageRequest> images_of(const KernelSpec& spec, const std::vector<Configuration>& configurations) {
  std::vector<backend::ImageRequest> images;
  for (const Configuration& each : configurations) images.emplace_back(tune::macros_of(spec.parameters, each));
  return images;
}

}  // namespace

void KeyScreening::expect_reference(backend::CompilePool& pool, const CompileTargetOf& target_of) {
  const auto* const kernel = std::get_if<ReferenceKernel>(&problem_->spec.reference);
  if (kernel == nullptr) return;
  KernelSource source = sized_source(problem_->spec, kernel->source);
  Result<backend::CompileTarget> target = target_of(source);
  if (!target) return;
  reference_compilers_.emplace(pool.add(*std::move(target), std::move(source)));
  reference_compilers_->expect({tune::macros_of(problem_->spec.parameters, standard())}, short_limits().compile);
}

Result<void> KeyScreening::run(const ScreeningPlace& place, std::unique_ptr<tune::Evaluator>& evaluator) {
  Result<void> done = search_on(place, evaluator);
  expect_while_others_run(place.now());
  log_debug("screening {}: {}", to_string(problem_->key), state().over ? "over" : "others go on");
  if (!done) end(fmt::format("screening ended: {}", done.error().to_string()));
  if (!state().over) tell_found(false);
  return done;
}

// Announces to the compilers the code that this key needs next, while other keys are screened. A key that is not called
// announces only the code that it waits for, since other keys need the compilers more.
void KeyScreening::expect_while_others_run(Nanoseconds now) {
  if (compilers_ == nullptr) return;
  std::vector<Configuration> awaited;
  if (next_ && trial_gain(now) > Nanoseconds())
    awaited = this->awaited();
  else if (needs_default())
    awaited.push_back(standard());
  else if (waits_for_next())
    awaited.push_back(*next_);
  compilers_->expect(images_of(*spec_, awaited), short_limits().compile);
}

void KeyScreening::refuse(const Error& why) { end(fmt::format("not screened: {}", why.to_string())); }

// Begins the search at the first call of run(). The proposals and data of a search do not depend on how often it is
// interrupted.
Result<void> KeyScreening::begin(const ScreeningPlace& place) {
  if (under_way_) return {};
  WATTUNE_ASSIGN(spec_, spec_for(place));
  WATTUNE_ASSIGN(memory_, screening_memory(*spec_, problem_->space));
  compilers_ = compilers_for(*spec_, place);
  lookahead_.emplace(place.compile_ahead);
  under_way_.emplace(problem_->space, *search_.strategy, std::vector{place.device.info().selector}, trials_, nobody_,
                     tune::TuningOptions{.stop = search_.stop, .ahead = ahead(place), .shoot_out = {.finalists = 0}});
  under_way_->start({}, place.now());
  next_ = under_way_->next(place.now());
  publish();
  return {};
}

Result<void> KeyScreening::search_on(const ScreeningPlace& place, std::unique_ptr<tune::Evaluator>& evaluator) {
  WATTUNE_TRY(begin(place));
  if (compilers_ != nullptr) compilers_->expect(images_of(*spec_, awaited()), short_limits().compile);
  const Nanoseconds asked = place.now();
  if (!wait_while(&KeyScreening::waits_for_reference, place)) return {};
  // The default is compiled by the same compilers as the candidates, so the wait for the default counts as a wait for a
  // compiler.
  if (needs_default()) lookahead_->learn(place.now() - asked, Nanoseconds());
  if (!place.steps->has_value())
    place.steps->emplace(std::min(stall_budget_.gained_in(kBudgetTimePerStep), ScreeningAllowance::kFirstStepEstimate));
  ScreeningAllowance allowance(stall_budget_, place.now, **place.steps);
  if (evaluator == nullptr) {
    const Nanoseconds begin = place.now();
    const auto ended = [&] {
      note_poor(place, place.now() - begin, allowance.expected());
      return stops(place, allowance.expected());
    };
    if (!allowance.reserve(ended)) return {};
    WATTUNE_ASSIGN(evaluator, set_up(place, allowance));
    // The search will need the image of the default again. An image that was taken and is still announced is not
    // compiled again, so the announcement is cleared.
    if (compilers_ != nullptr) compilers_->expect({}, short_limits().compile);
  }
  return evaluate_all(*evaluator, place, allowance);
}

Result<std::unique_ptr<tune::Evaluator>> KeyScreening::set_up(const ScreeningPlace& place,
                                                              ScreeningAllowance& allowance) {
  const Nanoseconds begin = place.now();
  place.make_room(memory_);
  auto made = tune::make_evaluator(*spec_, problem_->space, place.device, place.policy,
                                   {.limits = short_limits(),
                                    .check = tune::CheckOutput::contenders,
                                    .is_shared = place.device.info().kind != DeviceKind::cpu,
                                    .compilers = compilers_.get(),
                                    .reference_compilers = reference_compilers_ ? &*reference_compilers_ : nullptr,
                                    .where = {.worker = place.worker},
                                    .contents = place.contents->of(*spec_, problem_->space)});
  allowance.charge(made ? (*made)->device_use() : tune::DeviceUse());
  if (!made) return made;
  WATTUNE_TRY(check_verified(**made, place));
  log_debug("screening {}: set up in {:.1f} ms", to_string(problem_->key), to_ms(place.now() - begin));
  if (const std::vector<Trial> best = finalists(trials_.all); !best.empty())
    (*made)->know_best(best.front().observation);
  return made;
}

// Checks that outputs can be compared. Without a comparison no configuration would be adopted, so no configuration is
// tried.
Result<void> KeyScreening::check_verified(const tune::Evaluator& evaluator, const ScreeningPlace& place) {
  const tune::Verification verification = evaluator.verification();
  if (verification.by.empty() && !search_.adopts_unverified)
    return Error(ErrorCode::unavailable, "the right outputs are not known: " + verification.why_not)
        .hint("give the spec a reference, or allow it by TuningPolicy::adopt_unverified");
  if (std::exchange(was_set_up_, true)) return {};
  for (const std::string& what : verification.left_out)
    place.note(fmt::format("kernel `{}`, {}: {}", problem_->spec.name, to_string(problem_->key), what));
  return {};
}

Result<KernelSpec> KeyScreening::spec_for(const ScreeningPlace& place) {
  WATTUNE_ASSIGN(KernelSpec spec, fit_to_memory(*problem_, place.most_memory));
  Nanoseconds kernel_time;
  {
    const std::lock_guard lock(mutex_);
    kernel_time = in_place_.value_or(Nanoseconds());
  }
  const Nanoseconds step = stall_budget_.gained_in(kBudgetTimePerStep);
  WATTUNE_ASSIGN(spec, fit_to_time(std::move(spec), problem_->space, {.most = step, .kernel_time = kernel_time}));
  const bool same =
      std::ranges::equal(spec.problem_size, problem_->spec.problem_size, {}, &NamedSize::value, &NamedSize::value);
  if (!same) trial_gain_.learn_on_smaller_data();
  const std::lock_guard lock(mutex_);
  was_reduced_ = !same;
  return spec;
}

void KeyScreening::note_time(Nanoseconds of_best_known) {
  const std::lock_guard lock(mutex_);
  in_place_ = of_best_known;
  note_scale();
  ++news_;
}

Result<void> KeyScreening::evaluate_all(tune::Evaluator& evaluator, const ScreeningPlace& place,
                                        ScreeningAllowance& allowance) {
  publish();
  for (; next_; next_ = under_way_->next(place.now())) {
    const Nanoseconds begin = place.now();
    evaluator.expect(under_way_->expected());
    if (!wait_while(&KeyScreening::waits_for_next, place)) return {};
    take_compiled();
    const Nanoseconds compiled = place.now();
    const auto does_pay = [&] { return pays(allowance.expected()); };
    const auto ended = [&] {
      note_poor(place, place.now() - compiled, allowance.expected());
      return stops(place, allowance.expected());
    };
    if (!allowance.reserve(ended, does_pay)) return {};
    lookahead_->learn(compiled - begin, place.now() - compiled);
    under_way_->set_ahead(ahead(place));
    const Nanoseconds afforded = place.now();
    const tune::DeviceUse before = evaluator.device_use();
    Result<Observation> seen = evaluator.evaluate(*next_);
    const tune::DeviceUse after = evaluator.device_use();
    const tune::DeviceUse use{after.time - before.time, after.waits - before.waits};
    // The first trial is the reference of all others and is sampled in any case, so that its cost says nothing about
    // the cost of others.
    if (trials_.all.empty())
      allowance.charge(use);
    else
      allowance.settle(use);
    if (!seen) return std::move(seen).error();
    trial_gain_.learn(*seen);
    log_debug(
        "screening {}: {} waited {:.1f} ms for its compiler and {:.1f} ms for the budget, took {:.1f} ms and {:.2f} ms "
        "of the device, median {:.4f} ms; one more is worth {:.2f} ms and costs {:.2f} ms",
        to_string(problem_->key), next_->to_string(), to_ms(compiled - begin), to_ms(afforded - compiled),
        to_ms(place.now() - afforded), to_ms(use.time), seen->statistics ? to_ms(seen->statistics->median) : 0.0,
        to_ms(trial_gain_.of_one_more()), to_ms(allowance.expected()));
    WATTUNE_TRY(under_way_->tell(*std::move(seen), place.now()));
    publish();
  }
  if (finalists(trials_.all).empty() && !trials_.all.empty()) return none_works(trials_.all);
  const std::optional<search::StopReason>& reason = under_way_->so_far().stop_reason;
  end(fmt::format("screened{}: {}", was_reduced_ ? " on smaller data" : "", reason ? reason->text : "ended"),
      End::complete);
  return {};
}

// Publishes the best configurations so far. Calls may try them before the search ends: a few calls show more than a
// step of screening, and cost less.
void KeyScreening::publish() {
  const search::Progress& progress = under_way_->progress();
  const std::optional<std::uint64_t> left = search_.stop.evaluations_left(progress);
  const std::vector<Trial> best = worth_calls();
  const std::lock_guard lock(mutex_);
  keep(best);
  state_.explored = progress.evaluations;
  for (; published_ < trials_.all.size(); ++published_) {
    const auto& [configuration, seen, when, device] = trials_.all[published_];
    if (seen.status != Status::correct) failures_.push_back({configuration, seen.status, seen.message});
  }
  state_.failed = failures_.size();
  state_.words = left ? fmt::format("screening, {} of {}", state_.explored, state_.explored + *left)
                      : fmt::format("screening, {} so far", state_.explored);
  ++news_;
}

void KeyScreening::tell_found(bool complete) {
  const std::vector<Trial> best = finalists(trials_.all);
  if (found_ && !best.empty() && !was_reduced_) found_(best.front(), complete);
}

// Ends the search. The state is changed at once, since the key's explorer may look at any moment.
void KeyScreening::end(const std::string& words, End how) {
  tell_found(how == End::complete);
  const std::vector<Trial> best = worth_calls();
  const std::lock_guard lock(mutex_);
  keep(best);
  state_.words = words;
  state_.over = true;
  state_.complete = how == End::complete;
  state_.left = how == End::left;
  ++news_;
}

std::vector<Trial> KeyScreening::worth_calls() const {
  return was_reduced_ ? finalists_on_smaller_data(trials_.all) : finalists(trials_.all);
}

// Keeps the best trials. The lock must be held.
void KeyScreening::keep(const std::vector<Trial>& best) {
  best_few_.clear();
  for (const Trial& trial : best) best_few_.push_back({trial.configuration, median_of(trial)});
  if (!trials_.all.empty() && is_correct(trials_.all.front())) first_ = median_of(trials_.all.front());
  note_scale();
}

// Returns the factor from screened times to times in calls, if it is known. The lock must be held.
std::optional<double> KeyScreening::scale() const {
  return in_place_ && first_ ? std::optional(*in_place_ / *first_) : std::nullopt;
}

// Passes the factor from screened times to times in calls to `trial_gain_`, if the data were reduced. The lock must be
// held.
void KeyScreening::note_scale() {
  if (const std::optional<double> known = scale(); known && was_reduced_) trial_gain_.note_scale(*known);
}

KeyScreening::State KeyScreening::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

std::vector<FailedReport> KeyScreening::failures() const {
  const std::lock_guard lock(mutex_);
  return failures_;
}

// Returns the best few configurations. If the data were reduced, their screened times are converted to times in calls.
// The factor is the time of the best known configuration in calls, divided by its screened time. Its time in calls may
// become known only after the search.
std::vector<Candidate> KeyScreening::best_few() const {
  const std::lock_guard lock(mutex_);
  std::vector<Candidate> few = best_few_;
  if (!was_reduced_) return few;
  const std::optional<double> known = scale();
  for (Candidate& each : few) each.expected = known ? std::optional(*each.expected * *known) : std::nullopt;
  return few;
}

}  // namespace wattune::dynamic
