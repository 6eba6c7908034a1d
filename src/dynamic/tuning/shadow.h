// Shadow: runs calls that compute their outputs twice from the same contents, by a candidate and by the best known
// configuration. The outputs of the best known configuration are kept.
//
// A Shadow belongs to one key. Its first call allocates a copy of each output on the device. Calls of several threads
// run one after the other, and meanwhile nothing else is sent into the stream of a call. A call waits for the device,
// and for the outputs to reach the host.
//
//   WATTUNE_ASSIGN(const ShadowedCall call, shadow.run(stream, arguments, best, candidate));
//   if (!call.candidate) blame(candidate, call.candidate.error());
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/stopwatch.h"
#include "dynamic/calls/problem.h"
#include "dynamic/calls/signature.h"
#include "dynamic/calls/streams.h"
#include "dynamic/calls/variant.h"

namespace wattune::inline v0_1::dynamic {

// The two runs of a call. Before each run the outputs were copied, so that their times are comparable.
struct ShadowedCall {
  Result<TimedCall> best;
  Result<TimedCall> candidate;  // launch_failed: only the best known configuration ran; mismatch: outputs differ
  bool is_wrong = false;        // true if the candidate's outputs differ
  Nanoseconds took;             // host time of the call, with all waiting
};

class Shadow {
 public:
  // Makes a Shadow. The device and the streams must outlive it. Fails with unavailable if an output is an image, or if
  // `compares` and no output can be compared. Fails with the errors of the spec.
  static Result<std::unique_ptr<Shadow>> make(std::shared_ptr<const Problem> problem, backend::Device& device,
                                              Streams& streams, bool compares = true);

  // Runs a call with both variants. Precondition: the arguments were checked for both. Fails if there is no memory for
  // the copies, or if the call's own memory cannot be copied. In these cases nothing was launched.
  Result<ShadowedCall> run(const CallStream& stream, std::span<const CallArgument> arguments, Variant& best,
                           Variant& candidate);

 private:
  struct Output {
    std::size_t argument = 0;  // position of the output among the spec's arguments
    std::size_t passed = 0;    // position of the output among the call's arguments
    std::size_t bytes = 0;
    bool is_compared = true;
    std::optional<std::size_t> length = {};  // number of compared elements
    std::unique_ptr<backend::Buffer> saved = {};
    std::unique_ptr<backend::Buffer> adopted = {};  // the application's memory in this call, as a buffer
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
  // Guards the members below, which hold for the sizes of the last call. The mutex is recursive, because a composition
  // that calls itself locks it twice. Such a call fails.
  std::recursive_mutex running_;
  std::shared_ptr<const Problem> planned_;
  CallSizes sizes_ = {};
  std::vector<Output> outputs_;
};

}  // namespace wattune::dynamic
