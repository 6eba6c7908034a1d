// Crew: the members that evaluate the configurations of a search, each one at a time. They are threads of this process,
// or processes on other hosts, for which an Evaluator stands here.
//
// tune() calls the crew from one thread, and uses the evaluator of a member only while that member is idle.
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
    std::optional<Pipeline> pipeline;  // the member's, when it finished
  };

  // Waits for all evaluations in flight.
  virtual ~Crew() = default;

  virtual std::size_t size() const = 0;
  // Returns the member's evaluator, for every call except evaluate().
  // Precondition: the member is idle, unless the call is now().
  virtual Evaluator& evaluator(std::size_t member) const = 0;
  // Starts the evaluation of a configuration. Precondition: the member is idle.
  virtual void start(std::size_t member, const Configuration& configuration) = 0;
  // Waits for the member that finishes first and returns its result. Precondition: an evaluation is in flight.
  virtual Finished wait() = 0;
};

// Makes a crew that runs each evaluator on a thread of its own. A single evaluator works on the thread that waits for
// it, so that a run on one device needs no further thread. The evaluators outlive the crew.
std::unique_ptr<Crew> make_threads(std::span<Evaluator* const> evaluators);

}  // namespace wattune::tune
