#include "power/counter_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace wattune::inline v0_1::power {

namespace {

Result<Joules> step(Joules before, Joules after, const std::string& name, std::optional<Joules> wraps_at) {
  if (after >= before) return after - before;
  if (wraps_at) return *wraps_at - before + after;
  return Error(ErrorCode::unavailable,
               fmt::format("the energy counter {} was reset while it was read: it fell from {:.3f} J to {:.3f} J", name,
                           before.value(), after.value()))
      .hint("measure again");
}

}  // namespace

// Collects publications. The first reading is not a publication, because the counter changed at an unknown time before
// it.
Result<CounterTrace> CounterTrace::of(const Trace<Joules>& counter, Nanoseconds to, std::optional<Joules> wraps_at) {
  CounterTrace trace;
  Joules counted;
  for (std::size_t i = 1; i < counter.changes.size(); ++i) {
    const Change<Joules>& change = counter.changes[i];
    WATTUNE_ASSIGN(const Joules rise, step(counter.changes[i - 1].value, change.value, counter.sensor.name, wraps_at));
    counted += rise;
    const Nanoseconds middle = (change.since + change.at) / 2.0 - counter.sensor.traits.lag;
    trace.publications_.push_back({{middle, (change.at - change.since) / 2.0}, counted});
    if (middle >= to) break;
  }
  return trace;
}

Watts CounterTrace::mean(std::size_t i) const {
  const Publication& begin = publications_[i];
  const Publication& end = publications_[i + 1];
  return (end.counted - begin.counted) / (end.at.value - begin.at.value);
}

// Estimates the joules at a moment within an interval between two publications. Up to some unknown moment the power is
// that of the interval before, and from then on that of the interval after. The true value lies between the estimates
// from both ends, and within the energy of the interval.
Result<Measured<Joules>> CounterTrace::at(Nanoseconds moment) const {
  auto behind = std::ranges::lower_bound(publications_, moment, {}, [](const auto& each) { return each.at.value; });
  if (behind == publications_.begin() && behind != publications_.end() && behind->at.value == moment) ++behind;
  if (behind == publications_.begin() || behind == publications_.end())
    return Error(ErrorCode::unavailable, "the counter published nothing before or nothing behind a moment");
  const auto i = static_cast<std::size_t>(behind - publications_.begin()) - 1;
  const Publication& before = publications_[i];
  const Watts left = i > 0 ? mean(i - 1) : mean(i);
  const Watts right = i + 2 < publications_.size() ? mean(i + 1) : mean(i);
  const auto within = [&](Joules joules) { return std::clamp(joules, before.counted, behind->counted); };
  const Joules from_left = within(before.counted + left * (moment - before.at.value));
  const Joules from_right = within(behind->counted - right * (behind->at.value - moment));
  const Joules timing = std::max(left * before.at.uncertainty, right * behind->at.uncertainty);
  const Joules between = Joules(std::abs((from_left - from_right).value())) / 2.0;
  return Measured<Joules>{(from_left + from_right) / 2.0, between + timing};
}

}  // namespace wattune::power
