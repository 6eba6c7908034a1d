// Variant: one configuration of a problem, loaded on the device: a call sends it into any stream of the application.
//
// Any number of threads send it, each into a stream of its own; for each stream its launches are laid out once. It
// keeps the program it came from.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "dynamic/problem.h"
#include "dynamic/streams.h"
#include "wattune/backend/attach.h"
#include "wattune/dynamic/call.h"

namespace wattune::dynamic {

// What came between two launches that do nothing.
struct MarkedSpan {
  std::unique_ptr<backend::Event> before;
  std::unique_ptr<backend::Event> after;

  // Without waiting; the error of a launch that failed.
  Result<bool> ready() const;
  // Precondition: ready.
  Result<Nanoseconds> duration() const;
};

// The time of a call on the device, once it has ended.
class TimedCall {
 public:
  // The sum of its launches.
  explicit TimedCall(std::vector<std::unique_ptr<backend::Event>> events) : events_(std::move(events)) {}
  // All of a span but for what lies within it and does not count.
  TimedCall(MarkedSpan all, std::vector<MarkedSpan> left_out) : all_(std::move(all)), left_out_(std::move(left_out)) {}
  // Without waiting; the error of a launch that failed.
  Result<bool> ready() const;
  // Precondition: ready.
  Result<Nanoseconds> duration() const;

 private:
  std::vector<std::unique_ptr<backend::Event>> events_;
  std::optional<MarkedSpan> all_;
  std::vector<MarkedSpan> left_out_;
};

class Fit;
class Layout;

// The launches of a call in a stream, and what they need. Both live as long as the variant.
struct LaidOut {
  Fit* fit = nullptr;
  Layout* layout = nullptr;
};

class Variant {
 public:
  virtual ~Variant() = default;
  virtual const Configuration& configuration() const = 0;
  // What a thread of it keeps in private memory, in bytes: the first launch of a kernel that needs more than any before
  // makes the driver wait for the device.
  virtual std::size_t private_bytes() const = 0;
  // How many launches a call is, as far as that is known before; compositions decide in the call.
  virtual std::size_t launches() const { return 1; }
  // Whether it was launched before, by anybody.
  virtual bool was_launched() const = 0;
  // mismatch: memory that is smaller than the launches need it, as far as a driver knows. Looks at memory that it has
  // not seen of late only.
  virtual Result<void> check_memory(std::span<const CallArgument> /*arguments*/) { return {}; }

  // Its code stays loaded as long as the application's context lives: a call may be captured into a graph.
  virtual void keep_loaded() {}

  // The arguments are those of the spec without local memory; whoever calls has checked their types. Errors of
  // check_memory(), after which nothing was sent; launch_failed, device_lost.
  virtual Result<void> send(const CallStream& stream, std::span<const CallArgument> arguments) = 0;
  // How send() sends it in this stream, whose lane is locked; nothing: by no layout that lasts.
  virtual LaidOut laid_out(Lane& /*lane*/, std::span<const CallArgument> /*arguments*/) { return {}; }
  virtual Result<TimedCall> send_timed(const CallStream& stream, std::span<const CallArgument> arguments) = 0;

  // What the call passed of which this launch in a graph is all, as far as that can be told; empty: it is none of its.
  virtual std::vector<CallArgument> call_in(const backend::GraphLaunch& /*launch*/) const { return {}; }
  // The same call in the place of that launch, laid out for this stream. unavailable: it is not one launch.
  virtual Result<void> replace(const CallStream& stream, std::span<const CallArgument> arguments,
                               const backend::GraphLaunch& launch, CUgraphExec_st* executable);
};

// From a program of the configuration. launch_failed: what its launches need, the device has not.
Result<std::shared_ptr<Variant>> make_variant(std::shared_ptr<const Problem> problem,
                                              const Configuration& configuration,
                                              std::shared_ptr<backend::Program> program, backend::Device& device,
                                              Streams& streams);

}  // namespace wattune::dynamic
