#include "company/company_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "company/best_alone.h"
#include "core/interface/suggest.h"
#include "search/interface/sequence.h"
#include "tune/interface/energy.h"
#include "wattune/backend/attach.h"
#include "wattune/backend/registry.h"
#include "wattune/tune/session.h"

namespace wattune::inline v0_1::company {

namespace {

using Parts = CompanySession::Parts;

constexpr std::string_view kWalk = "walk";
constexpr std::string_view kPaperWalk = "paper-walk";
constexpr std::string_view kWalkThen = "walk+";
constexpr double kMostRepetitions = 1000.0;                        // most launches of one member in one run
constexpr Nanoseconds kLongestRun = nanoseconds_from_seconds(1);   // longest run beside a partner, approximately
constexpr Nanoseconds kReference = nanoseconds_from_seconds(600);  // longest wait for a reference, approximately
constexpr double kPartnersRuns = 4.0;  // runs of the longest partner while the timed member works

Error cannot_open(std::string what) { return Error(ErrorCode::invalid_argument, std::move(what)); }

// Opens the device in this process, since kernels run together in one context.
Result<std::unique_ptr<backend::Device>> open_together(const DeviceInfo& device) {
  if (device.backend == "cuda") return backend::open_cuda_in_primary_context(device.selector);
  if (device.backend == "opencl") return backend::open_device(device.selector);
  return Error(ErrorCode::unavailable, "kernels run together on CUDA and OpenCL devices only").about(device.selector);
}

Result<Soloist> open_soloist(const CompanySpace& space, std::size_t member, const std::string& device,
                             const tune::SessionOptions& session) {
  Soloist::Parts parts;
  WATTUNE_ASSIGN(parts.device, tune::open_device(device, session.evaluation.where));
  parts.policy = session.policy(session.sampling);
  tune::EvaluatorOptions evaluation = session.evaluation;
  evaluation.observe.clear();
  evaluation.counters.clear();
  auto evaluator = tune::make_evaluator(space.member(member).spec, space.own_space(member), *parts.device,
                                        *parts.policy, evaluation);
  if (!evaluator) return std::move(evaluator).error().with_context(space.member(member).name);
  parts.evaluator = *std::move(evaluator);
  return Soloist(std::move(parts));
}

Result<std::vector<std::size_t>> places_of(const std::vector<std::string>& order, const CompanySpace& space) {
  std::vector<std::size_t> places;
  std::vector<std::string> names;
  for (std::size_t k = 0; k < space.size(); ++k) names.push_back(space.member(k).name);
  for (const std::string& name : order.empty() ? names : order) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end())
      return cannot_open("the order of launches names a kernel that is not there")
          .about(name)
          .hint(suggest(name, names));
    places.push_back(static_cast<std::size_t>(found - names.begin()));
    if (std::ranges::count(places, places.back()) > 1)
      return cannot_open("the order of launches names this kernel twice").about(name);
  }
  if (places.size() < names.size())
    return cannot_open("the order of launches leaves out kernels").hint(fmt::format("{}", fmt::join(names, ",")));
  return places;
}

std::size_t rounded(double repetitions) {
  return static_cast<std::size_t>(std::round(std::clamp(repetitions, 1.0, kMostRepetitions)));
}

// Returns how often the first kernel is launched in a run: often enough for its partners to run a few times meanwhile.
// But a run must not take too long, since each of its launches may wait for a launch of a partner.
std::size_t repetitions_beside(Nanoseconds alone, Nanoseconds partner) {
  const double wanted = std::ceil(kPartnersRuns * std::max(1.0, partner / alone));
  return rounded(std::max(kPartnersRuns, std::min(wanted, kLongestRun / (alone + partner))));
}

// Returns how often each member is launched in a run, so that all run for about as long as the one with the longest
// launch. If the run is `partnered`, only the first member is repeated.
std::vector<std::size_t> repetitions_for(const std::vector<Nanoseconds>& alone, bool partnered) {
  std::vector<std::size_t> repetitions(alone.size(), 1);
  if (partnered) {
    repetitions.front() = repetitions_beside(alone.front(), *std::max_element(alone.begin() + 1, alone.end()));
    return repetitions;
  }
  const Nanoseconds longest = *std::ranges::max_element(alone);
  for (std::size_t k = 0; k < alone.size(); ++k) repetitions[k] = rounded(longest / alone[k]);
  return repetitions;
}

// Returns the repetitions of each member, computed if needed from the times of the default configurations alone.
Result<std::vector<std::size_t>> find_repetitions(const CompanySpace& space, CompanyEvaluator& evaluator,
                                                  const CompanyOptions& options) {
  if (options.repetitions.size() == space.size()) return options.repetitions;
  if (!options.steady && !options.partnered) return std::vector<std::size_t>(space.size(), 1);
  std::vector<Nanoseconds> alone;
  for (std::size_t k = 0; k < space.size(); ++k) {
    const space::SearchSpace& own = space.own_space(k);
    auto its = evaluator.alone(k, own.configuration(own.default_configuration()));
    if (!its) return std::move(its).error().with_context(space.member(k).name);
    if (!(*its)->ok())
      return Error(ErrorCode::unavailable,
                   "the default configuration of this kernel fails alone, so that its number of repetitions is unknown")
          .about(space.member(k).name)
          .hint((*its)->message);
    alone.push_back((*its)->statistics->median);
  }
  return repetitions_for(alone, options.partnered);
}

std::unique_ptr<search::Strategy> make_walk(const Parts& parts, bool as_printed) {
  return search::make_company_walk(parts.space.space(), parts.space.walk_kernels(parts.info.architecture),
                                   {.rule = as_printed ? search::CompanyRule::from_first : search::CompanyRule::two_way,
                                    .indifference = as_printed ? 0.0 : parts.options.indifference,
                                    .start = parts.space.space().default_configuration()});
}

