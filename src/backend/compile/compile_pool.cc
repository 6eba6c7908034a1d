#include "wattune/backend/compile_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>

#include "backend/compile/compile_entry.h"
#include "backend/compile/image_key.h"
#include "backend/host/fill.h"
#include "backend/interface/compile_process.h"
#include "core/stopwatch.h"

namespace wattune::inline v0_1::backend {

namespace {

WorkerOptions without_niceness(WorkerOptions worker) {
  worker.niceness = 0;
  return worker;
}

std::size_t most_processes(const CompilePoolOptions& options) {
  if (options.spare_processors == 0) return std::numeric_limits<std::size_t>::max();
  const std::size_t usable = host::usable_processors().size();
  return usable > options.spare_processors ? usable - options.spare_processors : 1;
}

}  // namespace

// The queue of a pool, shared by the users' threads and by one thread for each process.
class PooledSource::Queue {
 public:
  using EntryPointer = std::shared_ptr<Entry>;
  using JobState = Entry::JobState;
  using JobPointer = Entry::JobPointer;
  using Need = Entry::Need;

  explicit Queue(const CompilePoolOptions& options)
      : worker_(options.worker),
        cache_(options.cache),
        most_(most_processes(options)),
        prompt_process_(without_niceness(options.worker)),
        prompt_is_busy_(!options.prompt) {
    set_processes(options.processes);
  }

  ~Queue() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    prompt_process_.stop();
    for (CompileProcess& process : processes_) process.stop();
    for (std::thread& thread : threads_) thread.join();
    if (prompt_thread_.joinable()) prompt_thread_.join();
  }

  std::size_t processes() const {
    const std::lock_guard lock(mutex_);
    return std::min(limit_, threads_.size());
  }

  // Sets how many processes may compile at once. If no more threads can be started, fewer processes compile, but at
  // least one.
  void set_processes(std::size_t most) {
    {
      const std::lock_guard lock(mutex_);
      limit_ = std::min(most, most_);
      while (threads_.size() < std::max<std::size_t>(1, limit_) && start_thread()) {
      }
    }
    changed_.notify_all();
  }

  EntryPointer add(CompileTarget target, KernelSource source, bool is_cached) {
    const std::lock_guard lock(mutex_);
    return entries_.emplace_back(std::make_shared<Entry>(std::move(target), std::move(source), is_cached));
  }

  void remove(const EntryPointer& entry) {
    const std::lock_guard lock(mutex_);
    std::erase(entries_, entry);
  }

  void expect(Entry& entry, const std::vector<ImageRequest>& wanted, Nanoseconds limit, std::size_t urgent) {
    {
      const std::lock_guard lock(mutex_);
      entry.expect(wanted, limit, urgent);
      if (entry.next(Need::soon)) use_prompt_process();
    }
    changed_.notify_all();
  }

  void renew(Entry& entry, const ImageRequest& wanted) {
    {
      const std::lock_guard lock(mutex_);
      if (!entry.renew(wanted)) return;
      if (entry.next(Need::soon)) use_prompt_process();
    }
    changed_.notify_all();
  }

  Compiled take(Entry& entry, const ImageRequest& wanted, Nanoseconds limit) {
    const Stopwatch stopwatch;
    std::unique_lock lock(mutex_);
    const JobPointer job = entry.claim(wanted, limit);
    use_prompt_process();
    changed_.notify_all();
    changed_.wait(lock, [&] { return job->state == JobState::done; });
    entry.activity.waited += stopwatch.elapsed();
    return entry.hand_over(job);
  }

  std::optional<Compiled> try_take(Entry& entry, const ImageRequest& wanted) {
    const std::lock_guard lock(mutex_);
    const JobPointer job = ready(entry, wanted);
    return job ? std::optional(entry.hand_over(job)) : std::nullopt;
  }

  std::optional<Compiled> look_at(const Entry& entry, const ImageRequest& wanted) const {
    const std::lock_guard lock(mutex_);
    const JobPointer job = ready(entry, wanted);
    return job ? job->result : std::nullopt;
  }

