#include "schedule/queue/streams_meter.h"

#include <algorithm>

namespace wattune::inline v0_1::schedule {

namespace {

constexpr std::size_t kLeastEnded = 16;  // works that must have ended if others still run
constexpr std::size_t kManyEnded = 32;   // works of which the first and the last ones need not count

}  // namespace

void StreamsMeter::add(KernelId kernel, Nanoseconds alone, Nanoseconds begin, Nanoseconds end) {
  begin_ = std::min(begin_, begin);
  const auto later = std::ranges::upper_bound(ended_, end, {}, &EndedWork::end);
  ended_.insert(later, {kernel == kernels_[0] ? 0U : 1U, alone, end});
}

std::array<std::size_t, 2> StreamsMeter::works() const {
  std::array<std::size_t, 2> works = {};
  for (const EndedWork& work : ended_) ++works[work.which];
  return works;
}

std::array<Nanoseconds, 2> StreamsMeter::alone_of_all() const {
  std::array<Nanoseconds, 2> alone = {};
  for (const EndedWork& work : ended_) alone[work.which] += work.alone;
  return alone;
}

// Returns the time alone of the works that end in a while, divided by that while: the slope of a line through the sums
// of times alone at the ends. Works of small grids end many at a time, so that no two ends would tell it. The first
// quarter is left out, since its works began before the others. No work from `end_of_counted` on counts.
double StreamsMeter::slope(std::size_t end_of_counted) const {
  const std::size_t first = ended_.size() / 4;
  const auto count = static_cast<double>(end_of_counted - first);
  double mean_end = 0.0;
  double mean_sum = 0.0;
  Nanoseconds sum;
  std::vector<std::array<double, 2>> points;
  for (std::size_t i = first; i < end_of_counted; ++i) {
    sum += ended_[i].alone;
    points.push_back({(ended_[i].end - ended_[first].end).value(), sum.value()});
    mean_end += points.back()[0] / count;
    mean_sum += points.back()[1] / count;
  }
  double covariance = 0.0;
  double variance = 0.0;
  for (const auto& [end, of_sum] : points) {
    covariance += (end - mean_end) * (of_sum - mean_sum);
    variance += (end - mean_end) * (end - mean_end);
  }
  return variance > 0.0 ? covariance / variance : 0.0;
}

std::optional<std::array<double, 2>> StreamsMeter::speeds(bool all_ended) const {
  const std::array<std::size_t, 2> count = works();
  if (std::min(count[0], count[1]) == 0) return {};
  const std::array<Nanoseconds, 2> alone = alone_of_all();
  const Nanoseconds all = alone[0] + alone[1];
  const EndedWork& last = ended_.back();
  double speedup = 0.0;
  if (shape_.urgent && !all_ended) {
    // With priorities more works of one kernel end at the beginning, so that only all works since then tell the speed.
    if (!knows_begin_ || ended_.size() < kLeastEnded) return {};
    speedup = all / (last.end - begin_);
  } else if (all_ended && ended_.size() >= kManyEnded && !shape_.urgent) {
    speedup = slope(ended_.size() - ended_.size() / 4);
  } else if (all_ended && knows_begin_) {
    speedup = all / (last.end - begin_);
    // The last work ran on alone, at most at its speed alone. Others would follow it in a longer run.
    const Nanoseconds before = ended_[ended_.size() - 2].end;
    const Nanoseconds of_rest = std::min(last.alone, last.end - before);
    if (before > begin_) speedup = std::max(speedup, (all - of_rest) / (before - begin_));
  } else {
    if (ended_.size() < kLeastEnded) return {};
    speedup = slope(ended_.size());
  }
  if (!(speedup > 0.0)) return {};
  return std::array<double, 2>{speedup * (alone[0] / all), speedup * (alone[1] / all)};
}

void StreamsMeter::restart() {
  ended_.clear();
  begin_ = kForever;
  knows_begin_ = false;
}

}  // namespace wattune::schedule
