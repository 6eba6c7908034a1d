#include "dynamic/loading/gap_loader.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/logging.h"
#include "wattune/backend/attach.h"

namespace wattune::inline v0_1::dynamic {

namespace {

// Pauses between two checks of the streams. The pauses are short at first, because gaps are short. Later they are so
// long that checking takes less than 1 % of a core.
constexpr Nanoseconds kFirstPause = Nanoseconds(20e3);
constexpr Nanoseconds kLongestPause = Nanoseconds(200e3);
// Pauses between two checks: while unloading is the only work, which is not urgent, and while no waiting request is
// compiled yet.
constexpr Nanoseconds kUnloadingPause = nanoseconds_from_ms(10);
constexpr Nanoseconds kCompilingPause = nanoseconds_from_ms(1);

bool is_compiled(const LoadRequest& request) { return !request.ready || request.ready(); }
// Private memory in bytes for which a context has room from the start (docs/results/dynamic.md).
constexpr std::size_t kFirstRoom = 1024;
// Assumed time for reserving more private memory on an idle device, which is used until this time was measured.
constexpr Nanoseconds kRoomCost = nanoseconds_from_ms(1.0);
// Smallest age of a gap, in durations of a load, at which the gap will probably last for another load.
constexpr double kLastingGap = 10.0;

}  // namespace

GapLoader::GapLoader(StallBudget& stall_budget, LoaderOptions options, Clock clock)
    : stall_budget_(stall_budget),
      options_(std::move(options)),
      clock_(std::move(clock)),
      streams_(options_.adopt),
      load_cost_(options_.load_cost),
      unload_cost_(options_.unload_cost),
      room_cost_(kRoomCost),
      pause_(kFirstPause) {}

void GapLoader::request(LoadRequest request) { add({.request = std::move(request), .retired = {}, .since = clock_()}); }

void GapLoader::retire(std::shared_ptr<Variant> variant) {
  if (variant) add({.request = {}, .retired = std::move(variant), .since = clock_()});
}

void GapLoader::add(Job job) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  changed_.notify_all();
}

void GapLoader::hurry(const void* owner) {
  {
    const std::lock_guard lock(mutex_);
    for (Job& job : jobs_)
      if (job.request.owner == owner) job.request.urgent = true;
  }
  changed_.notify_all();
}

void GapLoader::drop(const void* owner) {
  std::deque<Job> dropped;
  std::unique_lock lock(mutex_);
  const auto is_dropped = [owner](const Job& job) { return job.request.load && job.request.owner == owner; };
  const auto kept = std::stable_partition(jobs_.begin(), jobs_.end(), std::not_fn(is_dropped));
  std::move(kept, jobs_.end(), std::back_inserter(dropped));
  jobs_.erase(kept, jobs_.end());
  // A callback `loaded` that drops the requests of its own owner must not wait here, because it would wait for itself.
  if (running_in_ != std::this_thread::get_id()) changed_.wait(lock, [&] { return running_owner_ != owner; });
  lock.unlock();
}

bool GapLoader::waits() const {
  const std::lock_guard lock(mutex_);
  return !jobs_.empty();
}

std::optional<Nanoseconds> GapLoader::step() {
  const std::lock_guard working(working_);
  if (!waits()) return std::nullopt;
  const Nanoseconds now = clock_();
  forgive(now);
  const bool idle = streams_.all_idle(now);
  if (!idle)
    idle_since_.reset();
  else if (!idle_since_ || *idle_since_ <= streams_.last_noted())
    idle_since_ = now;  // streams are not checked without work, so that a call may have been missed
  const bool did_something = idle ? use_gap(now) : load_beside(now);
  pause_ = did_something ? kFirstPause : std::min(2.0 * pause_, kLongestPause);
  return next_pause();
}

std::optional<Nanoseconds> GapLoader::next_pause() {
  const std::lock_guard lock(mutex_);
  if (jobs_.empty()) return std::nullopt;
  const auto loads = [](const Job& job) { return job.retired == nullptr; };
  if (std::ranges::none_of(jobs_, loads)) return kUnloadingPause;
  const auto may_load = [&](const Job& job) { return loads(job) && is_compiled(job.request); };
  return std::ranges::any_of(jobs_, may_load) ? pause_ : std::max(pause_, kCompilingPause);
}

