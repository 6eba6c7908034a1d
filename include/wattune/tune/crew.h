// Crew: who runs the configurations of a search, one at a time each: threads of this process, or processes on other
// hosts, for which an Evaluator stands here.
//
// tune() calls it from one thread, and uses an evaluator only while it is idle.
//
//   const auto crew = make_threads(evaluators);
//   crew->start(0, configuration);
//   Crew::Finished finished = crew->wait();
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "wattune/tune/evaluator.h"

namespace wattune::tune {

class Crew {
 public:
  struct Finished {
    std::size_t member = 0;
    Result<Observation> observation;
    std::optional<Pipeline> pipeline;  // the member's, as of then
  };

  // Waits for what is in flight.
  virtual ~Crew() = default;

  virtual std::size_t size() const = 0;
  // For all but evaluating. Precondition: the member is idle, unless it is asked for the time.
  virtual Evaluator& evaluator(std::size_t member) const = 0;
  // Precondition: the member is idle.
  virtual void start(std::size_t member, const Configuration& configuration) = 0;
  // The member that ends first. Precondition: something is in flight.
  virtual Finished wait() = 0;
};

// Each evaluator on a thread of its own. One alone works on the thread that waits for it, so that a run on one device
// has no further thread. The evaluators outlive the crew.
std::unique_ptr<Crew> make_threads(std::span<Evaluator* const> evaluators);

}  // namespace wattune::tune
