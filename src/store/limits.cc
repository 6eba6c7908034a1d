#include "store/limits.h"

#include <fmt/format.h>

namespace wattune::inline v0_1::store {

namespace {

constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxMembers = 4096;

}  // namespace

void JsonLimits::check(int depth, Json::parse_event_t event) {
  const auto level = static_cast<std::size_t>(depth);
  if (level > kMaxDepth) throw Malformed(fmt::format("the JSON is nested deeper than {} levels", kMaxDepth));
  if (event == Json::parse_event_t::object_end || event == Json::parse_event_t::array_end) return;
  if (event == Json::parse_event_t::key) return count_member(level);
  if (event == Json::parse_event_t::object_start) open_object(level + 1);
  if (++values_ > kMaxValues) throw Malformed(kTooManyValues);
}

void JsonLimits::open_object(std::size_t depth) {
  members_.resize(depth + 1);
  members_[depth] = 0;
}

void JsonLimits::count_member(std::size_t depth) {
  if (++members_[depth] > kMaxMembers) throw Malformed(fmt::format("an object has more than {} members", kMaxMembers));
}

}  // namespace wattune::store
