#include "cli/corun/corun_objective.h"

#include "cli/program/options.h"
#include "cli/program/text.h"

namespace wattune::cli {

namespace {

Result<schedule::Goal> parse_goal(std::string_view text) { return schedule::find_goal(text); }

Result<Watts> parse_watts(std::string_view text) {
  WATTUNE_ASSIGN(const double watts, parse_number(text));
  if (watts > 0.0) return Watts(watts);
  return Error(ErrorCode::invalid_argument, "a power cap is above 0 W").about(std::string(text));
}

}  // namespace

void declare_objective(CLI::App& app, CorunObjective& objective) {
  app.option_defaults()->group("Objective of queues");
  add_parsed(app, "--objective", objective.goal, parse_goal, "throughput|energy|edp",
             "What paired and greedy choose pairs and ratios for: work per time, per joule, or per joule and second; "
             "paired for throughput runs beside it")
      ->default_str("throughput");
  add_parsed(app, "--slowdown", objective.slowdown, parse_percent, "PERCENT",
             "No kernel runs beside another at ratios that make it slower than alone by more than this; waiting does "
             "not count");
  add_parsed(app, "--power-cap", objective.power_cap, parse_watts, "WATTS",
             "No pair runs that is expected to draw more than this");
}

}  // namespace wattune::cli
