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
             "The objective for which paired and greedy choose pairs and ratios: work per time, per joule, or per "
             "joule and second. paired for throughput also runs, for comparison")
      ->default_str("throughput");
  add_parsed(app, "--slowdown", objective.slowdown, parse_percent, "PERCENT",
             "Largest slowdown of a kernel beside another, compared with the kernel alone; waiting does not count");
  add_parsed(app, "--power-cap", objective.power_cap, parse_watts, "WATTS",
             "Highest power that a pair may be expected to draw");
}

}  // namespace wattune::cli