  void wait_for_all_but(const Entry& entry, std::size_t unfinished, Nanoseconds limit) {
    const auto is_unfinished = [](const JobPointer& job) {
      return job->state == JobState::waiting || job->state == JobState::running;
    };
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::duration<double>(to_seconds(limit)), [&] {
      return static_cast<std::size_t>(std::ranges::count_if(entry.jobs, is_unfinished)) <= unfinished;
    });
  }

  bool is_ready(const Entry& entry, const ImageRequest& wanted) const {
    const std::lock_guard lock(mutex_);
    return ready(entry, wanted) != nullptr;
  }

  CompileActivity activity(const Entry& entry) const {
    const std::lock_guard lock(mutex_);
    CompileActivity activity = entry.activity;
    activity.processes = std::min(limit_, threads_.size());
    for (const JobPointer& job : entry.jobs) {
      if (job->state == JobState::waiting) ++activity.waiting;
      if (job->state == JobState::done) ++activity.ready;
    }
    return activity;
  }

 private:
  struct Work {
    EntryPointer entry;
    JobPointer job;
  };

  // Returns the job if it is done and no caller of take() waits for it; nullptr otherwise.
  static JobPointer ready(const Entry& entry, const ImageRequest& wanted) {
    const JobPointer job = entry.find(wanted);
    return job && job->state == JobState::done && !job->awaited ? job : nullptr;
  }

  // Returns the next job of this urgency. Sources take turns: a source that was served comes last the next time.
  std::optional<Work> next(Need need) {
    for (auto entry = entries_.begin(); entry != entries_.end(); ++entry)
      if (const JobPointer job = (*entry)->next(need)) {
        const Work work{*entry, job};
        std::rotate(entry, entry + 1, entries_.end());
        return work;
      }
    return std::nullopt;
  }

  // Returns the next job that a caller awaits or that is urgent.
  std::optional<Work> next_prompt() {
    std::optional<Work> work = next(Need::now);
    return work ? work : next(Need::soon);
  }

  // Returns the next job for the process of this number. At least one process always serves waiting callers.
  std::optional<Work> next_for(std::size_t process) {
    if (beyond_limit(process)) return std::nullopt;
    std::optional<Work> work = prompt_is_busy_ ? next_prompt() : std::nullopt;
    return work || process >= limit_ ? work : next(Need::later);
  }
  bool beyond_limit(std::size_t process) const { return process >= std::max<std::size_t>(1, limit_); }

  Compiled produce(CompileProcess& process, const Work& work) {
    const Stopwatch stopwatch;
    const CompileTarget& target = work.entry->target;
    const KernelSource source = work.entry->source_of(work.job->wanted);
    const std::vector<Macro>& macros = work.job->wanted.macros;
    const auto key = cache_ && work.entry->is_cached ? image_key(target, source, macros) : std::nullopt;
    if (std::optional<Image> found = key ? cache_->find(*key) : std::nullopt)
      return {.image = *std::move(found), .took = stopwatch.elapsed(), .cached = true};
    Result<Image> image = process.compile({target, source, macros, work.job->limit});
    const Nanoseconds took = stopwatch.elapsed();
    // An image is not stored if a header changed meanwhile, because it is unknown which version was compiled.
    if (image && key && image_key(target, source, macros) == key) cache_->store(*key, *image);
    return {.image = std::move(image), .took = took};
  }

  bool start_thread() {
    try {
      CompileProcess& process = processes_.emplace_back(worker_);
      threads_.emplace_back([this, &process, number = threads_.size()] { serve(process, number); });
    } catch (const std::system_error&) {
      processes_.pop_back();
      if (threads_.empty()) throw;
      return false;
    }
    return true;
  }

  // Starts the prompt process. If it cannot be started, awaited jobs are compiled by the other processes.
  void use_prompt_process() {
    if (prompt_is_busy_ || prompt_thread_.joinable()) return;
    try {
      prompt_thread_ = std::thread([this] { serve_promptly(); });
    } catch (const std::system_error&) {
      prompt_is_busy_ = true;
    }
  }

  void serve_promptly() {
    std::optional<Work> work;
    const auto has_work = [&] { return stopping_ || (work = next_prompt()); };
    for (std::unique_lock lock(mutex_);;) {
      changed_.wait(lock, has_work);
      if (stopping_) return;
      prompt_is_busy_ = true;
      serve(prompt_process_, *work, lock);
      prompt_is_busy_ = false;
    }
  }

  // Compiles a job and turns exceptions into errors, because the waiting caller must learn that the job is done.
  Compiled produce_or_explain(CompileProcess& process, const Work& work) {
    try {
      return produce(process, work);
    } catch (const std::exception& exception) {
      return {.image = Error(ErrorCode::internal, fmt::format("compiling ahead threw {}", exception.what())),
              .took = {}};
    } catch (...) {
      return {.image = Error(ErrorCode::internal, "compiling ahead threw something of an unknown type"), .took = {}};
    }
  }

  void serve(CompileProcess& process, std::size_t number) {
    std::unique_lock lock(mutex_);
    for (;;) {
      std::optional<Work> work;
      bool surplus = false;
      changed_.wait(lock, [&] {
        surplus = beyond_limit(number) && process.runs();
        return stopping_ || surplus || (work = next_for(number));
      });
      if (stopping_) return;
      if (work) {
        serve(process, *work, lock);
      } else {
        lock.unlock();
        process.end();
        lock.lock();
      }
    }
  }

  void serve(CompileProcess& process, const Work& work, std::unique_lock<std::mutex>& lock) {
    CompileActivity& activity = work.entry->activity;
    work.job->state = JobState::running;
    ++activity.running;
    changed_.notify_all();
    lock.unlock();
    const Stopwatch stopwatch;
    Compiled result = produce_or_explain(process, work);
    lock.lock();
    activity.busy += stopwatch.elapsed();
    --activity.running;
    ++(result.cached ? activity.cache_hits : activity.compiled);
    work.job->result = std::move(result);
    work.job->state = JobState::done;
    changed_.notify_all();
  }

  const WorkerOptions worker_;
  const std::shared_ptr<ImageCache> cache_;
  const std::size_t most_;
  CompileProcess prompt_process_;
  mutable std::mutex mutex_;  // guards all members below
  std::condition_variable changed_;
  std::vector<EntryPointer> entries_;  // entries of the sources; the source to be served next comes first
  std::size_t limit_ = 0;
  bool stopping_ = false;
  bool prompt_is_busy_;                   // true if the prompt process is busy or does not exist
  std::deque<CompileProcess> processes_;  // a deque keeps the addresses of its elements
  std::vector<std::thread> threads_;      // the last member, because the threads use the others
  std::thread prompt_thread_;
};

