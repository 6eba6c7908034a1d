#include "wattune/search/method.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/interface/suggest.h"
#include "search/methods/clock_search.h"
#include "search/methods/part.h"
#include "search/strategies/algorithm.h"

namespace wattune::inline v0_1::search {

namespace {

// The cost that a step compares: its index in the result of compared() and among the costs of a configuration.
enum Cost : std::size_t { least_time, least_energy };
std::vector<Objective> compared() { return {{"time"}, {"energy"}}; }

constexpr double kClockWindowMargin = 0.10;                  // window on each side of the best clock, as a share of it
constexpr std::uint64_t kMostAdvisedClocks = 5;              // evaluations set aside for advised clocks of one code
constexpr std::uint64_t kLargestExhaustivePart = 1'000'000;  // most configurations of a part that is evaluated whole

struct Step {
  enum class Code { any, kept };  // any code, or that of the step before (in the first step: of the start)
  enum class Clocks { any, highest, base, settled, searched, advised, window };

  Cost cost;
  Code code;
  Clocks clocks;
  bool capped = false;  // compares only configurations that are hardly slower than the fastest so far
};

struct Recipe {
  MethodInfo info;
  std::vector<Step> steps;
};

const std::vector<Recipe>& recipes() {
  using enum Step::Code;
  using C = Step::Clocks;
  const std::vector<Objective> time_first = {{"time"}, {"energy"}};
  const std::vector<Objective> energy_first = {{"energy"}, {"time"}};
  static const std::vector<Recipe> all = {
      {{"race-to-idle", "least time over code and clocks", time_first, false}, {{least_time, any, C::any}}},
      {{"energy-to-solution-maxclock", "least energy over code at the highest clock", energy_first, true},
       {{least_energy, any, C::highest}}},
      {{"race-to-idle+clocks", "least time over code at the highest clock, then least energy over the clocks",
        energy_first, true},
       {{least_time, any, C::highest}, {least_energy, kept, C::any}}},
      {{"energy-to-solution+clocks", "least energy over code at the base clock, then over the clocks", energy_first,
        true},
       {{least_energy, any, C::base}, {least_energy, kept, C::any}}},
      {{"global", "least energy over code and clocks", energy_first, false}, {{least_energy, any, C::any}}},
      {{"model-steered", "a search over the clocks says which are worth it, then least energy over code and these",
        energy_first, true},
       {{least_energy, kept, C::searched}, {least_energy, any, C::window}}},
      {{"advised",
        "few clocks of one code and other kernels say which clock is its best, then least energy over code "
        "there, and the same for the clocks of that code",
        energy_first, true, false, false, true},
       {{least_energy, kept, C::advised}, {least_energy, any, C::settled}, {least_energy, kept, C::advised}}},
      {{"energy-under-slowdown", "least time over code and clocks, then least energy among what is hardly slower",
        energy_first, false, false, true},
       {{least_time, any, C::any}, {least_energy, any, C::any, true}}},
      {{"occupancy-walk", "block shapes by falling occupancy at the highest clock, until the first that takes longer",
        time_first, false, true},
       {}},
      {{"occupancy-walk+clocks",
        "the clock down, then block shapes by falling occupancy, each until the first that "
        "takes more energy, and again",
        energy_first, true, true},
       {}}};
  return all;
}

double number_at(const Parameter& parameter, std::uint16_t place) {
  return parameter.values[place].is_number() ? parameter.values[place].as_real() : 0.0;
}

// Returns the position, among `places`, of the value that is nearest to a number.
std::uint16_t nearest_place(const Parameter& parameter, const std::vector<std::uint16_t>& places, double number) {
  return *std::ranges::min_element(places, {},
                                   [&](std::uint16_t place) { return std::abs(number_at(parameter, place) - number); });
}

std::uint16_t highest_place(const Parameter& parameter, const std::vector<std::uint16_t>& places) {
  return *std::ranges::max_element(places, {}, [&](std::uint16_t place) { return number_at(parameter, place); });
}

class Method final : public Algorithm {
 public:
  Method(const space::SearchSpace& space, const Recipe& recipe, MethodOptions options)
      : Algorithm(space, {.seed = options.seed, .start = options.start, .objectives = compared()}),
        recipe_(recipe),
        options_(std::move(options)),
        origin_(start().value_or(space.default_configuration())) {}