// Makes a search strategy. A strategy that does not end by itself gets the stop rule that it would have for one kernel.
Result<std::unique_ptr<search::Strategy>> make_search(Parts& parts, const std::string& name) {
  const search::StrategyOptions options{.seed = parts.options.session.seed,
                                        .start = parts.space.space().default_configuration(),
                                        .objectives = {},
                                        .prior = {},
                                        .parameters = parts.options.session.strategy_parameters};
  const tune::Plan plan = tune::make_plan(KernelSpec(), parts.space.space(), name, parts.stop);
  parts.stop = plan.stop;
  if (name.empty()) parts.options.strategy = plan.strategy;
  auto strategy = search::make_strategy(plan.strategy, parts.space.space(), options);
  if (!strategy && strategy.error().code() == ErrorCode::not_found && search::find_strategy(name) == nullptr)
    return std::move(strategy).error().hint("walk, paper-walk, walk+NAME, or NAME, as `wattune strategies` lists them");
  return strategy;
}

}  // namespace

Result<void> adapt_to_company(CompanyMember& member, const DeviceInfo& device) {
  if (Result<void> used = use_language(member.spec, device.languages); !used)
    return std::move(used).error().with_context(member.name);
  const std::vector<LaunchStep> launches = launches_of(member.spec);
  if (launches.size() != 1 || !launches.front().repeat.text.empty() || !launches.front().group.empty())
    return cannot_open("a spec of several launches cannot be tuned together with others").about(member.name);
  member.spec.objectives.clear();
  member.spec.metrics.clear();
  return {};
}

Result<void> add_resident_blocks(std::vector<CompanyMember>& members, const DeviceInfo& device,
                                 const CompanyOptions& options) {
  std::vector<unsigned> values = options.resident_blocks;
  if (values.empty()) return {};
  if (device.backend != "cuda")
    return Error(ErrorCode::unavailable, "blocks stay resident on CUDA devices only").about(device.selector);
  if (options.strategy == kWalk || options.strategy == kPaperWalk)
    return cannot_open("a walk leaves resident blocks as they are").about(options.strategy).hint("walk+NAME goes on");
  values.insert(values.begin(), 0);
  std::ranges::sort(values);
  if (const auto twice = std::ranges::adjacent_find(values); twice != values.end())
    return cannot_open("numbers of resident blocks must be at least 1 and all different").about(std::to_string(*twice));
  for (std::size_t k = 0; k < (options.partnered ? 1 : members.size()); ++k) members[k].resident_blocks = values;
  return {};
}

Result<DeviceInfo> choose_company_device(const KernelSpec& spec, const tune::SessionOptions& session) {
  WATTUNE_ASSIGN(const auto devices, tune::find_devices_for(spec, session.device, session.evaluation.where));
  if (devices.size() > 1)
    return cannot_open(fmt::format("kernels run together on one device, these are {}", devices.size()))
        .about(session.device);
  return devices.front();
}

Result<void> open_company_evaluator(Parts& parts) {
  const tune::SessionOptions& session = parts.options.session;
  CompanySetUp set_up{.evaluation = session.evaluation, .policy = session.policy(session.sampling)};
  if (parts.options.goal == CompanyGoal::energy) {
    WATTUNE_ASSIGN(set_up.recorder, tune::open_recorder(session.evaluation, parts.info));
  }
  WATTUNE_ASSIGN(parts.plan.order, places_of(parts.options.order, parts.space));
  std::vector<Soloist> soloists;
  for (std::size_t k = 0; k < parts.space.size(); ++k) {
    WATTUNE_ASSIGN(Soloist soloist, open_soloist(parts.space, k, parts.info.selector, session));
    soloists.push_back(std::move(soloist));
  }
  if (parts.options.partnered) parts.plan.timed = 0;
  WATTUNE_ASSIGN(parts.device, open_together(parts.info));
  WATTUNE_ASSIGN(set_up.clocks, tune::BoardClocks::open(parts.space.board_parameters(), *parts.device,
                                                        tune::borrow_options(session.evaluation, kReference)));
  set_up.plan = parts.plan;
  parts.evaluator =
      std::make_unique<CompanyEvaluator>(parts.space, *parts.device, std::move(soloists), std::move(set_up));
  WATTUNE_ASSIGN(parts.plan.repetitions, find_repetitions(parts.space, *parts.evaluator, parts.options));
  parts.evaluator->relaunch(parts.plan.repetitions);
  return {};
}

Result<void> make_company_strategy(Parts& parts) {
  const std::string& name = parts.options.strategy;
  parts.stop = parts.options.session.stop;
  const space::SearchSpace& space = parts.space.space();
  const auto best_alone = [&parts] { return make_best_alone(parts.space, parts.evaluator->soloists()); };
  std::unique_ptr<search::Strategy> main;
  if (name == kWalk || name == kPaperWalk) {
    main = make_walk(parts, name == kPaperWalk);
  } else if (name.starts_with(kWalkThen)) {
    WATTUNE_ASSIGN(auto then, make_search(parts, name.substr(kWalkThen.size())));
    main = make_walk(parts, false);
    // The best configurations alone come before the search, to give it a start. A stop rule may end the search early.
    if (!parts.options.resident_blocks.empty()) main = search::make_sequence(space, std::move(main), best_alone());
    main = search::make_sequence(space, std::move(main), std::move(then));
  } else {
    WATTUNE_ASSIGN(main, make_search(parts, name));
  }
  parts.strategy = search::make_sequence(space, std::move(main), best_alone());
  return {};
}

}  // namespace wattune::company
