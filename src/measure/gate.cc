#include "measure/gate.h"

#include <algorithm>
#include <cmath>

namespace wattune::measure {

namespace {

constexpr double kRisk = 0.02;            // of either limit rejecting a configuration as fast as the incumbent
constexpr std::size_t kFirstLessons = 8;  // before anything is rejected
constexpr std::size_t kAlike = 64;  // lessons of about the incumbent's duration that the first launch is judged by
constexpr std::size_t kRemembered = 256;  // so that the gate follows a device whose noise changes

// What the next value exceeds with probability kRisk at most. Fewer than 2 / kRisk values do not say without letting an
// outlier decide; then it is twice the second largest.
double upper_limit(std::vector<double> values) {
  const std::size_t m = values.size();
  const auto exceeding = static_cast<std::size_t>(kRisk * static_cast<double>(m + 1));  // values that may lie above
  const std::size_t rank = m - std::max<std::size_t>(exceeding, 2);
  const auto found = values.begin() + static_cast<std::ptrdiff_t>(rank);
  std::nth_element(values.begin(), found, values.end());
  return std::max(0.0, exceeding < 2 ? 2.0 * *found : *found);
}

}  // namespace

void Gate::learn(Nanoseconds first, Nanoseconds warm, Nanoseconds median) {
  const Lesson lesson{first - median, median, median > Nanoseconds{} ? warm / median : 1.0};
  if (lessons_.size() < kRemembered)
    lessons_.push_back(lesson);
  else
    lessons_[learned_ % kRemembered] = lesson;
  ++learned_;
}

bool Gate::ready() const { return lessons_.size() >= kFirstLessons; }

// A device that starts at a low clock makes up for it within a fixed time. Of two kernels the longer therefore loses
// more, but the shorter more of its own time; so a lesson of median d bounds the loss of one of median t by
// excess * max(1, t / d).
Nanoseconds Gate::first_limit(const Statistics& incumbent) const {
  std::vector<Lesson> alike = lessons_;
  const auto distance = [&](const Lesson& lesson) { return std::abs(std::log(lesson.median / incumbent.median)); };
  if (alike.size() > kAlike) {
    const auto end = alike.begin() + kAlike;
    std::nth_element(alike.begin(), end, alike.end(),
                     [&](const Lesson& a, const Lesson& b) { return distance(a) < distance(b); });
    alike.erase(end, alike.end());
  }
  std::vector<double> losses;
  losses.reserve(alike.size());
  for (const Lesson& lesson : alike) {
    losses.push_back(lesson.excess.value() * std::max(1.0, incumbent.interval_high / lesson.median));
  }
  return warm_limit(incumbent) + Nanoseconds(upper_limit(std::move(losses)));
}

Nanoseconds Gate::warm_limit(const Statistics& incumbent) const {
  std::vector<double> excesses;
  excesses.reserve(lessons_.size());
  for (const Lesson& lesson : lessons_) excesses.push_back(lesson.ratio - 1.0);
  return incumbent.interval_high * (1.0 + upper_limit(std::move(excesses)));
}

}  // namespace wattune::measure
