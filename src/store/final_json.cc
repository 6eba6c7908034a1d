#include "store/final_json.h"

#include <fmt/format.h>

#include <cmath>

#include "core/interface/printable.h"
#include "store/json_text.h"

namespace wattune::inline v0_1::store {

namespace {

double finite_member(const Json& object, const char* name) {
  const double number = number_member(object, name);
  if (!std::isfinite(number)) throw Malformed(fmt::format("`{}` must be a finite number", name));
  return number;
}

PairedGain gain_from_json(const Json& json) {
  const PairedGain gain{finite_member(json, "median"), finite_member(json, "low"), finite_member(json, "high")};
  if (!(0.0 < gain.low && gain.low <= gain.median && gain.median <= gain.high))
    throw Malformed("`over_default` must be a positive median between `low` and `high`");
  return gain;
}

SearchFigures figures_from_json(const Json& json) {
  const SearchFigures figures{Nanoseconds(finite_member(json, "time")), objective_member(json, "objective")};
  if (!(figures.time > Nanoseconds())) throw Malformed("`in_search` must have a time above 0");
  return figures;
}

}  // namespace

void append_final(std::string& out, const Observation& observation) {
  const auto append = [&out](std::string_view name, double value) {
    out += name;
    append_json_number(out, value);
  };
  if (observation.final_place != FinalPlace::none)
    out += fmt::format(",\"final\":\"{}\"", to_string(observation.final_place));
  if (const auto& gain = observation.over_default) {
    append(",\"over_default\":{\"median\":", gain->median);
    append(",\"low\":", gain->low);
    append(",\"high\":", gain->high);
    out += '}';
  }
  if (const auto& figures = observation.in_search) {
    append(",\"in_search\":{\"time\":", figures->time.value());
    append(",\"objective\":", figures->objective);
    out += '}';
  }
}

void read_final(const Json& object, Observation& observation) {
  const std::string name = text_or(object, "final", "none");
  const std::optional<FinalPlace> place = parse_final_place(name);
  if (!place) throw Malformed(fmt::format("`final` has a value that Wattune does not know: {}", in_quotes(name)));
  observation.final_place = *place;
  if (const Json* gain = find_member(object, "over_default")) observation.over_default = gain_from_json(*gain);
  if (const Json* figures = find_member(object, "in_search")) observation.in_search = figures_from_json(*figures);
}

}  // namespace wattune::store
