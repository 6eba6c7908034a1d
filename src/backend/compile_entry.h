// A source in the queue of a CompilePool: what is expected of it, and what became of that.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "wattune/backend/compile_pool.h"

namespace wattune::backend {

// What the mutex of the queue guards, but for target and source.
struct PooledSource::Entry {
  enum class JobState { waiting, running, done, taken };
  enum class Need { later, soon, now };  // expected, urgently, or somebody is in take()
  struct Job {
    std::vector<Macro> macros;
    Nanoseconds limit;
    JobState state = JobState::waiting;
    bool expected = false;
    bool urgent = false;
    bool awaited = false;  // somebody is in take()
    std::optional<Compiled> result = {};

    Need need() const { return awaited ? Need::now : urgent ? Need::soon : Need::later; }
  };
  using JobPointer = std::shared_ptr<Job>;

  Entry(CompileTarget its_target, KernelSource its_source, bool with_cache)
      : target(std::move(its_target)), source(std::move(its_source)), is_cached(with_cache) {}

  const CompileTarget target;
  const KernelSource source;
  const bool is_cached;         // where the pool has a cache
  std::deque<JobPointer> jobs;  // expected or waited for, the next first
  CompileActivity activity;     // without what the jobs tell

  JobPointer find(const std::vector<Macro>& macros) const {
    const auto found = std::ranges::find(jobs, macros, [](const JobPointer& job) { return job->macros; });
    return found == jobs.end() ? nullptr : *found;
  }

  // The first of these that nobody has begun.
  JobPointer next(Need need) const {
    const auto found = std::ranges::find_if(
        jobs, [&](const JobPointer& job) { return job->state == JobState::waiting && job->need() == need; });
    return found == jobs.end() ? nullptr : *found;
  }

  void expect(const std::vector<std::vector<Macro>>& wanted, Nanoseconds limit, std::size_t urgent) {
    std::map<std::vector<Macro>, JobPointer> known;
    for (const JobPointer& job : jobs) {
      job->expected = false;
      known.try_emplace(job->macros, job);
    }
    std::deque<JobPointer> expected;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const std::vector<Macro>& macros = wanted[i];
      JobPointer& job = known[macros];
      if (!job) job = std::make_shared<Job>(Job{.macros = macros, .limit = limit});
      if (std::exchange(job->expected, true)) continue;
      expected.push_back(job);
      job->urgent = i < urgent;
    }
    for (const JobPointer& job : jobs)
      if (job->awaited && !job->expected) expected.push_front(job);
    jobs = std::move(expected);
  }

  // The job that somebody is going to wait for, before all others. Nobody else waits for it.
  JobPointer claim(const std::vector<Macro>& macros, Nanoseconds limit) {
    JobPointer job = find(macros);
    if (job && !job->awaited && job->state != JobState::taken) {
      std::erase(jobs, job);
    } else {
      job = std::make_shared<Job>(Job{.macros = macros, .limit = limit});
    }
    job->awaited = true;
    jobs.push_front(job);
    return job;
  }

  // Of a job that is done.
  Compiled hand_over(const JobPointer& job) {
    job->state = JobState::taken;
    job->awaited = false;
    if (!job->expected) std::erase(jobs, job);
    return *std::exchange(job->result, std::nullopt);
  }
};

}  // namespace wattune::backend
