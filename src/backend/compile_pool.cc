#include "wattune/backend/compile_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>

#include "backend/compile_process.h"
#include "backend/image_key.h"
#include "core/stopwatch.h"

namespace wattune::backend {

// Shared by the users' threads and one thread for each process.
class CompilePool::Queue {
 public:
  Queue(CompileTarget target, KernelSource source, const CompilePoolOptions& options)
      : target_(std::move(target)), source_(std::move(source)), cache_(options.cache) {
    for (std::size_t i = 0; i < std::max<std::size_t>(1, options.processes); ++i)
      processes_.emplace_back(options.worker);
    activity_.processes = processes_.size();
    for (CompileProcess& process : processes_)
      if (!start_thread(process)) break;
  }

  ~Queue() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    for (CompileProcess& process : processes_) process.stop();
    for (std::thread& thread : threads_) thread.join();
  }

  void expect(const std::vector<std::vector<Macro>>& wanted, Nanoseconds limit) {
    {
      const std::lock_guard lock(mutex_);
      std::map<std::vector<Macro>, JobPointer> known;
      for (const JobPointer& job : jobs_) {
        job->expected = false;
        known.try_emplace(job->macros, job);
      }
      std::deque<JobPointer> jobs;
      for (const std::vector<Macro>& macros : wanted) {
        JobPointer& job = known[macros];
        if (!job) job = std::make_shared<Job>(Job{.macros = macros, .limit = limit});
        if (!std::exchange(job->expected, true)) jobs.push_back(job);
      }
      for (const JobPointer& job : jobs_)
        if (job->awaited && !job->expected) jobs.push_front(job);
      jobs_ = std::move(jobs);
    }
    changed_.notify_all();
  }

  Compiled take(const std::vector<Macro>& macros, Nanoseconds limit) {
    const Stopwatch stopwatch;
    std::unique_lock lock(mutex_);
    const JobPointer job = claim(macros, limit);
    changed_.notify_all();
    changed_.wait(lock, [&] { return job->state == State::done; });
    activity_.waited += stopwatch.elapsed();
    job->state = State::taken;
    job->awaited = false;
    if (!job->expected) std::erase(jobs_, job);
    return *std::exchange(job->result, std::nullopt);
  }

  CompileActivity activity() const {
    const std::lock_guard lock(mutex_);
    CompileActivity activity = activity_;
    for (const JobPointer& job : jobs_) {
      if (job->state == State::waiting) ++activity.waiting;
      if (job->state == State::done) ++activity.ready;
    }
    return activity;
  }

 private:
  enum class State { waiting, running, done, taken };
  struct Job {
    std::vector<Macro> macros;
    Nanoseconds limit;
    State state = State::waiting;
    bool expected = false;
    bool awaited = false;  // somebody is in take()
    std::optional<Compiled> result = {};
  };
  using JobPointer = std::shared_ptr<Job>;

  JobPointer find(const std::vector<Macro>& macros) const {
    const auto found = std::ranges::find_if(jobs_, [&](const JobPointer& job) { return job->macros == macros; });
    return found == jobs_.end() ? nullptr : *found;
  }

  // The job that somebody is going to wait for, before all others. Nobody else waits for it.
  JobPointer claim(const std::vector<Macro>& macros, Nanoseconds limit) {
    JobPointer job = find(macros);
    if (job && !job->awaited && job->state != State::taken) {
      std::erase(jobs_, job);
    } else {
      job = std::make_shared<Job>(Job{.macros = macros, .limit = limit});
    }
    job->awaited = true;
    jobs_.push_front(job);
    return job;
  }

  JobPointer next() const {
    const auto found = std::ranges::find(jobs_, State::waiting, [](const JobPointer& job) { return job->state; });
    return found == jobs_.end() ? nullptr : *found;
  }

  Compiled produce(CompileProcess& process, const Job& job) {
    const Stopwatch stopwatch;
    const auto key = cache_ ? image_key(target_, source_, job.macros) : std::nullopt;
    if (std::optional<Image> found = key ? cache_->find(*key) : std::nullopt)
      return {.image = *std::move(found), .took = stopwatch.elapsed(), .cached = true};
    Result<Image> image = process.compile({target_, source_, job.macros, job.limit});
    const Nanoseconds took = stopwatch.elapsed();
    // Unless a header was changed meanwhile: nobody knows which one was compiled.
    if (image && key && image_key(target_, source_, job.macros) == key) cache_->store(*key, *image);
    return {.image = std::move(image), .took = took};
  }

  // Fewer threads than processes will do, but for the first.
  bool start_thread(CompileProcess& process) {
    try {
      threads_.emplace_back([this, &process] { serve(process); });
    } catch (const std::system_error&) {
      if (threads_.empty()) throw;
      return false;
    }
    return true;
  }

  // Who waits for a job must learn that it is done.
  Compiled produce_or_explain(CompileProcess& process, const Job& job) {
    try {
      return produce(process, job);
    } catch (const std::exception& exception) {
      return {.image = Error(ErrorCode::internal, fmt::format("compiling ahead threw {}", exception.what())),
              .took = {}};
    } catch (...) {
      return {.image = Error(ErrorCode::internal, "compiling ahead threw something of an unknown type"), .took = {}};
    }
  }

  void serve(CompileProcess& process) {
    std::unique_lock lock(mutex_);
    for (;;) {
      JobPointer job;
      changed_.wait(lock, [&] { return stopping_ || (job = next()); });
      if (stopping_) return;
      job->state = State::running;
      ++activity_.running;
      changed_.notify_all();
      lock.unlock();
      const Stopwatch stopwatch;
      Compiled result = produce_or_explain(process, *job);
      lock.lock();
      activity_.busy += stopwatch.elapsed();
      --activity_.running;
      ++(result.cached ? activity_.cache_hits : activity_.compiled);
      job->result = std::move(result);
      job->state = State::done;
      changed_.notify_all();
    }
  }

  const CompileTarget target_;
  const KernelSource source_;
  const std::shared_ptr<ImageCache> cache_;
  std::deque<CompileProcess> processes_;
  mutable std::mutex mutex_;  // of all below
  std::condition_variable changed_;
  std::deque<JobPointer> jobs_;  // expected or waited for, the next first
  CompileActivity activity_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;  // last: they use the others
};

CompilePool::CompilePool(CompileTarget target, KernelSource source, const CompilePoolOptions& options)
    : queue_(std::make_unique<Queue>(std::move(target), std::move(source), options)) {}

CompilePool::~CompilePool() = default;

void CompilePool::expect(const std::vector<std::vector<Macro>>& macros, Nanoseconds limit) {
  queue_->expect(macros, limit);
}

Compiled CompilePool::take(const std::vector<Macro>& macros, Nanoseconds limit) { return queue_->take(macros, limit); }

CompileActivity CompilePool::activity() const { return queue_->activity(); }

}  // namespace wattune::backend
