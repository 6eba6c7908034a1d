#include "cli/pages/document_text.h"

#include <fmt/format.h>

#include "cli/program/text.h"
#include "store/interface/document.h"

namespace wattune::cli {

namespace {

std::string kernel_at(const Json& kernels, std::size_t place) {
  return kernels.is_array() && place < kernels.size() && kernels[place].is_string()
             ? kernels[place].get<std::string>()
             : fmt::format("kernel {}", place + 1);
}

// Returns the two numbers of an array; nullopt if it has no two.
std::optional<std::pair<double, double>> two_numbers(const Json& array) {
  if (!array.is_array() || array.size() != 2 || !array[0].is_number() || !array[1].is_number()) return std::nullopt;
  return std::pair(array[0].get<double>(), array[1].get<double>());
}

}  // namespace

const Json& member_or_null(const Json& object, const char* name) {
  static const Json kNull;
  const Json* found = store::find_member(object, name);
  return found != nullptr ? *found : kNull;
}

std::vector<Json> elements_of(const Json& object, const char* name) {
  const Json& array = member_or_null(object, name);
  if (array.is_null()) return {};
  if (!array.is_array()) throw store::Malformed(fmt::format("\"{}\" is no array", name));
  return {array.begin(), array.end()};
}

std::optional<double> number_of(const Json& object, const char* name) {
  const Json& found = member_or_null(object, name);
  return found.is_number() ? std::optional(found.get<double>()) : std::nullopt;
}

std::string text_of(const Json& object, const char* name) {
  const Json& found = member_or_null(object, name);
  return found.is_string() ? found.get<std::string>() : std::string();
}

std::string number_text(const Json& object, const char* name) {
  const Json& found = member_or_null(object, name);
  if (found.is_number_integer()) return found.dump();
  return found.is_number() ? fmt::format("{:.4g}", found.get<double>()) : "";
}

std::string time_text(const Json& object, const char* name) {
  const auto ms = number_of(object, name);
  return ms ? format_time(nanoseconds_from_ms(*ms)) : "";
}

std::string gain_text(std::optional<double> share) { return share ? fmt::format("{:+.1f} %", 100.0 * *share) : ""; }

std::string gain_interval_text(const Json& interval) {
  const auto ends = two_numbers(interval);
  return ends ? fmt::format("{} to {}", gain_text(ends->first), gain_text(ends->second)) : "";
}

std::string pair_text(const Json& pair) {
  const Json& kernels = member_or_null(pair, "kernels");
  return fmt::format("{} with {}", kernel_at(kernels, 0), kernel_at(kernels, 1));
}

std::string assignments_of(const Json& object) {
  std::string text;
  for (const auto& [name, value] : object.items())
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name,
                        value.is_string() ? value.get<std::string>() : value.dump());
  return text;
}

std::string way_text(const Json& way, const Json& kernels) {
  const auto ratio = two_numbers(member_or_null(way, "ratio"));
  const auto sms = number_of(way, "sms_of_first");
  const auto urgent = number_of(way, "urgent");
  const std::string name = text_of(way, "way");
  if (name == "in_turn") return "one after the other";
  if (ratio)
    return fmt::format("every SM shared, {:g} {} of {} and {:g} of {}", ratio->first,
                       ratio->first == 1.0 ? "block" : "blocks", kernel_at(kernels, 0), ratio->second,
                       kernel_at(kernels, 1));
  if (sms) return fmt::format("SMs of their own, {:g} for {}", *sms, kernel_at(kernels, 0));
  if (name == "priority" && urgent)
    return fmt::format("streams, {} with priority", kernel_at(kernels, static_cast<std::size_t>(*urgent)));
  if (name == "streams" || member_or_null(way, "many_streams") == Json(true)) return "streams";
  return name.empty() ? "one after the other" : name;
}

}  // namespace wattune::cli
