#include "cli/inspect/power_report.h"

#include <fmt/format.h>

#include "report/interface/text.h"

namespace wattune::cli {

namespace {

template <typename T>
void add_sensors(std::vector<SensorReport>& reports, const std::vector<std::unique_ptr<power::Sensor<T>>>& sensors,
                 const std::string& quantity, const std::string& unit) {
  for (const auto& each : sensors) {
    const Result<power::Reading<T>> reading = each->read();
    Result<double> value = reading ? Result<double>(reading->value.value()) : Result<double>(reading.error());
    reports.push_back({each->info(), quantity, unit, std::move(value)});
  }
}

// Formats a time; "-" if the time is 0, which stands for an unknown one.
std::string ms_text(Nanoseconds time) { return time > Nanoseconds() ? fmt::format("{:.4g} ms", to_ms(time)) : "-"; }

std::string value_text(const SensorReport& sensor) {
  if (!sensor.value) return sensor.value.error().to_string();
  return fmt::format("{:.6g} {}", *sensor.value, sensor.unit);
}

// True if the sensor is a counter or averages power. The other sensors show momentary values.
bool averages(const power::SensorTraits& traits) { return traits.response != power::Response::direct; }

std::vector<std::string> sensor_row(const SensorReport& sensor) {
  const power::SensorTraits& traits = sensor.info.traits;
  const bool lags = traits.response == power::Response::lag;
  return {sensor.info.name,
          to_string(sensor.info.scope),
          to_string(traits.response),
          ms_text(traits.period),
          ms_text(lags               ? traits.time_constant
                  : averages(traits) ? traits.window
                                     : Nanoseconds()),
          traits.measured ? ms_text(traits.lag) : "-",
          traits.measured ? fmt::format("{:.2g} %", 100.0 * traits.noise) : "-",
          !averages(traits) ? "-"
          : traits.measured ? "measured"
                            : "assumed",
          value_text(sensor)};
}

std::string sensors_text(const std::vector<SensorReport>& sensors) {
  auto table =
      report::TextTable::of_text({"sensor", "of", "kind", "period", "window", "lag", "noise", "known", "shows"});
  for (const SensorReport& each : sensors) table.add_row(sensor_row(each));
  return sensors.empty() ? "no sensor can be read\n" : table.to_string();
}

std::string conditions_text(const backend::Conditions& conditions) {
  std::string text;
  if (conditions.clock) text += fmt::format("clock {:g} MHz", conditions.clock->value());
  if (conditions.throttled)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", *conditions.throttled ? "held down" : "not held down");
  return text.empty() ? "" : text + "\n";
}

std::string rest_text(const BoardReport& board) {
  std::string text;
  if (board.idle) text += fmt::format("at rest {:.4g} W", board.idle->value());
  if (board.context_idle)
    text += fmt::format("{}with a context {:.4g} W", text.empty() ? "" : ", ", board.context_idle->value.value());
  return text.empty() ? "" : text + "\n";
}

std::string board_text(const BoardReport& board) {
  std::string text = board.name.empty() ? "board" : board.name;
  for (const std::string& each : {board.pci_bus_id, board.uuid})
    if (!each.empty()) text += ", " + each;
  text += (board.driver.empty() ? "" : ", driver " + board.driver) + "\n";
  text += sensors_text(board.sensors) + conditions_text(board.conditions) + rest_text(board);
  text += "controls\n" + controls_text(board.controls);
  if (!board.missing.empty()) text += "missing\n";
  for (const std::string& line : board.missing) text += "  " + line + "\n";
  return text;
}

Json sensor_json(const SensorReport& sensor) {
  const power::SensorTraits& traits = sensor.info.traits;
  return {{"name", sensor.info.name},
          {"quantity", sensor.quantity},
          {"unit", sensor.unit},
          {"scope", to_string(sensor.info.scope)},
          {"response", to_string(traits.response)},
          {"period_ms", to_ms(traits.period)},
          {"window_ms", to_ms(traits.window)},
          {"lag_ms", to_ms(traits.lag)},
          {"time_constant_ms", to_ms(traits.time_constant)},
          {"noise", traits.noise},
          {"measured", traits.measured},
          {"value", sensor.value ? Json(*sensor.value) : Json()},
          {"error", sensor.value ? "" : sensor.value.error().to_string()}};
}

Json board_json(const BoardReport& board) {
  Json json = {{"uuid", board.uuid},
               {"name", board.name},
               {"driver", board.driver},
               {"pci_bus_id", board.pci_bus_id},
               {"sensors", Json::array()},
               {"clock_mhz", json_or_null(board.conditions.clock)},
               {"throttled", json_or_null(board.conditions.throttled)},
               {"idle_w", json_or_null(board.idle)},
               {"context_idle_w", board.context_idle ? Json(board.context_idle->value.value()) : Json()},
               {"controls", to_json(board.controls)},
               {"missing", board.missing}};
  for (const SensorReport& each : board.sensors) json["sensors"].push_back(sensor_json(each));
  return json;
}

}  // namespace

BoardReport report_of(const power::Board& board) {
  BoardReport report{.uuid = board.uuid,
                     .name = board.name,
                     .driver = board.driver,
                     .pci_bus_id = board.pci_bus_id,
                     .idle = board.idle,
                     .context_idle = board.context_idle,
                     .sensors = {},
                     .conditions = {},
                     .controls = find_board_controls(board.pci_bus_id),
                     .missing = board.missing};
  add_sensors(report.sensors, board.energy, "energy", "J");
  add_sensors(report.sensors, board.power, "power", "W");
  add_sensors(report.sensors, board.temperature, "temperature", "°C");
  add_sensors(report.sensors, board.voltage, "voltage", "V");
  if (!board.conditions) return report;
  if (const auto readings = board.conditions->read()) report.conditions = readings->conditions;
  return report;
}

std::string power_text(const std::vector<BoardReport>& boards, const std::vector<std::string>& problems) {
  std::string text = boards.empty() ? "no board found\n" : "";
  for (const BoardReport& each : boards) text += (text.empty() ? "" : "\n") + board_text(each);
  for (const std::string& line : problems) text += line + "\n";
  return text;
}

Json power_json(const std::vector<BoardReport>& boards, const std::vector<std::string>& problems) {
  Json json = {{"boards", Json::array()}, {"problems", problems}};
  for (const BoardReport& each : boards) json["boards"].push_back(board_json(each));
  return json;
}

}  // namespace wattune::cli
