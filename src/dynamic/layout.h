// Layout: the launches of a variant in one stream, laid out once and given the memory and the scalars of each call.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dynamic/signature.h"
#include "dynamic/streams.h"
#include "tune/launch_plan.h"
#include "wattune/backend/attach.h"

namespace wattune::dynamic {

// What all layouts of a variant share.
struct LaunchParts {
  const std::vector<Argument>& arguments;  // of the spec
  Signature signature;
  tune::Launch launch;
  std::map<std::string, std::unique_ptr<backend::Kernel>> kernels;  // by the functions of the steps
};

class Layout {
 public:
  // Errors of Stream::prepare(). What is passed is what the launches begin with.
  static Result<std::unique_ptr<Layout>> make(Lane& lane, const LaunchParts& parts, backend::Device& device,
                                              std::span<const CallArgument> arguments);

  const Lane& lane() const { return lane_; }
  // Whether it is for the stream that the lane has. The lane is locked.
  bool is_current() const { return identity_ == lane_.identity; }
  // Lays it out anew; as make(). Without success it is current for no stream.
  Result<void> renew(const LaunchParts& parts, backend::Device& device, std::span<const CallArgument> arguments);
  // Whether it can send these: memory without an address is laid out, not set.
  bool suits(std::span<const CallArgument> arguments) const;
  // The lane is locked.
  Result<void> send(std::span<const CallArgument> arguments);
  // With an event for each launch.
  Result<std::vector<std::unique_ptr<backend::Event>>> send_timed(std::span<const CallArgument> arguments);
  // Puts its only launch into a graph. The lane is locked.
  Result<void> replace(std::span<const CallArgument> arguments, const backend::GraphLaunch& launch,
                       CUgraphExec_st* executable);

 private:
  // An argument of the call in the place of one of a launch.
  struct Binding {
    std::size_t passed = 0;
    std::size_t place = 0;
    bool is_memory = false;
    std::optional<std::uint64_t> last = {};  // that was set: memory, or a scalar of at most a word
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
  std::uint64_t identity_ = 0;  // of the lane, when it was laid out
  std::vector<Step> steps_;
  std::vector<const backend::Buffer*> fixed_;  // of each argument of the call; nullptr: it is set when it is sent
  std::vector<std::unique_ptr<backend::Buffer>> adopted_;  // that constants are copied from at first
};

}  // namespace wattune::dynamic