// Runs as many jobs as fit into the gap. Returns whether any job ran.
bool GapLoader::use_gap(Nanoseconds now) {
  bool did_something = false;
  while (run_one([&](const Job& job) { return leave_in_gap(job, now); }, Place::found_gap)) {
    did_something = true;
    now = clock_();
    if (!streams_.all_idle(now)) break;
  }
  return did_something;
}

bool GapLoader::load_beside(Nanoseconds now) {
  return run_one([&](const Job& job) { return leave_beside(job, now); }, Place::beside);
}

// Returns the permission to begin a job in a gap. If the gap may be short, the stall budget must afford the job,
// because a call may come meanwhile and wait until the load is done.
GapLoader::Leave GapLoader::leave_in_gap(const Job& job, Nanoseconds now) {
  const Nanoseconds cost = cost_of(job).idle();
  const bool lasting = idle_since_ && now - *idle_since_ >= kLastingGap * cost;
  const bool no_call_yet = stall_budget_.running(now) == Nanoseconds();
  if (job.request.urgent || lasting || no_call_yet) return Nanoseconds();
  if (is_left_to_gaps(now)) return std::nullopt;
  return stall_budget_.reserve(cost, now) ? Leave(cost) : std::nullopt;
}

// True if loads are left to the gaps that the application announces. Then an idle moment between two calls does not
// count as a gap, because a load would wait for all the work that the application sends next. A load that is longer
// than the announced gaps is done in such a gap nevertheless, once it has waited long enough.
bool GapLoader::is_left_to_gaps(Nanoseconds now) const {
  return now.value() - told_at_.load() < options_.patience.value();
}

GapLoader::Leave GapLoader::leave_beside(const Job& job, Nanoseconds now) {
  if (job.request.urgent) return Nanoseconds();
  if (now - job.since < options_.patience) return std::nullopt;
  const Nanoseconds cost = cost_of(job).beside(streams_.queued(now));
  return stall_budget_.reserve(cost, now) ? Leave(cost) : std::nullopt;
}

Nanoseconds GapLoader::gap(Nanoseconds expected) {
  const Nanoseconds begin = clock_();
  told_at_.store(begin.value());
  if (!waits()) return clock_() - begin;
  const std::lock_guard working(working_);
  const backend::RelaxedCapture relaxed;
  forgive(begin);
  // A job that has waited for a long time would soon be done beside busy streams, where it costs more. In this gap, at
  // least a part of its time costs nothing.
  const auto fits = [&](const Job& job) {
    const Nanoseconds now = clock_();
    const Nanoseconds cost = cost_of(job).idle();
    const Nanoseconds beyond = cost - std::max(Nanoseconds(), expected - (now - begin));
    if (beyond <= Nanoseconds()) return Leave(Nanoseconds());
    const bool has_waited = now - job.since >= 0.5 * options_.patience;
    return has_waited && stall_budget_.reserve(beyond, now) ? Leave(beyond) : std::nullopt;
  };
  while (run_one(fits, Place::told_gap)) {
  }
  const Nanoseconds took = clock_() - begin;
  if (took > expected) charge(Nanoseconds(), took - expected);
  return took;
}

// Returns the next job: an urgent load first, then any other load, then the unloading of a variant that nothing else
// holds.
std::deque<GapLoader::Job>::iterator GapLoader::first_job() {
  const auto may_load = [](const Job& job) { return job.retired == nullptr && is_compiled(job.request); };
  const auto urgent = std::ranges::find_if(jobs_, [&](const Job& job) { return job.request.urgent && may_load(job); });
  if (urgent != jobs_.end()) return urgent;
  const auto loads = std::ranges::find_if(jobs_, may_load);
  if (loads != jobs_.end()) return loads;
  return std::ranges::find_if(jobs_, [](const Job& job) { return job.retired.use_count() == 1; });
}

bool GapLoader::run_one(const MayBegin& may_begin, Place place) {
  std::unique_lock lock(mutex_);
  const auto first = first_job();
  if (first == jobs_.end()) return false;
  const Leave leave = may_begin(*first);
  if (!leave) return false;
  Job job = std::move(*first);
  jobs_.erase(first);
  running_owner_ = job.request.owner;
  running_in_ = std::this_thread::get_id();
  lock.unlock();
  carry_out(std::move(job), *leave, place);
  lock.lock();
  running_owner_ = nullptr;
  running_in_ = {};
  changed_.notify_all();
  return true;
}

