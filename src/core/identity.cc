#include "wattune/core/identity.h"

#include <fmt/format.h>

#include <set>

namespace wattune::inline v0_1 {

namespace {

constexpr std::size_t kHashDigits = 32;  // digits of content_hash()
constexpr std::size_t kShownDigits = 8;
constexpr std::size_t kLongestShown = 60;

bool is_hash(const std::string& value) {
  return value.size() == kHashDigits && value.find_first_not_of("0123456789abcdef") == std::string::npos;
}

std::string shown(const std::string& value) {
  if (value.empty()) return "none";
  return is_hash(value) ? value.substr(0, kShownDigits) + ".." : value;
}

const std::string& value_of(const Identity& identity, const std::string& part) {
  static const std::string none;
  const auto found = identity.find(part);
  return found == identity.end() ? none : found->second;
}

}  // namespace

std::vector<IdentityDifference> differences(const Identity& found, const Identity& wanted) {
  std::set<std::string> parts;
  for (const Identity* identity : {&found, &wanted})
    for (const auto& [part, value] : *identity) parts.insert(part);
  std::vector<IdentityDifference> all;
  for (const std::string& part : parts)
    if (value_of(found, part) != value_of(wanted, part))
      all.push_back({part, value_of(found, part), value_of(wanted, part)});
  return all;
}

std::string to_string(const IdentityDifference& difference) {
  const std::string before = shown(difference.found);
  const std::string now = shown(difference.wanted);
  if (before.size() > kLongestShown || now.size() > kLongestShown) return difference.part;
  return fmt::format("{} (before: {}, now: {})", difference.part, before, now);
}

}  // namespace wattune
