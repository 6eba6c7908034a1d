// A source in the queue of a CompilePool: its announced jobs and their results.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "wattune/backend/compile_pool.h"

namespace wattune::inline v0_1::backend {

// A source with its jobs. The mutex of the queue guards all members but target and source.
struct PooledSource::Entry {
  enum class JobState { waiting, running, done, taken };
  enum class Need { later, soon, now };  // urgency: announced; announced as urgent; awaited by a caller of take()
  struct Job {
    ImageRequest wanted;
    Nanoseconds limit;
    JobState state = JobState::waiting;
    bool expected = false;
    bool urgent = false;
    bool awaited = false;  // true if a caller of take() waits for the job
    std::optional<Compiled> result = {};

    Need need() const { return awaited ? Need::now : urgent ? Need::soon : Need::later; }
  };
  using JobPointer = std::shared_ptr<Job>;

  Entry(CompileTarget its_target, KernelSource its_source, bool with_cache)
      : target(std::move(its_target)), source(std::move(its_source)), is_cached(with_cache) {}

  const CompileTarget target;
  const KernelSource source;
  const bool is_cached;         // true if the pool has a cache
  std::deque<JobPointer> jobs;  // announced or awaited jobs, the next one first
  CompileActivity activity;     // figures of the source, without the numbers that are counted from the jobs

  // Returns the source with the text that is compiled for this image.
  KernelSource source_of(const ImageRequest& wanted) const {
    KernelSource own = source;
    if (!wanted.text.empty()) own.text = wanted.text;
    return own;
  }

  JobPointer find(const ImageRequest& wanted) const {
    const auto found = std::ranges::find_if(jobs, [&](const JobPointer& job) { return job->wanted == wanted; });
    return found == jobs.end() ? nullptr : *found;
  }

  // Returns the first job of this urgency that no process has begun; nullptr if there is none.
  JobPointer next(Need need) const {
    const auto found = std::ranges::find_if(
        jobs, [&](const JobPointer& job) { return job->state == JobState::waiting && job->need() == need; });
    return found == jobs.end() ? nullptr : *found;
  }

  void expect(const std::vector<ImageRequest>& wanted, Nanoseconds limit, std::size_t urgent) {
    std::map<ImageRequest, JobPointer> known;
    for (const JobPointer& job : jobs) {
      job->expected = false;
      known.try_emplace(job->wanted, job);
    }
    std::deque<JobPointer> expected;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      JobPointer& job = known[wanted[i]];
      if (!job) job = std::make_shared<Job>(Job{.wanted = wanted[i], .limit = limit});
      if (std::exchange(job->expected, true)) continue;
      expected.push_back(job);
      job->urgent = i < urgent;
    }
    for (const JobPointer& job : jobs)
      if (job->awaited && !job->expected) expected.push_front(job);
    jobs = std::move(expected);
  }

  // Makes an announced job that was taken wait for a process again. Returns whether it does.
  bool renew(const ImageRequest& wanted) {
    const JobPointer job = find(wanted);
    if (!job || job->state != JobState::taken) return false;
    job->state = JobState::waiting;
    return true;
  }

  // Returns the job for a caller who will wait for it. The job is placed before all others, and no other caller waits
  // for it.
  JobPointer claim(const ImageRequest& wanted, Nanoseconds limit) {
    JobPointer job = find(wanted);
    if (job && !job->awaited && job->state != JobState::taken) {
      std::erase(jobs, job);
    } else {
      job = std::make_shared<Job>(Job{.wanted = wanted, .limit = limit});
    }
    job->awaited = true;
    jobs.push_front(job);
    return job;
  }

  // Returns the result of a job that is done, and removes the job unless it is still announced.
  Compiled hand_over(const JobPointer& job) {
    job->state = JobState::taken;
    job->awaited = false;
    if (!job->expected) std::erase(jobs, job);
    return *std::exchange(job->result, std::nullopt);
  }
};

}  // namespace wattune::backend