// Runs a job. If a call came between the check of the streams and the end of the load, the gap was over. Then the load
// waited for the work of that call, and its time is not the time of a load on an idle device.
void GapLoader::carry_out(Job job, Nanoseconds reserved, Place place) {
  LoadCost& cost = cost_of(job);
  const Nanoseconds begin = clock_();
  const Nanoseconds queued = streams_.queued(begin);
  streams_.begin_load();
  const bool loads = job.retired == nullptr;
  const bool in_gap = place == Place::told_gap || (place == Place::found_gap && queued == Nanoseconds());
  std::optional<Result<std::shared_ptr<Variant>>> loaded;
  if (loads) loaded = job.request.load();
  job.retired.reset();
  const Nanoseconds took = clock_() - begin;
  log_debug("{} took {:.2f} ms {}", loads ? "loading" : "unloading", to_ms(took), in_gap ? "in a gap" : "beside calls");
  const bool disturbed = streams_.is_late();
  if (!in_gap)
    cost.learn_beside(took, queued);
  else if (!disturbed)
    cost.learn_idle(took);
  if (in_gap && !disturbed && loads && *loaded) make_room(***loaded);
  const std::optional<Nanoseconds> late = streams_.end_load();
  // A job outside a gap is charged in full, since launches that were made meanwhile may have waited that long.
  charge(reserved, !in_gap ? took : late ? clock_() - *late : Nanoseconds());
  if (!loads) return;
  ++loads_;
  if (in_gap) ++loads_in_gaps_;
  job.request.loaded(*std::move(loaded));
}

// Reserves private memory while the device is idle. Otherwise the first launch would reserve it and wait for all work
// that is queued by then. A call may come meanwhile and wait, so the stall budget must afford the reservation. If it
// does not, the launch will reserve the memory.
void GapLoader::make_room(const Variant& variant) {
  const std::size_t bytes = variant.private_bytes();
  const Nanoseconds begin = clock_();
  if (!options_.make_room || bytes <= std::max(kFirstRoom, private_bytes_.load())) return;
  if (!stall_budget_.affords(room_cost_.value(), begin)) return;
  if (options_.make_room(bytes)) note_private_memory(bytes);
  room_cost_.learn(clock_() - begin);
}

void GapLoader::forgive(Nanoseconds now) {
  load_cost_.forgive(stall_budget_, now);
  unload_cost_.forgive(stall_budget_, now);
}

void GapLoader::charge(Nanoseconds reserved, Nanoseconds stall) {
  stall_budget_.settle(reserved, stall, &Stalls::loading);
  if (stall > Nanoseconds()) stall_budget_.note_call(stall);
}

void GapLoader::note_launch(const CallStream& stream, Nanoseconds expected) {
  streams_.note(stream, expected, clock_());
}

void GapLoader::forget(const CallStream& stream) {
  const std::lock_guard working(working_);
  streams_.forget(stream);
}

bool GapLoader::others_busy(const CallStream& stream) const { return streams_.others_busy(stream, clock_()); }

void GapLoader::note_private_memory(std::size_t bytes) {
  std::size_t most = private_bytes_.load();
  while (bytes > most && !private_bytes_.compare_exchange_weak(most, bytes)) {
  }
}

Nanoseconds GapLoader::private_memory_cost(std::size_t bytes) const {
  if (bytes <= private_bytes_.load()) return {};
  return load_cost_.beside(streams_.queued(clock_()));
}

void GapLoader::serve(const std::stop_token& stop) {
  const backend::RelaxedCapture relaxed;
  while (!stop.stop_requested()) {
    const std::optional<Nanoseconds> pause = step();
    std::unique_lock lock(mutex_);
    if (!pause)
      changed_.wait(lock, stop, [this] { return !jobs_.empty(); });
    else
      changed_.wait_for(lock, stop, std::chrono::duration<double, std::nano>(pause->value()), [] { return false; });
  }
}

namespace {

Nanoseconds steady_time() {
  return Nanoseconds(
      std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count());
}

class ThreadedLoader : public GapLoader {
 public:
  ThreadedLoader(StallBudget& stall_budget, LoaderOptions options)
      : GapLoader(stall_budget, std::move(options), steady_time),
        thread_([this](const std::stop_token& stop) { serve(stop); }) {}

 private:
  std::jthread thread_;  // destroyed before the members that it uses
};

}  // namespace

std::unique_ptr<Loader> make_loader(StallBudget& stall_budget, LoaderOptions options) {
  return std::make_unique<ThreadedLoader>(stall_budget, std::move(options));
}

}  // namespace wattune::dynamic
