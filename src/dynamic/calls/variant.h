// Variant: one configuration of a problem, loaded on the device. A call sends it into any stream of the application.
//
// Any number of threads may send a variant, each into a stream of its own. The launches of a variant are prepared once
// for each stream. A variant keeps its program loaded.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "dynamic/calls/problem.h"
#include "dynamic/calls/streams.h"
#include "wattune/backend/attach.h"
#include "wattune/dynamic/call.h"

namespace wattune::inline v0_1::dynamic {

// The span of time between two empty launches.
struct MarkedSpan {
  std::unique_ptr<backend::Event> before;
  std::unique_ptr<backend::Event> after;

  // True if the two launches at the ends of the span have ended. Does not wait. Fails with the error of a launch that
  // failed.
  Result<bool> ready() const;
  // Returns the time from the end of the first empty launch to the beginning of the second one. Precondition: ready()
  // returned true.
  Result<Nanoseconds> duration() const;
};

// The device time of a call, available once the call has ended.
class TimedCall {
 public:
  // Takes the events of the call's launches. The time of the call is the sum of their times.
  explicit TimedCall(std::vector<std::unique_ptr<backend::Event>> events) : events_(std::move(events)) {}
  // Takes the span of the call, and spans within it whose time is subtracted.
  TimedCall(MarkedSpan all, std::vector<MarkedSpan> left_out) : all_(std::move(all)), left_out_(std::move(left_out)) {}
  // True if the call has ended. Does not wait. Fails with the error of a launch that failed.
  Result<bool> ready() const;
  // Returns the device time of the call. Precondition: ready() returned true.
  Result<Nanoseconds> duration() const;

 private:
  std::vector<std::unique_ptr<backend::Event>> events_;
  std::optional<MarkedSpan> all_;
  std::vector<MarkedSpan> left_out_;
};

class Fit;
class Layout;

// The launches of a call in a stream, with the Fit that they need. Both live as long as the variant does.
struct LaidOut {
  Fit* fit = nullptr;
  Layout* layout = nullptr;
};

class Variant {
 public:
  virtual ~Variant() = default;
  virtual const Configuration& configuration() const = 0;
  // Returns the private memory per thread, in bytes. The first launch of a kernel that needs more than any kernel
  // before makes the driver wait for the device.
  virtual std::size_t private_bytes() const = 0;
  // Returns the number of launches of a call, or 1 if it is unknown before the call. Compositions decide on their
  // launches during the call.
  virtual std::size_t launches() const { return 1; }
  // True if this variant was launched before, in any call.
  virtual bool was_launched() const = 0;
  // Checks the memory arguments. Fails with mismatch if one is smaller than the launches need, as far as a driver knows
  // its size. Only memory that was not seen recently is checked.
  virtual Result<void> check_memory(std::span<const CallArgument> /*arguments*/) { return {}; }

  // Keeps the code loaded as long as the application's context lives, since a call may be captured into a graph.
  virtual void keep_loaded() {}

  // Sends a call. The arguments are those of the spec without local memory. Precondition: the types of the arguments
  // were checked. Fails with the errors of check_memory(), and then nothing was sent. Also fails with launch_failed or
  // device_lost.
  virtual Result<void> send(const CallStream& stream, std::span<const CallArgument> arguments) = 0;
  // Returns the prepared launches by which send() sends the call in this stream. Precondition: the lane is locked.
  // Returns an empty result if these launches do not exist longer than the call.
  virtual LaidOut laid_out(Lane& /*lane*/, std::span<const CallArgument> /*arguments*/) { return {}; }
  virtual Result<TimedCall> send_timed(const CallStream& stream, std::span<const CallArgument> arguments) = 0;

  // Returns the arguments of the call to which this launch of a graph belongs, as far as they can be read from the
  // launch. The result is empty if the launch is not one of this variant.
  virtual std::vector<CallArgument> call_in(const backend::GraphLaunch& /*launch*/) const { return {}; }
  // Replaces the launch of a graph by a call with these arguments, prepared for this stream. Fails with unavailable if
  // a call is not a single launch.
  virtual Result<void> replace(const CallStream& stream, std::span<const CallArgument> arguments,
                               const backend::GraphLaunch& launch, CUgraphExec_st* executable);
};

// Makes a variant from a program of the configuration. Fails with launch_failed if the device lacks a resource that its
// launches need.
Result<std::shared_ptr<Variant>> make_variant(std::shared_ptr<const Problem> problem,
                                              const Configuration& configuration,
                                              std::shared_ptr<backend::Program> program, backend::Device& device,
                                              Streams& streams);

}  // namespace wattune::dynamic
