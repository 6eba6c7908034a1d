// Crew: evaluators at work at the same time, each on a thread of its own. One alone works on the thread that waits for
// it, so that a run on one device has no further thread.
//
// Its owner's thread calls everything, and may use a member between wait() and the next start().
//
//   crew.start(*crew.idle(), configuration);
//   Crew::Finished finished = crew.wait();
#pragma once

#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "wattune/tune/evaluator.h"

namespace wattune::tune {

class Crew {
 public:
  struct Finished {
    std::size_t member = 0;
    Configuration configuration;
    Result<Observation> observation;
    std::optional<Pipeline> pipeline;  // the member's, as of then
  };

  // The evaluators outlive it.
  explicit Crew(std::span<Evaluator* const> members);
  // Waits for what is in flight.
  ~Crew() = default;
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  // The first member that has nothing to do.
  std::optional<std::size_t> idle() const;
  Evaluator& evaluator(std::size_t member) const { return *members_[member].evaluator; }
  // Precondition: the member is idle.
  void start(std::size_t member, const Configuration& configuration);
  // The member that ends first. Precondition: something is in flight.
  Finished wait();
  // Gives the member nothing to do any more. Precondition: it is idle.
  void dismiss(std::size_t member);
  // How many were not dismissed.
  std::size_t size() const;
  // What is being evaluated.
  const std::vector<Configuration>& in_flight() const { return in_flight_; }

 private:
  struct Member {
    Evaluator* evaluator = nullptr;
    bool dismissed = false;
    std::future<Finished> work = {};  // valid: it is at work
  };

  std::size_t next_finished();

  std::vector<Configuration> in_flight_;
  std::mutex mutex_;
  std::condition_variable finished_one_;
  std::deque<std::size_t> finished_;  // members, in the order in which they ended; guarded by mutex_
  std::vector<Member> members_;       // last: their work uses the others
};

}  // namespace wattune::tune
