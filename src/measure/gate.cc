#include "measure/interface/gate.h"

#include <algorithm>
#include <cmath>

namespace wattune::inline v0_1::measure {

namespace {

constexpr double kRejectionRisk = 0.02;   // risk of rejecting a configuration as fast as the incumbent
constexpr std::size_t kFirstLessons = 8;  // least number of lessons before a configuration is rejected
// The largest number of lessons (measured configurations, gate.h) by which a first launch is judged. The lessons whose
// medians are closest to the incumbent's are taken.
constexpr std::size_t kMostAlikeLessons = 64;
constexpr std::size_t kRememberedLessons = 256;  // few enough that the gate follows a device whose noise changes

// Returns a bound that the next value exceeds with probability kRejectionRisk at most. Among fewer than 2 /
// kRejectionRisk values an outlier would decide, so the bound is then twice the second largest value.
double upper_limit(std::vector<double> values) {
  const std::size_t m = values.size();
  const auto exceeding =
      static_cast<std::size_t>(kRejectionRisk * static_cast<double>(m + 1));  // how many values may lie above the bound
  const std::size_t rank = m - std::max<std::size_t>(exceeding, 2);
  const auto found = values.begin() + static_cast<std::ptrdiff_t>(rank);
  std::nth_element(values.begin(), found, values.end());
  return std::max(0.0, exceeding < 2 ? 2.0 * *found : *found);
}

}  // namespace

void Gate::learn(Nanoseconds first, Nanoseconds warm, Nanoseconds median) {
  const Lesson lesson{first - median, median, median > Nanoseconds{} ? warm / median : 1.0};
  if (lessons_.size() < kRememberedLessons)
    lessons_.push_back(lesson);
  else
    lessons_[learned_ % kRememberedLessons] = lesson;
  ++learned_;
}

bool Gate::ready() const { return lessons_.size() >= kFirstLessons; }

// Returns the longest first launch. A device that starts at a low clock reaches its full clock within a fixed time. The
// longer of two kernels thus loses more time in its first launch, but the shorter one loses a larger share. So a lesson
// with median d bounds the loss of a kernel with median t by excess * max(1, t / d).
Nanoseconds Gate::first_limit(const Statistics& incumbent) const {
  std::vector<Lesson> alike = lessons_;
  const auto distance = [&](const Lesson& lesson) { return std::abs(std::log(lesson.median / incumbent.median)); };
  if (alike.size() > kMostAlikeLessons) {
    const auto end = alike.begin() + kMostAlikeLessons;
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
