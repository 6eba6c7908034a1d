#include "wattune/tune/session.h"

namespace wattune::inline v0_1::tune {

namespace {

// Largest space that is searched completely if neither user nor spec says otherwise.
constexpr std::uint64_t kSmallSpace = 200;
constexpr double kDefaultMinutes = 5.0;

bool has_rule(const search::StopRule& stop) {
  return stop.evaluations || stop.time || stop.target || stop.fraction || stop.no_improvement;
}

search::StopRule from_budget(const Budget& budget) {
  search::StopRule stop{.evaluations = budget.evaluations, .fraction = budget.fraction};
  if (budget.seconds) stop.time = nanoseconds_from_seconds(*budget.seconds);
  return stop;
}

// True if the rules leave room to measure every configuration. A limit of time does not tell that; if it ends too soon,
// a search in the order of ids has seen only the first ids.
bool allows_everything(const search::StopRule& stop, Uint128 count) {
  if (stop.time) return false;
  search::Progress nothing_done;
  nothing_done.space_size = count;
  const auto evaluations = stop.evaluations_left(nothing_done);
  return evaluations ? *evaluations >= count : count <= kSmallSpace;
}

}  // namespace

Plan make_plan(const KernelSpec& spec, const space::SearchSpace& space, const std::string& strategy,
               const search::StopRule& wanted) {
  Plan plan{.strategy = strategy.empty() ? spec.strategy : strategy, .stop = wanted};
  if (has_rule(plan.stop)) {
    plan.limit = Plan::Limit::user;
  } else if (plan.stop = from_budget(spec.budget); has_rule(plan.stop)) {
    plan.limit = Plan::Limit::spec;
  }
  if (plan.strategy.empty())
    plan.strategy = allows_everything(plan.stop, space.count()) && space.exact() ? "exhaustive" : "auto";
  if (plan.limit == Plan::Limit::none && plan.strategy != "exhaustive" && space.count() > kSmallSpace) {
    plan.stop.time = nanoseconds_from_seconds(60.0 * kDefaultMinutes);
    plan.limit = Plan::Limit::standard;
  }
  return plan;
}

}  // namespace wattune::tune
