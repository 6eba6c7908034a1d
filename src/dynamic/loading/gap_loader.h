// GapLoader: a Loader that runs step by step, with a given clock. make_loader() adds a thread that makes the steps.
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

#include "dynamic/loading/load_cost.h"
#include "dynamic/loading/loader.h"

namespace wattune::inline v0_1::dynamic {

class GapLoader : public Loader {
 public:
  using Clock = std::function<Nanoseconds()>;

  GapLoader(StallBudget& stall_budget, LoaderOptions options, Clock clock);

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

  // Checks the streams and does the jobs that are allowed now. Returns the pause until the next step, or nullopt if
  // there is no job. Only one thread may call this function.
  std::optional<Nanoseconds> step();
  // Calls step() whenever it is due, until a stop is requested.
  void serve(const std::stop_token& stop);

 private:
  // The place of a job: beside busy streams, while all streams were idle, or in a gap that the application announced.
  enum class Place { beside, found_gap, told_gap };
  // A request to load, or a variant to destroy.
  struct Job {
    LoadRequest request;
    std::shared_ptr<Variant> retired;
    Nanoseconds since;
  };
  // Permission to begin a job. It is the time that was reserved for the job, or nullopt if the job may not begin.
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

  StallBudget& stall_budget_;
  const LoaderOptions options_;
  const Clock clock_;
  StreamTable streams_;
  LoadCost load_cost_;
  LoadCost unload_cost_;
  RecentLargest room_cost_;
  std::atomic<std::uint64_t> loads_ = 0;
  std::atomic<std::uint64_t> loads_in_gaps_ = 0;
  std::atomic<std::size_t> private_bytes_ = 0;
  // Time at which the application last announced a gap.
  std::atomic<double> told_at_ = -std::numeric_limits<double>::infinity();

  std::mutex working_;  // held while streams are checked or code is loaded; guards the next two
  std::optional<Nanoseconds> idle_since_;
  Nanoseconds pause_;

  mutable std::mutex mutex_;  // guards the members below; taken after working_
  std::deque<Job> jobs_;
  const void* running_owner_ = nullptr;
  std::thread::id running_in_;
  std::condition_variable_any changed_;
};

}  // namespace wattune::dynamic
