#include "cli/corun/corun_clocks.h"

#include <algorithm>
#include <string>
#include <utility>

#include "cli/program/options.h"
#include "cli/program/text.h"

namespace wattune::cli {

namespace {

Error no_clocks(std::string what, std::string about, std::string advice) {
  return Error(ErrorCode::invalid_argument, std::move(what)).about(std::move(about)).hint(std::move(advice));
}

std::optional<Megahertz> clock_in(std::string_view text) {
  const auto number = parse_number(text);
  return number && *number > 0.0 ? std::optional(Megahertz(*number)) : std::nullopt;
}

// Parses "562", or "562/324" with a clock of the memory. Returns nullopt for any other text.
std::optional<backend::BoardSetting> setting_in(std::string_view text) {
  const std::size_t slash = text.find('/');
  backend::BoardSetting setting{.graphics = clock_in(text.substr(0, slash))};
  if (slash != std::string_view::npos && !(setting.memory = clock_in(text.substr(slash + 1)))) return std::nullopt;
  return setting.graphics ? std::optional(setting) : std::nullopt;
}

}  // namespace

void declare_clocks(CLI::App& app, CorunClocks& clocks) {
  app.option_defaults()->group("Clocks of queues");
  add_parsed(app, "--clocks", clocks.choice, parse_clocks, "MHZ[/MHZ],...|auto|current",
             "Clocks that paired and greedy may set for their objective. A list names clocks of the cores, or of cores "
             "and memory (562/324); auto takes some of the board's core clocks; current sets none. Each kernel first "
             "runs alone at each of the clocks")
      ->default_str("current");
  app.add_flag("--take-over", clocks.take_over,
               "Set clocks even if somebody else has set the board, computes on it, or might do so");
  add_parsed(
      app, "--energy-window", clocks.energy_window, parse_positive_time, "TIME",
      "How long the power of each kernel alone is measured at each clock. On a device the power of each pair that is "
      "forecast to gain is measured, too, after an equally long warm-up. By default 20ms if the GPU is simulated")
      ->default_str("3s");
}

Result<schedule::ClockChoice> parse_clocks(std::string_view text) {
  if (text == "current") return schedule::ClockChoice();
  schedule::ClockChoice choice{.sets = true};
  if (text == "auto") return choice;
  for (std::size_t begin = 0, end = 0; end != std::string_view::npos; begin = end + 1) {
    end = text.find(',', begin);
    const std::string_view clocks = text.substr(begin, end - begin);
    const auto setting = setting_in(clocks);
    if (!setting)
      return no_clocks("clocks are auto, current, or numbers of MHz", std::string(clocks),
                       "such as 1005,1410,1755, or 562/324,1228/324 with clocks of the memory");
    if (std::ranges::find(choice.clocks, *setting) == choice.clocks.end()) choice.clocks.push_back(*setting);
  }
  if (choice.clocks.size() > 1) return choice;
  return no_clocks("at least two clocks are needed to choose from", std::string(text),
                   "name more, or auto, or current");
}

}  // namespace wattune::cli