PooledSource::PooledSource(Queue& queue, std::shared_ptr<Entry> entry) : queue_(&queue), entry_(std::move(entry)) {}

PooledSource::PooledSource(PooledSource&&) noexcept = default;

PooledSource& PooledSource::operator=(PooledSource&& other) noexcept {
  std::swap(queue_, other.queue_);
  std::swap(entry_, other.entry_);
  return *this;
}

PooledSource::~PooledSource() {
  if (entry_) queue_->remove(entry_);
}

void PooledSource::expect(const std::vector<ImageRequest>& wanted, Nanoseconds limit, std::size_t urgent) {
  queue_->expect(*entry_, wanted, limit, urgent);
}

void PooledSource::renew(const ImageRequest& wanted) { queue_->renew(*entry_, wanted); }

Compiled PooledSource::take(const ImageRequest& wanted, Nanoseconds limit) {
  return queue_->take(*entry_, wanted, limit);
}

std::optional<Compiled> PooledSource::try_take(const ImageRequest& wanted) { return queue_->try_take(*entry_, wanted); }

std::optional<Compiled> PooledSource::look_at(const ImageRequest& wanted) const {
  return queue_->look_at(*entry_, wanted);
}

void PooledSource::wait_for_all_but(std::size_t unfinished, Nanoseconds limit) const {
  queue_->wait_for_all_but(*entry_, unfinished, limit);
}

bool PooledSource::is_ready(const ImageRequest& wanted) const { return queue_->is_ready(*entry_, wanted); }

CompileActivity PooledSource::activity() const { return queue_->activity(*entry_); }

CompilePool::CompilePool(const CompilePoolOptions& options) : queue_(std::make_unique<PooledSource::Queue>(options)) {}

CompilePool::~CompilePool() = default;

PooledSource CompilePool::add(CompileTarget target, KernelSource source) {
  return PooledSource(*queue_, queue_->add(std::move(target), std::move(source), true));
}

// Announces one job for each process. All jobs begin at once, and no job ends before its process has loaded the
// compiler.
PooledSource CompilePool::warm_up(CompileTarget target, KernelSource nothing, Nanoseconds limit) {
  PooledSource source(*queue_, queue_->add(std::move(target), std::move(nothing), false));
  std::vector<ImageRequest> of_each;
  for (std::size_t i = 0; i <= queue_->processes(); ++i)
    of_each.emplace_back(std::vector<Macro>{{"WATTUNE_PROCESS", std::to_string(i)}});
  source.expect(of_each, limit, 1);
  return source;
}

void CompilePool::set_processes(std::size_t most) { queue_->set_processes(most); }

}  // namespace wattune::backend
