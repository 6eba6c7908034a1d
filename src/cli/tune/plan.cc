#include "cli/tune/plan.h"

#include <fmt/format.h>

#include "cli/program/text.h"
#include "wattune/search/method.h"

namespace wattune::cli {

namespace {

std::string in_words(const search::StopRule& stop) {
  std::string text;
  const auto add = [&](const std::string& rule) { text += (text.empty() ? "" : ", ") + rule; };
  if (stop.evaluations) add(counted(*stop.evaluations, "evaluation"));
  if (stop.fraction) add(fmt::format("{:.4g} % of the space", 100.0 * *stop.fraction));
  if (stop.time) add(format_wait(to_seconds(*stop.time)));
  if (stop.target) add(fmt::format("a time of {} or less", format_time(Nanoseconds(*stop.target))));
  if (stop.no_improvement) add(counted(*stop.no_improvement, "evaluation") + " without improvement");
  return text;
}

const char* origin(tune::Plan::Limit limit) {
  switch (limit) {
    case tune::Plan::Limit::spec: return " (the spec's budget)";
    case tune::Plan::Limit::standard: return " (the default; --time, --evaluations or --fraction choose another)";
    default: return "";
  }
}

std::string size_in_words(const space::SearchSpace& space) {
  return (space.exact() ? "" : "at most ") + counted(space.count(), "valid configuration");
}

}  // namespace

std::string explain(const tune::Plan& plan, const space::SearchSpace& space) {
  const bool is_method = search::find_method(plan.strategy) != nullptr;
  if (space.parameters().empty())
    return "the spec has no parameters: the kernel is measured, and there is nothing to choose";
  const std::string limit = in_words(plan.stop);
  const char* const unlimited = is_method ? "the last step" : "the whole space";
  return fmt::format("{}, {} {}, until {}{}", size_in_words(space), is_method ? "method" : "strategy", plan.strategy,
                     limit.empty() ? unlimited : limit, origin(plan.limit));
}

}  // namespace wattune::cli