  std::optional<ConfigurationId> chosen() const override { return chosen_; }
  void see(const Progress& progress) override {
    if (!told_before_) told_before_ = told_.size();
    elapsed_ = progress.elapsed;
  }
  std::string remark() const override { return remark_.empty() ? what_was_not_reached() : remark_; }

 private:
  bool begins_anew() const override { return false; }
  void do_observe(ConfigurationId id, const Outcome&) override {
    told_.push_back(id);
    if (const std::vector<double>* const its = costs(id)) fastest_ = std::min(fastest_, (*its)[least_time]);
  }

  Task<> search() override {
    for (const Step& step : recipe_.steps) {
      ++step_;
      Result<Part> part = Part::of(space(), kept_values(step), options_.constraints, options_.predicates);
      if (!part) remark_ = fmt::format("{} has nowhere to look: {}", recipe_.info.name, part.error().to_string());
      if (!part) co_return;
      const bool searched = step.clocks == Step::Clocks::searched;
      const bool advised = step.clocks == Step::Clocks::advised;
      if (searched)
        co_await search_clocks(*part);
      else if (advised)
        co_await follow_advice(*part);
      else
        co_await search_part(*part, step);
      if (searched) set_window(*part);
      const auto best = best_in(*part, step);
      if (!best) remark_ = fmt::format("a step of {} found nothing with a time and an energy", recipe_.info.name);
      if (!best && !searched) co_return;
      if (best) chosen_ = best;
      if ((searched || advised) && part->space().count() == space().count()) break;  // only the graphics clock varies
    }
    finished_ = true;
  }

  // Returns a remark on the steps that were not reached, if the user's rules ended the run first.
  std::string what_was_not_reached() const {
    if (finished_ || step_ == 0) return {};
    return fmt::format(
        "{} was stopped in step {} of {} and has settled on {}; a budget of evaluations or time is shared among "
        "the "
        "steps",
        recipe_.info.name, step_, recipe_.steps.size(), chosen_ ? "what the step before found" : "nothing");
  }

  std::vector<ConfigurationId> ids_of(const Part& part) const {
    std::vector<ConfigurationId> ids;
    for (auto id = part.space().next(0); id; id = part.space().next(*id + 1))
      if (const auto whole = part.to_whole(*id)) ids.push_back(*whole);
    return ids;
  }

  // Returns the points of a part that were measured, ascending by clock.
  std::vector<ClockPoint> points_of(const Part& part) const {
    std::vector<ClockPoint> points;
    for (const ConfigurationId id : told_)
      if (part.from_whole(id) && costs(id) != nullptr) points.push_back(point_of(id));
    std::ranges::sort(points, {}, &ClockPoint::clock);
    return points;
  }

  // Measures the clocks that are advised for one code, one after the other. Ends if a run fails at one of these clocks,
  // since the same clock would be advised again.
  Task<> follow_advice(const Part& part) {
    const std::vector<ConfigurationId> ids = ids_of(part);
    while (true) {
      const auto next = options_.advised_clock(points_of(part));
      if (!next) remark_ = fmt::format("the advice on clocks ended: {}", next.error().to_string());
      if (!next || !*next) co_return;
      const auto distance = [&](ConfigurationId id) { return std::abs((graphics_clock(id) - **next).value()); };
      const ConfigurationId id = *std::ranges::min_element(ids, {}, distance);
      if (std::ranges::count(told_, id) > 0) co_return;
      co_await evaluate(id);
    }
  }

  // Searches the graphics clocks of one code for the clock of the least energy.
  Task<> search_clocks(const Part& part) {
    std::vector<ConfigurationId> ids = ids_of(part);
    std::ranges::sort(ids, {}, [&](ConfigurationId id) { return graphics_clock(id).value(); });
    std::vector<double> clocks;
    for (const ConfigurationId id : ids) clocks.push_back(graphics_clock(id).value());
    const std::size_t planned = clocks_to_measure(ids.size(), options_.sweep);
    EnergyByClock measured;
    while (measured.size() < planned) {
      const std::optional<std::size_t> next = next_clock(clocks, measured, planned);
      if (!next) co_return;
      co_await evaluate(ids[*next]);
      const std::vector<double>* const its = costs(ids[*next]);
      measured[*next] = its != nullptr ? (*its)[least_energy] : std::numeric_limits<double>::infinity();
    }
  }

