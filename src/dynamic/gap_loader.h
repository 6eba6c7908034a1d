// GapLoader: what a Loader decides, step by step, by a clock that is told to it; make_loader() gives it a thread.
//
//   while (const auto pause = loader.step()) sleep(*pause);   // nothing waits any more
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <limits>
#include <mutex>
#include <stop_token>
#include <thread>

#include "dynamic/load_cost.h"
#include "dynamic/loader.h"

namespace wattune::dynamic {

class GapLoader : public Loader {
 public:
  using Clock = std::function<Nanoseconds()>;

  GapLoader(Ledger& ledger, LoaderOptions options, Clock clock);

  void request(LoadRequest request) override;
  void hurry(const void* owner) override;
  void retire(std::shared_ptr<Variant> variant) override;
  void drop(const void* owner) override;
  Nanoseconds gap(Nanoseconds expected) override;
  void note_launch(const CallStream& stream, Nanoseconds expected) override;
  void forget(const CallStream& stream) override;
  bool others_busy(const CallStream& stream) const override;
  void note_private_memory(std::size_t bytes) override;
  Nanoseconds private_memory_cost(std::size_t bytes) const override;
  std::uint64_t loads() const override { return loads_.load(); }
  std::uint64_t loads_in_gaps() const override { return loads_in_gaps_.load(); }

  // Looks at the streams and does what may be done. Returns when to look again; none: nothing waits. One thread.
  std::optional<Nanoseconds> step();
  // Steps whenever it is time, until it is told to stop.
  void serve(const std::stop_token& stop);

 private:
  // Where a job is done: beside busy streams, while all were idle, or in a gap that the application told of.
  enum class Place { beside, found_gap, told_gap };
  // A request, or a variant to be destroyed.
  struct Job {
    LoadRequest request;
    std::shared_ptr<Variant> retired;
    Nanoseconds since;
  };
  // Leave to begin a job, and what was reserved for it.
  using Leave = std::optional<Nanoseconds>;
  using MayBegin = std::function<Leave(const Job& job)>;

  void add(Job job);
  bool waits() const;
  bool use_gap(Nanoseconds now);
  bool load_beside(Nanoseconds now);
  Leave leave_in_gap(const Job& job, Nanoseconds now);
  Leave leave_beside(const Job& job, Nanoseconds now);
  std::deque<Job>::iterator first_job();
  bool run_one(const MayBegin& may_begin, Place place);
  void carry_out(Job job, Nanoseconds reserved, Place place);
  bool is_left_to_gaps(Nanoseconds now) const;
  void make_room(const Variant& variant);
  void forgive(Nanoseconds now);
  void charge(Nanoseconds reserved, Nanoseconds stall);
  LoadCost& cost_of(const Job& job) { return job.retired ? unload_cost_ : load_cost_; }
  std::optional<Nanoseconds> next_pause();

  Ledger& ledger_;
  const LoaderOptions options_;
  const Clock clock_;
  StreamTable streams_;
  LoadCost load_cost_;
  LoadCost unload_cost_;
  RecentLargest room_cost_;
  std::atomic<std::uint64_t> loads_ = 0;
  std::atomic<std::uint64_t> loads_in_gaps_ = 0;
  std::atomic<std::size_t> private_bytes_ = 0;
  // When the application last told of a gap.
  std::atomic<double> told_at_ = -std::numeric_limits<double>::infinity();

  std::mutex working_;  // who has it looks at streams and loads; guards the next two
  std::optional<Nanoseconds> idle_since_;
  Nanoseconds pause_;

  mutable std::mutex mutex_;  // guards what follows; taken behind working_
  std::deque<Job> jobs_;
  const void* running_owner_ = nullptr;
  std::thread::id running_in_;
  std::condition_variable_any changed_;
};

}  // namespace wattune::dynamic
