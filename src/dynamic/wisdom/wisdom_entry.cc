#include "wattune/dynamic/wisdom.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tune/interface/describe_run.h"
#include "wattune/core/identity.h"

namespace wattune::inline v0_1::dynamic {

namespace {

Error impossible(const std::string& what) { return Error(ErrorCode::invalid_argument, "a wisdom entry " + what); }

bool is_finite(const Value& value) { return !value.is_number() || std::isfinite(value.as_real()); }

Result<void> check_names(const WisdomEntry& entry) {
  if (entry.kernel.name.empty() || entry.kernel.version.empty()) return impossible("needs a kernel and its version");
  if (entry.device.empty()) return impossible("needs a device");
  std::set<std::string_view> names;
  for (const KeyPart& part : entry.key) {
    if (part.name.empty() || !names.insert(part.name).second)
      return impossible("has a key without distinct names").about(to_string(entry.key));
  }
  return {};
}

Result<void> check_values(const WisdomEntry& entry) {
  for (const KeyPart& part : entry.key)
    if (!is_finite(part.value)) return impossible("has a key that is not finite").about(to_string(entry.key));
  if (!std::ranges::all_of(entry.configuration.values(), is_finite))
    return impossible("has a value that is not finite").about(entry.configuration.to_string());
  return {};
}

Result<void> check_time(const WisdomEntry& entry) {
  const bool is_time = is_measurable(entry.low) && is_measurable(entry.high) && entry.time > Nanoseconds(0.0);
  if (!is_time || !(entry.low <= entry.time && entry.time <= entry.high))
    return impossible("has a time that is not above 0 or not in its interval")
        .about(fmt::format("{} in [{}, {}] ns", entry.time.value(), entry.low.value(), entry.high.value()));
  if (entry.samples == 0) return impossible("needs a sample");
  return {};
}

}  // namespace

std::string_view to_string(Measured measured) {
  switch (measured) {
    case Measured::in_place: return "in place";
    case Measured::screened: return "screened";
    case Measured::offline: return "offline";
  }
  return "unknown";
}

// Returns the version of a kernel. The parts of the version are hashed as netstrings, so that no content is ambiguous.
KernelVersion version_of(const KernelSpec& spec) {
  std::string parts;
  for (const auto& [part, value] : tune::kernel_identity(spec))
    parts += fmt::format("{}:{},{}:{},", part.size(), part, value.size(), value);
  return {spec.source.function.empty() ? spec.name : spec.source.function, content_hash(parts)};
}

Result<void> check(const WisdomEntry& entry) {
  WATTUNE_TRY(check_names(entry));
  WATTUNE_TRY(check_values(entry));
  return check_time(entry);
}

const WisdomEntry& better(const WisdomEntry& a, const WisdomEntry& b) {
  if (a.tuned != b.tuned) {
    const WisdomEntry& tuned = a.tuned ? a : b;
    const WisdomEntry& so_far = a.tuned ? b : a;
    return so_far.high < tuned.low ? so_far : tuned;
  }
  const bool b_is_later = b.measured_at >= a.measured_at;
  const WisdomEntry& later = b_is_later ? b : a;
  const WisdomEntry& earlier = b_is_later ? a : b;
  return later.measured == Measured::in_place || later.high < earlier.low ? later : earlier;
}

}  // namespace wattune::dynamic
