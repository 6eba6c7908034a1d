#include "cli/program/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <span>

namespace wattune::cli {

namespace {

struct Unit {
  std::string_view name;
  double factor;
};
constexpr std::array<Unit, 6> kTimeUnits = {
    {{"ns", 1.0}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}}};
constexpr std::array<Unit, 8> kByteUnits = {{{"kB", 1e3},
                                             {"MB", 1e6},
                                             {"GB", 1e9},
                                             {"TB", 1e12},
                                             {"KiB", 0x1p10},
                                             {"MiB", 0x1p20},
                                             {"GiB", 0x1p30},
                                             {"TiB", 0x1p40}}};

Error bad(std::string_view wanted, std::string_view text) {
  return Error(ErrorCode::invalid_argument, fmt::format("expected {}", wanted)).about(std::string(text));
}

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

// Returns the number in the name of an architecture: "90a" for sm_90a, compute_90a, sm90a, 90a or 9.0a. Returns an
// empty text if no architecture is named.
std::string number_of_architecture(std::string text) {
  for (const std::string_view prefix : {"compute", "sm"})
    if (text.starts_with(prefix)) text.erase(0, prefix.size());
  if (text.starts_with('_') || text.starts_with('-')) text.erase(0, 1);
  std::erase(text, '.');
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view suffix = std::string_view(text).substr(digits);
  const bool is_right = digits > 0 && (suffix.empty() || suffix == "a" || suffix == "f");
  return is_right ? text : std::string();
}

// Returns the unit that the user probably meant. Its letters may differ in case, or `name` may be a longer form of it
// ("min") or its beginning ("G"). Returns `usual` if `name` is empty, and an empty text if no unit is near.
std::string_view meant_unit(std::string_view name, std::span<const Unit> units, std::string_view usual) {
  const std::string lower = in_lower_case(name);
  if (lower.empty()) return usual;
  for (const Unit& unit : units)
    if (in_lower_case(unit.name) == lower) return unit.name;
  for (const Unit& unit : units)
    for (const std::string_view word : {"second", "minute", "hour"})
      if (unit.name == word.substr(0, 1) && lower.size() > 1 && (word.starts_with(lower) || lower.starts_with(word)))
        return unit.name;
  for (const Unit& unit : units)
    if (in_lower_case(unit.name).starts_with(lower)) return unit.name;
  return {};
}

// Parses a number that is not negative, followed by a unit without a blank between them. `usual` is the unit to suggest
// if the text has none.
Result<double> parse_quantity(std::string_view text, std::span<const Unit> units, std::string_view usual,
                              std::string_view wanted) {
  double number = 0.0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || !(number >= 0.0) || std::isinf(number)) return bad(wanted, text);
  const std::string_view name = text.substr(static_cast<std::size_t>(end - text.data()));
  for (const Unit& unit : units) {
    if (unit.name == name) return number * unit.factor;
  }
  const std::string_view meant = meant_unit(name, units, usual);
  if (meant.empty()) return bad(wanted, text);
  return bad(wanted, text).hint(fmt::format("did you mean `{}{}`?", text.substr(0, text.size() - name.size()), meant));
}

}  // namespace

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

Result<Nanoseconds> parse_time(std::string_view text) {
  WATTUNE_ASSIGN(const double nanoseconds,
                 parse_quantity(text, kTimeUnits, "s", "a time such as 60s, 5m or 1.5ms (units: ns, us, ms, s, m, h)"));
  return Nanoseconds(nanoseconds);
}

Result<std::uint64_t> parse_bytes(std::string_view text) {
  constexpr std::string_view kWanted = "a size such as 500MB or 8GB (units: kB, MB, GB, TB, KiB, MiB, GiB, TiB)";
  WATTUNE_ASSIGN(const double bytes, parse_quantity(text, kByteUnits, "GB", kWanted));
  if (bytes >= 0x1p64) return bad(kWanted, text);
  return static_cast<std::uint64_t>(bytes);
}

