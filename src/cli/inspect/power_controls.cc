#include "cli/inspect/power_controls.h"

#include <fmt/format.h>

#include <algorithm>

namespace wattune::cli {

namespace {

Result<BoardControls> read_controls(const std::string& pci_bus_id) {
  BoardControls controls;
  WATTUNE_ASSIGN(controls.means, power::find_controls(pci_bus_id));
  WATTUNE_ASSIGN(controls.choices, power::find_choices(pci_bus_id));
  WATTUNE_ASSIGN(controls.now, power::find_setting(pci_bus_id));
  return controls;
}

std::string clocks_text(const backend::MemoryClock& row) {
  const auto [least, most] = std::ranges::minmax(row.graphics);
  return fmt::format("  {:g} MHz of memory with {:g} to {:g} MHz of the compute units ({} clocks)\n",
                     row.memory.value(), least.value(), most.value(), row.graphics.size());
}

std::string means_text(const power::Control& control) {
  if (!control.exists) return fmt::format("  {}: this board has none\n", to_string(control.kind));
  if (!control.lacks.empty()) return fmt::format("  {}: not permitted: {}\n", to_string(control.kind), control.lacks);
  return fmt::format("  {}: may be set, for the time of a run\n", to_string(control.kind));
}

}  // namespace

BoardControls find_board_controls(const std::string& pci_bus_id) {
  Result<BoardControls> controls = read_controls(pci_bus_id);
  return controls ? *std::move(controls) : BoardControls{.problem = controls.error().to_string()};
}

std::string controls_text(const BoardControls& controls) {
  std::string text;
  for (const backend::MemoryClock& row : controls.choices.clocks)
    if (!row.graphics.empty()) text += clocks_text(row);
  if (const auto& limit = controls.choices.power_limit)
    text += fmt::format("  power limits from {:g} to {:g} W\n", limit->least.value(), limit->most.value());
  const auto& [graphics, memory, limit] = controls.now;
  if (graphics && memory) text += fmt::format("  at {:g} and {:g} MHz of memory", graphics->value(), memory->value());
  if (limit) text += fmt::format("{}limited to {:g} W", text.ends_with("memory") ? ", " : "  ", limit->value());
  if (!text.empty() && !text.ends_with('\n')) text += "\n";
  for (const power::Control& each : controls.means) text += means_text(each);
  if (!controls.problem.empty()) text += "  " + controls.problem + "\n";
  return text;
}

Json to_json(const BoardControls& controls) {
  Json json = {{"clocks", Json::array()}, {"power_limits_w", nullptr}, {"graphics_mhz", nullptr}};
  for (const backend::MemoryClock& row : controls.choices.clocks) {
    Json graphics = Json::array();
    for (const Megahertz clock : row.graphics) graphics.push_back(clock.value());
    json["clocks"].push_back({{"memory_mhz", row.memory.value()}, {"graphics_mhz", std::move(graphics)}});
  }
  if (const auto& limit = controls.choices.power_limit)
    json["power_limits_w"] = {limit->least.value(), limit->most.value()};
  json["graphics_mhz"] = json_or_null(controls.now.graphics);
  json["memory_mhz"] = json_or_null(controls.now.memory);
  json["power_limit_w"] = json_or_null(controls.now.power_limit);
  json["means"] = Json::array();
  for (const power::Control& each : controls.means)
    json["means"].push_back({{"kind", power::to_string(each.kind)}, {"exists", each.exists}, {"lacks", each.lacks}});
  json["problem"] = controls.problem;
  return json;
}

}  // namespace wattune::cli