  // Evaluates a part whole if the budget allows it, else searches the part by the default strategy.
  Task<> search_part(const Part& part, const Step& step) {
    const std::uint64_t budget = budget_of(step);
    const bool may_be_whole = step.code == Step::Code::kept || !options_.time;
    if (!may_be_whole || part.space().count() > std::min(budget, kLargestExhaustivePart)) {
      co_await search_by_model(part, step, budget);
      co_return;
    }
    co_await evaluate_all(ids_of(part));
  }

  Task<> search_by_model(const Part& part, const Step& step, std::uint64_t budget) {
    const auto inner = *make_strategy("auto", part.space(), {.seed = options_.seed});
    std::uint64_t spent = 0;
    for (const ConfigurationId id : told_) spent += tell(*inner, part, id, step) ? 1 : 0;
    for (; spent < budget && (spent == 0 || !is_out_of_time(step)); ++spent) {
      const std::vector<ConfigurationId> asked = inner->ask(1);
      if (asked.empty()) co_return;
      const std::optional<ConfigurationId> id = part.to_whole(asked.front());
      if (id) co_await evaluate(*id);
      if (id) tell(*inner, part, *id, step);
      if (!id) inner->tell(asked.front(), Observation{.status = Status::constraints});
    }
  }

  // Tells the inner strategy, which searches a part of the space, the outcome of a configuration. `whole` is the id of
  // the configuration in the whole space. Returns whether the configuration is in the part.
  bool tell(Strategy& inner, const Part& part, ConfigurationId whole, const Step& step) const {
    const std::optional<ConfigurationId> id = part.from_whole(whole);
    if (!id) return false;
    Observation observation{.status = Status::runtime};
    if (const auto value = value_in(step, whole)) {
      observation.status = Status::correct;
      observation.objective_value = *value;
    }
    inner.tell(*id, observation);
    return true;
  }

  // Returns the cost that the step compares. Returns nullopt if that cost was not measured, or if the configuration is
  // too slow for the step.
  std::optional<double> value_in(const Step& step, ConfigurationId id) const {
    const std::vector<double>* const its = costs(id);
    if (its == nullptr) return std::nullopt;
    if (step.capped && (*its)[least_time] > (1.0 + options_.slowdown) * fastest_) return std::nullopt;
    return (*its)[step.cost];
  }

  // Returns the number of evaluations after which a step over all code must end. Evaluations for the steps over the
  // clocks of one code are set aside; if another step over all code follows, this step has half of the remaining
  // evaluations. The number does not depend on what was measured, so that a resumed run goes the same way.
  std::uint64_t budget_of(const Step& step) const {
    constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();
    if (!options_.evaluations || step.code == Step::Code::kept) return kAll;
    std::uint64_t reserved = 0;
    for (const Step& other : recipe_.steps)
      if (other.code == Step::Code::kept) reserved += sweep_size(other);
    const std::uint64_t left = *options_.evaluations > reserved ? *options_.evaluations - reserved : 1;
    return recipe_.steps.back().capped && !step.capped ? std::max<std::uint64_t>(1, left / 2) : left;
  }

  // True if a step over all code must end, so that the later steps have their time. At each clock of one code, the
  // later steps need the time of two average configurations, because boards take a while to settle. The first of two
  // steps over all code has half of the time.
  bool is_out_of_time(const Step& step) const {
    constexpr double kClockSettlingFactor = 2.0;
    const std::size_t measured = told_.size() - told_before_.value_or(told_.size());
    if (!options_.time || measured == 0) return false;
    if (recipe_.steps.back().capped && !step.capped) return elapsed_ >= *options_.time / 2.0;
    double clocks = 0.0;
    for (const Step& later : std::span(recipe_.steps).subspan(step_))
      if (later.code == Step::Code::kept) clocks += static_cast<double>(sweep_size(later));
    return elapsed_ + kClockSettlingFactor * clocks * (elapsed_ / static_cast<double>(measured)) >= *options_.time;
  }

