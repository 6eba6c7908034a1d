// Layout: the launches of a variant in one stream. These launches are prepared once. Each call then sets its memory and
// scalars in them, and sends them.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dynamic/calls/signature.h"
#include "dynamic/calls/streams.h"
#include "tune/interface/launch_plan.h"
#include "wattune/backend/attach.h"

namespace wattune::inline v0_1::dynamic {

// The parts that all layouts of a variant share.
struct LaunchParts {
  const std::vector<Argument>& arguments;  // the arguments of the spec
  Signature signature;
  tune::Launch launch;
  std::map<std::string, std::unique_ptr<backend::Kernel>> kernels;  // kernels by the names of the steps' functions
};

class Layout {
 public:
  // Lays out the launches with these arguments. Errors are those of Stream::prepare().
  static Result<std::unique_ptr<Layout>> make(Lane& lane, const LaunchParts& parts, backend::Device& device,
                                              std::span<const CallArgument> arguments);

  const Lane& lane() const { return lane_; }
  // True if the launches were laid out for the lane's present stream. The lane must be locked.
  bool is_current() const { return identity_ == lane_.identity; }
  // Prepares the launches anew, as make() does. After a failure, is_current() is false for every stream.
  Result<void> renew(const LaunchParts& parts, backend::Device& device, std::span<const CallArgument> arguments);
  // True if the layout can send these arguments. Memory that has no address is fixed in the layout, so a call with
  // other such memory cannot be sent.
  bool suits(std::span<const CallArgument> arguments) const;
  // Sends the launches. The lane must be locked.
  Result<void> send(std::span<const CallArgument> arguments);
  // Sends the launches and returns an event for each.
  Result<std::vector<std::unique_ptr<backend::Event>>> send_timed(std::span<const CallArgument> arguments);
  // Replaces a launch of a graph by the only launch of this layout. The lane must be locked.
  Result<void> replace(std::span<const CallArgument> arguments, const backend::GraphLaunch& launch,
                       CUgraphExec_st* executable);

 private:
  // The place of one of the call's arguments in a launch.
  struct Binding {
    std::size_t passed = 0;
    std::size_t place = 0;
    bool is_memory = false;
    std::optional<std::uint64_t> last = {};  // last value that was set: an address, or a scalar of up to 8 bytes
  };
  struct Step {
    std::unique_ptr<backend::PreparedLaunch> launch;
    std::size_t repeat = 1;
    std::vector<Binding> bindings;
  };
  explicit Layout(Lane& lane) : lane_(lane) {}
  static Result<void> set(Step& step, std::span<const CallArgument> arguments);
  Result<void> add(const tune::PlannedStep& step, const LaunchParts& parts, backend::Device& device,
                   std::span<const CallArgument> arguments);
  Result<backend::LaunchArgument> argument_for(std::size_t argument, const tune::PlannedStep& step,
                                               const LaunchParts& parts, backend::Device& device,
                                               std::span<const CallArgument> arguments, std::size_t place,
                                               std::vector<Binding>& bindings);
  Result<backend::LaunchArgument> memory_for(std::size_t argument, const LaunchParts& parts, backend::Device& device,
                                             const CallArgument& given);

  Lane& lane_;
  std::uint64_t identity_ = 0;  // identity of the lane at the time of laying out
  std::vector<Step> steps_;
  std::vector<const backend::Buffer*> fixed_;  // fixed buffers by argument of the call; nullptr if not fixed
  std::vector<std::unique_ptr<backend::Buffer>> adopted_;  // the application's buffers from which constants are copied
};

}  // namespace wattune::dynamic