Result<std::uint64_t> parse_count(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || end != text.data() + text.size())
    return bad("a whole number, 0 or more", text).hint(meant_whole_number(text));
  return number;
}

std::string meant_whole_number(std::string_view text) {
  constexpr double kMostExactlyHeld = 1e15;  // the largest number up to which results are exact
  std::string digits;
  std::ranges::copy_if(text, std::back_inserter(digits), [](char c) { return c != '_' && c != ','; });
  const Result<double> number = parse_number(digits);
  if (!number || *number != std::floor(*number) || *number < 1 || *number > kMostExactlyHeld) return {};
  return fmt::format("did you mean `{:.0f}`?", *number);
}

Result<double> parse_number(std::string_view text) {
  double number = 0.0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || end != text.data() + text.size() || !std::isfinite(number))
    return bad("a number", text);
  return number;
}

Result<double> parse_share(std::string_view text) {
  constexpr std::string_view kExpected = "a share above 0 and at most 1, such as 0.05 or 5%";
  const bool is_percent = text.ends_with('%');
  const Result<double> number = parse_number(is_percent ? text.substr(0, text.size() - 1) : text);
  if (!number) return bad(kExpected, text);
  const double share = is_percent ? *number / 100.0 : *number;
  if (share > 0.0 && share <= 1.0) return share;
  Error error = bad(kExpected, text);
  return *number > 1.0 && *number <= 100.0 ? std::move(error).hint(fmt::format("did you mean `{}%`?", text)) : error;
}

Result<std::uint64_t> parse_positive_count(std::string_view text) {
  const Result<std::uint64_t> number = parse_count(text);
  if (!number || *number == 0) return bad("a whole number, 1 or more", text).hint(meant_whole_number(text));
  return number;
}

Result<Nanoseconds> parse_positive_time(std::string_view text) {
  WATTUNE_ASSIGN(const Nanoseconds time, parse_time(text));
  if (time == Nanoseconds()) return bad("a time above 0", text);
  return time;
}

Result<double> parse_percent(std::string_view text) {
  if (text.ends_with('%')) text.remove_suffix(1);
  WATTUNE_ASSIGN(const double percent, parse_number(text));
  if (percent >= 0.0) return percent / 100.0;
  return Error(ErrorCode::invalid_argument, "a slowdown is 0 percent or more").about(std::string(text));
}

Result<std::pair<std::string, std::string>> parse_assignment(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string_view::npos) return bad("NAME=VALUE", text);
  return std::pair(std::string(text.substr(0, equals)), std::string(text.substr(equals + 1)));
}

Result<std::string> parse_architecture(std::string_view text) {
  const std::string number = number_of_architecture(in_lower_case(text));
  if (!number.empty() && (text == "sm_" + number || text == "compute_" + number)) return std::string(text);
  return bad("an architecture such as sm_90", text)
      .hint(number.empty() ? "" : fmt::format("did you mean `sm_{}`?", number));
}

std::string format_time(Nanoseconds time) {
  const double value = time.value();
  if (value < 1e3) return fmt::format("{:.4g} ns", value);
  if (value < 1e6) return fmt::format("{:.4g} us", value * 1e-3);
  if (value < 1e9) return fmt::format("{:.4g} ms", value * 1e-6);
  return fmt::format("{:.4g} s", value * 1e-9);
}

std::string format_wait(double seconds) {
  if (!(seconds < 1e9)) return "years";
  const auto whole = static_cast<std::uint64_t>(std::ceil(std::max(0.0, seconds)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string format_counts(const std::map<Status, std::uint64_t>& by_status) {
  std::string text;
  for (const auto& [status, count] : by_status) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", group_digits(count), to_string(status));
  }
  return text;
}

std::string format_bytes(double bytes) {
  constexpr std::array kUnits = {"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  for (; bytes >= 1000.0 && unit + 1 < kUnits.size(); ++unit) bytes /= 1000.0;
  return fmt::format("{:.3g} {}", bytes, kUnits[unit]);
}

}  // namespace wattune::cli
