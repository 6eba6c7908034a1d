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

}  // namespace

void declare_clocks(CLI::App& app, CorunClocks& clocks) {
  app.option_defaults()->group("Clocks of queues");
  add_parsed(app, "--clocks", clocks.choice, parse_clocks, "MHZ,...|auto|current",
             "Clocks of the cores that paired and greedy may set for their objective: these, some that the board "
             "offers, or none, so that the board has its own. Each kernel runs alone at each of them first")
      ->default_str("current");
  app.add_flag("--take-over", clocks.take_over,
               "Set clocks though somebody else has set the board, computes on it, or might");
  add_parsed(
      app, "--energy-window", clocks.energy_window, parse_positive_time, "TIME",
      "How long the power of each kernel alone is measured, at each clock, and on a device that of each pair that is "
      "forecast to gain, behind as long that is not; 20ms where it is simulated")
      ->default_str("3s");
}

Result<schedule::ClockChoice> parse_clocks(std::string_view text) {
  if (text == "current") return schedule::ClockChoice();
  schedule::ClockChoice choice{.sets = true};
  if (text == "auto") return choice;
  for (std::size_t begin = 0, end = 0; end != std::string_view::npos; begin = end + 1) {
    end = text.find(',', begin);
    const std::string_view number = text.substr(begin, end - begin);
    const auto clock = parse_number(number);
    if (!clock || !(*clock > 0.0))
      return no_clocks("clocks are auto, current, or numbers of MHz", std::string(number), "such as 1005,1410,1755");
    choice.clocks.emplace_back(*clock);
  }
  std::ranges::sort(choice.clocks);
  choice.clocks.erase(std::unique(choice.clocks.begin(), choice.clocks.end()), choice.clocks.end());
  if (choice.clocks.size() > 1) return choice;
  return no_clocks("two clocks at least, to choose one of", std::string(text), "or auto, or current");
}

}  // namespace wattune::cli
