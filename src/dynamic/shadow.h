// Shadow: calls that compute their outputs twice from the same contents, by a candidate and by the best known, and keep
// what the best known computed.
//
// Of one key. What it needs of the device is allocated at its first call: a copy of each output. Calls of several
// threads take turns, and nothing else is sent into the stream of one meanwhile. They wait for the device and for the
// outputs to come to the host.
//
//   WATTUNE_ASSIGN(const ShadowedCall call, shadow.run(stream, arguments, best, candidate));
//   if (!call.candidate) blame(candidate, call.candidate.error());
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/stopwatch.h"
#include "dynamic/problem.h"
#include "dynamic/signature.h"
#include "dynamic/streams.h"
#include "dynamic/variant.h"

namespace wattune::dynamic {

// What the two did, each after its outputs were copied, so that their times compare.
struct ShadowedCall {
  Result<TimedCall> best;
  Result<TimedCall> candidate;  // launch_failed: the best known ran all the same; mismatch: what differs
  bool is_wrong = false;        // its outputs differ
  Nanoseconds took;             // of the host, waiting included
};

class Shadow {
 public:
  // Device and streams outlive it. unavailable: an output that is an image, or unless nothing need be compared, no
  // output that can be; errors of the spec.
  static Result<std::unique_ptr<Shadow>> make(std::shared_ptr<const Problem> problem, backend::Device& device,
                                              Streams& streams, bool compares = true);

  // The arguments were checked for both. An Error: nothing was launched, because there is no memory for the copies or
  // the call's own cannot be copied.
  Result<ShadowedCall> run(const CallStream& stream, std::span<const CallArgument> arguments, Variant& best,
                           Variant& candidate);

 private:
  struct Output {
    std::size_t argument = 0;  // in the spec
    std::size_t passed = 0;    // in the call
    std::size_t bytes = 0;
    bool is_compared = true;
    std::optional<std::size_t> length = {};  // elements that are
    std::unique_ptr<backend::Buffer> saved = {};
    std::unique_ptr<backend::Buffer> adopted = {};  // the application's, in this call
    backend::Buffer* original = nullptr;
    std::vector<std::byte> by_best = {};
    std::vector<std::byte> by_candidate = {};
  };

  Shadow(std::shared_ptr<const Problem> problem, Signature signature, backend::Device& device, Streams& streams)
      : problem_(problem),
        signature_(std::move(signature)),
        device_(device),
        streams_(streams),
        planned_(std::move(problem)) {}
  Result<void> plan_for(std::span<const CallArgument> arguments);
  Result<void> add_outputs();
  Result<void> add_output(const PassedArgument& given, std::size_t passed, const tune::PlannedArgument& planned);
  Result<void> find(Output& output, const CallArgument& given);
  Result<void> save(Lane& lane, std::span<const CallArgument> arguments);
  Result<void> restore(Lane& lane);
  Result<void> read(Lane& lane, std::vector<std::byte> Output::*into);
  Result<std::string> difference(const Configuration& best, const Configuration& candidate) const;

  const std::shared_ptr<const Problem> problem_;
  const Signature signature_;
  backend::Device& device_;
  Streams& streams_;
  // Guards what follows, all of the sizes of the last call. A composition that calls itself comes in twice, and fails.
  std::recursive_mutex running_;
  std::shared_ptr<const Problem> planned_;
  CallSizes sizes_ = {};
  std::vector<Output> outputs_;
};

}  // namespace wattune::dynamic