  std::uint64_t sweep_size(const Step& step) const {
    std::uint64_t size = 1;
    const KeptValues kept = kept_values(step);
    for (std::size_t p = 0; p < kept.size(); ++p)
      if (is_set_on_board(space().parameters()[p].role)) size *= kept[p].size();
    if (step.clocks == Step::Clocks::advised) return std::min(size, kMostAdvisedClocks);
    return step.clocks == Step::Clocks::searched ? clocks_to_measure(size, options_.sweep) : size;
  }

  KeptValues kept_values(const Step& step) const {
    KeptValues kept = all_values(space());
    space::ValueIndices code;
    space().unrank(chosen_.value_or(origin_), code);
    for (std::size_t p = 0; p < kept.size(); ++p) {
      const bool on_board = is_set_on_board(space().parameters()[p].role);
      if (on_board ? step.clocks == Step::Clocks::settled : step.code == Step::Code::kept)
        kept[p] = {code[p]};
      else if (on_board)
        narrow_clocks(step, p, kept[p]);
    }
    return kept;
  }

  // Narrows the clocks that a step tries. If the step fixes or searches the graphics clock, other clocks and limits
  // stay at their highest; if the step has a clock window, these vary.
  void narrow_clocks(const Step& step, std::size_t p, std::vector<std::uint16_t>& places) const {
    using enum Step::Clocks;
    const Parameter& parameter = space().parameters()[p];
    const bool graphics = parameter.role == ParameterRole::graphics_clock;
    const bool sought = step.clocks == searched || step.clocks == advised;
    if (step.clocks == any || (step.clocks == window && !graphics) || (sought && graphics)) return;
    if (step.clocks == highest || !graphics)
      places = {highest_place(parameter, places)};
    else if (step.clocks == window)
      keep_window(parameter, places);
    else
      places = {nearest_place(parameter, places, base_clock(p))};
  }

  void keep_window(const Parameter& parameter, std::vector<std::uint16_t>& places) const {
    if (!window_) return;
    const auto outside = [&](std::uint16_t place) {
      const Megahertz clock(number_at(parameter, place));
      return clock < window_->low || clock > window_->high;
    };
    const double middle = (window_->low.value() + window_->high.value()) / 2.0;
    const std::uint16_t nearest = nearest_place(parameter, places, middle);
    std::erase_if(places, outside);
    if (places.empty()) places = {nearest};
  }

  double base_clock(std::size_t p) const {
    if (options_.base_clock) return options_.base_clock->value();
    space::ValueIndices indices;
    space().unrank(origin_, indices);
    return number_at(space().parameters()[p], indices[p]);
  }

  void set_window(const Part& part) {
    const std::vector<ClockPoint> sweep = points_of(part);
    const Result<ClockRange> window = options_.window ? options_.window(sweep) : window_around_least_energy(sweep);
    if (window)
      window_ = *window;
    else
      remark_ = fmt::format("all clocks are searched: {}", window.error().to_string());
  }

  Megahertz graphics_clock(ConfigurationId id) const {
    space::ValueIndices indices;
    space().unrank(id, indices);
    const auto& parameters = space().parameters();
    const auto graphics = std::ranges::find(parameters, ParameterRole::graphics_clock, &Parameter::role);
    return Megahertz(number_at(*graphics, indices[static_cast<std::size_t>(graphics - parameters.begin())]));
  }

  ClockPoint point_of(ConfigurationId id) const {
    const std::vector<double>& its = *costs(id);
    return {graphics_clock(id), nanoseconds_from_seconds(its[least_time]), Joules(its[least_energy])};
  }

