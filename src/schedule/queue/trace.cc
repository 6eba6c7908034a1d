#include "schedule/interface/trace.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

namespace wattune::inline v0_1::schedule {

namespace {

constexpr double kMicrosecond = 1e-3;  // the length of a nanosecond in microseconds

std::string json_of(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_of(const Span& span) {
  return fmt::format(
      R"({{"name":{},"ph":"X","ts":{:.3f},"dur":{:.3f},"pid":1,"tid":{},"args":{{"work":{},"tenant":{},"form":"{}",)"
      R"("blocks_per_sm":{},"first_sm":{},"sms":{},"first_block":{},"blocks":{},"failed":{}}}}})",
      json_of(span.kernel), span.begin.value() * kMicrosecond, (span.end - span.begin).value() * kMicrosecond,
      span.lane + 1, span.work, span.tenant, to_string(span.form), span.per_sm, span.sms.first, span.sms.count,
      span.first_block, span.blocks, span.failed);
}

std::string json_of(const Decision& decision) {
  return fmt::format(
      R"({{"name":{},"ph":"i","s":"t","ts":{:.3f},"pid":1,"tid":0,"args":{{"forecast_speedup":{:.4f},"works":{}}}}})",
      json_of(decision.reason), decision.moment.value() * kMicrosecond, decision.speedup, decision.waiting);
}

std::string track_name(unsigned track, const std::string& name) {
  return fmt::format(R"({{"name":"thread_name","ph":"M","pid":1,"tid":{},"args":{{"name":{}}}}})", track,
                     json_of(name));
}

}  // namespace

bool Trace::has_room() {
  if (spans_.size() + decisions_.size() < most_events_) return true;
  ++dropped_;
  return false;
}

void Trace::add(Span span) {
  if (has_room()) spans_.push_back(std::move(span));
}

void Trace::add(Decision decision) {
  if (has_room()) decisions_.push_back(std::move(decision));
}

std::string Trace::json() const {
  std::string out = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n" + track_name(0, "decisions");
  std::set<unsigned> lanes;
  for (const Span& span : spans_)
    if (lanes.insert(span.lane).second) out += ",\n" + track_name(span.lane + 1, fmt::format("lane {}", span.lane));
  for (const Span& span : spans_) out += ",\n" + json_of(span);
  for (const Decision& decision : decisions_) out += ",\n" + json_of(decision);
  return out + "\n]}\n";
}

}  // namespace wattune::schedule
