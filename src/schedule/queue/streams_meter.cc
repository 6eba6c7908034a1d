#include "schedule/queue/streams_meter.h"

#include <algorithm>

namespace wattune::inline v0_1::schedule {

namespace {

constexpr std::size_t kLeastEnded = 16;  // works that must have ended if others still run, and before a speed counts
constexpr double kLeastPart = 0.5;       // of the time until the last end, in which the speed is known

}  // namespace

void StreamsMeter::add(KernelId kernel, Nanoseconds alone, Nanoseconds begin, Nanoseconds end) {
  if (!is_restarted_) first_begin_ = std::min(first_begin_, begin);
  last_end_ = std::max(last_end_, end);
  ended_.push_back({kernel == kernels_[0] ? 0U : 1U, alone, begin, end});
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

// Returns the moment from which on works tell the speed: the last end before the restart. If there was no restart, all
// works began at once and first wait for each other, so the speed shows only after some of them have ended. With
// priorities, more works of the urgent kernel end at first, so no moment without a restart is known.
std::optional<Nanoseconds> StreamsMeter::first_moment() const {
  if (is_restarted_) return restart_;
  if (shape_.urgent || ended_.size() < 2 * kLeastEnded) return {};
  std::vector<Nanoseconds> ends;
  for (const EndedWork& work : ended_) ends.push_back(work.end);
  std::ranges::nth_element(ends, ends.begin() + kLeastEnded - 1);
  return ends[kLeastEnded - 1];
}

// Returns the speed-up between these moments: the times alone of what ran, divided by the time between the moments.
// Each work counts evenly from its begin to its end, so that the works need not end evenly. All that ran until `to`
// must have ended. Returns 0 if the time is too short to tell.
double StreamsMeter::speedup_between(Nanoseconds from, Nanoseconds to) const {
  if (to - from < kLeastPart * (last_end_ - from) || to <= from) return 0.0;
  Nanoseconds done;
  for (const EndedWork& work : ended_) {
    const Nanoseconds within = std::min(work.end, to) - std::max(work.begin, from);
    if (within > Nanoseconds()) done += (within / (work.end - work.begin)) * work.alone;
  }
  return done / (to - from);
}

// Returns the speed-up of all works, from the first begin to the last end. It is never more than in a longer run,
// because the last work runs on alone here, and would be followed by others in a longer run.
double StreamsMeter::speedup_of_all(Nanoseconds alone) const {
  const auto last = std::ranges::max_element(ended_, {}, &EndedWork::end);
  Nanoseconds before = first_begin_;
  for (const EndedWork& work : ended_)
    if (&work != &*last) before = std::max(before, work.end);
  const double speedup = alone / (last->end - first_begin_);
  if (before <= first_begin_) return speedup;
  return std::max(speedup, (alone - std::min(last->alone, last->end - before)) / (before - first_begin_));
}

std::optional<std::array<double, 2>> StreamsMeter::speeds(std::optional<Nanoseconds> first_that_runs) const {
  const std::array<std::size_t, 2> count = works();
  if (std::min(count[0], count[1]) == 0 || (first_that_runs && ended_.size() < kLeastEnded)) return {};
  const std::array<Nanoseconds, 2> alone = alone_of_all();
  const Nanoseconds all = alone[0] + alone[1];
  // When the last work has begun, streams become idle one by one.
  const Nanoseconds to = first_that_runs.value_or(std::ranges::max(ended_, {}, &EndedWork::begin).begin);
  const std::optional<Nanoseconds> from = first_moment();
  double speedup = from ? speedup_between(*from, to) : 0.0;
  if (!first_that_runs && !is_restarted_) speedup = std::max(speedup, speedup_of_all(all));
  if (!(speedup > 0.0)) return {};
  return std::array<double, 2>{speedup * (alone[0] / all), speedup * (alone[1] / all)};
}

std::array<std::size_t, 2> StreamsMeter::all_works() const {
  const std::array<std::size_t, 2> now = works();
  return {before_restart_[0] + now[0], before_restart_[1] + now[1]};
}

void StreamsMeter::restart() {
  before_restart_ = all_works();
  ended_.clear();
  restart_ = last_end_;
  is_restarted_ = true;
}

}  // namespace wattune::schedule
