#include "schedule/queue/work_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "wattune/model/co_residency.h"

namespace wattune::inline v0_1::schedule {

namespace {

Error refuse(ErrorCode code, std::string what) { return Error(code, std::move(what)).with_context("schedule"); }

Result<void> check_kernel(const KernelTraits& kernel, const MachineLimits& limits) {
  if (kernel.blocks == 0)
    return refuse(ErrorCode::invalid_argument, "the grid of a work needs at least one block").about(kernel.name);
  if (!limits.capability) return {};
  WATTUNE_ASSIGN(const model::SmRoom room, model::SmRoom::of(*limits.capability));
  auto share = room.share_of(kernel.block);
  if (!share) return std::move(share).error().with_context("schedule: " + kernel.name);
  return {};
}

// Tells whether works of a batch wait for each other in a cycle, so that none of these ever becomes free (Kahn's
// algorithm).
bool has_cycle(std::span<const Work> works) {
  std::vector<std::size_t> waits(works.size());
  std::vector<std::vector<std::size_t>> dependents(works.size());
  std::vector<std::size_t> free;
  for (std::size_t i = 0; i < works.size(); ++i) {
    waits[i] = works[i].after_in_batch.size();
    for (const std::size_t before : works[i].after_in_batch) dependents[before].push_back(i);
    if (waits[i] == 0) free.push_back(i);
  }
  for (std::size_t i = 0; i < free.size(); ++i)
    for (const std::size_t next : dependents[free[i]])
      if (--waits[next] == 0) free.push_back(next);
  return free.size() < works.size();
}

Error of_dependency(WorkId failed) {
  return refuse(ErrorCode::cancelled, fmt::format("work {}, which it comes after, did not succeed", failed));
}

}  // namespace

double Entry::left() const {
  const bool is_sliced = current && current->form == Form::slices;
  const std::uint64_t given = is_sliced ? next_block : done;
  return 1.0 - static_cast<double>(given) / static_cast<double>(traits->blocks);
}

Result<void> WorkQueue::check(const Work& work, const Machine& machine) const {
  const KernelTraits* kernel = machine.kernel(work.kernel);
  if (kernel == nullptr)
    return refuse(ErrorCode::not_found, "the machine has no kernel of this number")
        .about(fmt::format("{}", work.kernel))
        .hint("add it to the machine first");
  WATTUNE_TRY(check_kernel(*kernel, machine.limits()));
  if (!(work.limit.value() > 0.0))
    return refuse(ErrorCode::invalid_argument, "the time limit of a work must be above 0")
        .about(kernel->name)
        .hint("kForever sets no limit");
  for (const WorkId before : work.after) {
    if (before == 0 || before >= next_)
      return refuse(ErrorCode::not_found, "there is no earlier work of this number that another could come after")
          .about(fmt::format("{}", before))
          .hint("a work of the same submission is named in after_in_batch");
    if (failed_.contains(before)) return of_dependency(before);
  }
  return {};
}

Result<void> WorkQueue::check(std::span<const Work> works, const Machine& machine) const {
  for (const Work& work : works) {
    WATTUNE_TRY(check(work, machine));
    for (const std::size_t before : work.after_in_batch)
      if (before >= works.size())
        return refuse(ErrorCode::not_found, "the submission has no work of this number")
            .about(fmt::format("{}", before))
            .hint(fmt::format("it has {} of them, counted from 0", works.size()));
  }
  if (has_cycle(works))
    return refuse(ErrorCode::invalid_argument, "works of this submission wait for each other")
        .hint("after_in_batch must have no cycle");
  return {};
}

std::vector<WorkId> WorkQueue::add(std::span<const Work> works, const Machine& machine) {
  std::vector<WorkId> ids;
  const WorkId first = next_;
  const Nanoseconds now = machine.now();
  for (const Work& work : works) {
    Entry entry{.id = next_++, .work = work, .traits = machine.kernel(work.kernel)};
    entry.statistics.submitted = now;
    ids.push_back(entry.id);
    entries_.emplace_hint(entries_.end(), entry.id, std::move(entry));
  }
  for (const WorkId id : ids) {
    Entry& entry = entries_.at(id);
    for (const std::size_t place : entry.work.after_in_batch) entry.work.after.push_back(first + place);
    for (const WorkId before : entry.work.after)
      if (Entry* other = find(before)) other->dependents.push_back(id), ++entry.waits_for;
    if (entry.waits_for == 0) make_ready(entry);
  }
  return ids;
}

Entry* WorkQueue::find(WorkId work) {
  const auto found = entries_.find(work);
  return found == entries_.end() ? nullptr : &found->second;
}

std::size_t WorkQueue::count_ready(KernelId kernel) const {
  const auto found = ready_of_kernel_.find(kernel);
  return found == ready_of_kernel_.end() ? 0 : found->second.size();
}

const std::set<WorkId>& WorkQueue::most_urgent() const {
  static const std::set<WorkId> none = {};
  return ready_of_priority_.size() > 1 ? ready_of_priority_.rbegin()->second : none;
}

void WorkQueue::make_ready(const Entry& entry) {
  ready_.insert(entry.id);
  ready_of_kernel_[entry.work.kernel].insert(entry.id);
  ready_of_priority_[entry.work.priority].insert(entry.id);
}

void WorkQueue::unready(const Entry& entry) {
  if (ready_.erase(entry.id) == 0) return;
  ready_of_kernel_.at(entry.work.kernel).erase(entry.id);
  const auto equals = ready_of_priority_.find(entry.work.priority);
  equals->second.erase(entry.id);
  if (equals->second.empty()) ready_of_priority_.erase(equals);
}

std::vector<Finished> WorkQueue::take_finished() { return std::exchange(finished_, {}); }

void WorkQueue::leave(WorkId work, Result<WorkStatistics> result) {
  if (!result) failed_.insert(work);
  finished_.push_back({work, std::move(result)});
  const auto entry = entries_.find(work);
  unready(entry->second);
  entries_.erase(entry);
}

void WorkQueue::finish(Entry& entry, Nanoseconds now) {
  entry.statistics.ended = now;
  entry.statistics.partners = static_cast<unsigned>(entry.partners.size());
  std::vector<WorkId> failed;
  for (const WorkId id : entry.dependents) {
    Entry* dependent = find(id);
    if (dependent == nullptr) continue;
    if (entry.failure) failed.push_back(id);
    if (--dependent->waits_for == 0 && !entry.failure) make_ready(*dependent);
  }
  const WorkId id = entry.id;
  leave(id, entry.failure ? Result<WorkStatistics>(*entry.failure) : entry.statistics);
  for (std::size_t i = 0; i < failed.size(); ++i) {
    Entry* dependent = find(failed[i]);
    if (dependent == nullptr) continue;
    failed.insert(failed.end(), dependent->dependents.begin(), dependent->dependents.end());
    leave(failed[i], of_dependency(id));
  }
}

void WorkQueue::fail_all(const Error& error) {
  while (!entries_.empty()) leave(entries_.begin()->first, error);
}

}  // namespace wattune::schedule