  // Returns the best configuration of a step. A clock window only limits the configurations that are tried. A better
  // one that was measured outside of the window counts as well.
  std::optional<ConfigurationId> best_in(const Part& part, const Step& step) const {
    const bool anywhere = step.clocks == Step::Clocks::window || step.clocks == Step::Clocks::advised;
    std::optional<ConfigurationId> best;
    for (const ConfigurationId id : told_) {
      const std::optional<double> value = value_in(step, id);
      if (value && (anywhere || part.from_whole(id)) && (!best || *value < *value_in(step, *best))) best = id;
    }
    return best;
  }

  const Recipe& recipe_;
  const MethodOptions options_;
  const ConfigurationId
      origin_;  // configuration whose clock is the base clock, and at whose code the search for clocks begins
  std::vector<ConfigurationId> told_;
  std::optional<std::size_t> told_before_;                    // outcomes of earlier runs; nullopt before any see()
  Nanoseconds elapsed_;                                       // time of this run
  double fastest_ = std::numeric_limits<double>::infinity();  // least time that was told, in seconds
  std::optional<ConfigurationId> chosen_;
  std::optional<ClockRange> window_;
  std::size_t step_ = 0;  // number of the present step, from 1
  bool finished_ = false;
  std::string remark_;
};

bool has_graphics_clocks(const space::SearchSpace& space) {
  return std::ranges::any_of(space.parameters(), [](const Parameter& parameter) {
    return parameter.role == ParameterRole::graphics_clock && parameter.values.size() > 1;
  });
}

Result<std::unique_ptr<Strategy>> make_walk(const MethodInfo& info, const space::SearchSpace& space,
                                            const MethodOptions& options) {
  if (!options.shapes)
    return Error(ErrorCode::invalid_argument, "the method walks over block shapes, and there are none")
        .about(info.name)
        .hint("a work-group in [launch] that reads parameters makes them, or parameters named block_size_x, _y and _z");
  return make_occupancy_walk(space, options.shapes, {.lower_clock = info.needs_clocks, .objectives = info.objectives});
}

}  // namespace

const std::vector<MethodInfo>& methods() {
  static const std::vector<MethodInfo> all = [] {
    std::vector<MethodInfo> infos;
    for (const Recipe& recipe : recipes()) infos.push_back(recipe.info);
    return infos;
  }();
  return all;
}

const MethodInfo* find_method(std::string_view name) {
  const auto found = std::ranges::find(methods(), name, &MethodInfo::name);
  return found == methods().end() ? nullptr : &*found;
}

Result<ClockRange> window_around_least_energy(const std::vector<ClockPoint>& sweep) {
  if (sweep.empty()) return Error(ErrorCode::invalid_argument, "no clock of the sweep has a time and an energy");
  const Megahertz best = std::ranges::min_element(sweep, {}, &ClockPoint::energy)->clock;
  return ClockRange{best * (1.0 - kClockWindowMargin), best * (1.0 + kClockWindowMargin)};
}

Result<std::unique_ptr<Strategy>> make_method(const std::string& name, const space::SearchSpace& space,
                                              const MethodOptions& options) {
  std::vector<std::string> names;
  for (const MethodInfo& info : methods()) names.push_back(info.name);
  const auto recipe = std::ranges::find(recipes(), name, [](const Recipe& each) { return each.info.name; });
  if (recipe == recipes().end())
    return Error(ErrorCode::not_found, "unknown method").about(name).hint(suggest(name, names));
  if (!(options.slowdown >= 0.0))
    return Error(ErrorCode::invalid_argument, "a slowdown is 0 or more").about(fmt::format("{}", options.slowdown));
  if (recipe->info.needs_clocks && !has_graphics_clocks(space))
    return Error(ErrorCode::invalid_argument, "the method needs a graphics clock with several values")
        .about(name)
        .hint("a parameter `nvml_gr_clock` is one (docs/formats/spec.md)");
  if (recipe->info.follows_advice && !options.advised_clock)
    return Error(ErrorCode::invalid_argument, "the method follows advice on clocks, and there is none")
        .about(name)
        .hint("the advice comes from recordings of other kernels, which `wattune tune --others` names");
  if (recipe->info.walks_shapes) return make_walk(recipe->info, space, options);
  std::unique_ptr<Strategy> method = std::make_unique<Method>(space, *recipe, options);
  return method;
}

}  // namespace wattune::search
