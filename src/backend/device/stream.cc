// The common part of all streams. It has a prepared launch for streams without a faster one. That launch simply
// launches the kernel again each time.
#include <fmt/format.h>

#include <atomic>
#include <string>

#include "backend/device/rebinding.h"
#include "wattune/backend/device.h"

namespace wattune::inline v0_1::backend {

namespace {

class RepeatedLaunch : public PreparedLaunch {
 public:
  RepeatedLaunch(Stream& stream, Kernel& kernel, const Geometry3& geometry, std::span<const LaunchArgument> arguments)
      : stream_(stream), kernel_(kernel), geometry_(geometry), arguments_(arguments.begin(), arguments.end()) {}

  Result<void> send() override {
    WATTUNE_TRY(send_timed());
    return {};
  }

  Result<std::unique_ptr<Event>> send_timed() override { return stream_.launch(kernel_, geometry_, arguments_); }

  Result<void> set_scalar(std::size_t argument, std::span<const std::byte> bytes) override {
    auto* const scalar = argument < arguments_.size() ? std::get_if<ScalarBytes>(&arguments_[argument]) : nullptr;
    if (scalar == nullptr || scalar->bytes.size() != bytes.size()) return no_such_scalar(kernel_, argument, bytes);
    scalar->bytes.assign(bytes.begin(), bytes.end());
    return {};
  }

 private:
  Stream& stream_;
  Kernel& kernel_;
  Geometry3 geometry_;
  std::vector<LaunchArgument> arguments_;
};

Error not_replaced(std::size_t argument, std::string_view what) {
  return Error(ErrorCode::unavailable,
               fmt::format("argument {} of the prepared launch cannot become {}: the device is not in this process",
                           argument + 1, what));
}

}  // namespace

Error no_such_scalar(const Kernel& kernel, std::size_t argument, std::span<const std::byte> bytes) {
  return Error(ErrorCode::invalid_argument, fmt::format("argument {} of kernel `{}` is no scalar of {} bytes",
                                                        argument + 1, kernel.name(), bytes.size()));
}

Error no_such_memory(const Kernel& kernel, std::size_t argument) {
  return Error(ErrorCode::unavailable,
               fmt::format("argument {} of kernel `{}` is no memory of an application's", argument + 1, kernel.name()));
}

Result<void> PreparedLaunch::set_memory(std::size_t argument, std::uint64_t) {
  return not_replaced(argument, "other memory");
}

Result<void> PreparedLaunch::set_scalar(std::size_t argument, std::span<const std::byte>) {
  return not_replaced(argument, "another scalar");
}

std::uint64_t Stream::next_serial() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

Result<StreamState> Stream::state() const {
  return Error(ErrorCode::unavailable, "this device does not tell the state of a stream without waiting for it");
}

Error no_unit_ranges(const DeviceInfo& device) {
  return Error(ErrorCode::unavailable,
               fmt::format("streams of {} cannot have compute units of their own", device.selector));
}

Result<std::unique_ptr<PreparedLaunch>> Stream::prepare(Kernel& kernel, const Geometry3& geometry,
                                                        std::span<const LaunchArgument> arguments) {
  return std::unique_ptr<PreparedLaunch>(std::make_unique<RepeatedLaunch>(*this, kernel, geometry, arguments));
}

Result<std::unique_ptr<PreparedLaunch>> Stream::prepare_graph(std::span<const GraphNode>, std::size_t) {
  const std::string device = life() == nullptr ? "this device" : life()->info().selector;
  return Error(ErrorCode::unavailable, device + " has no graphs of launches").hint("launch the kernels each by itself");
}

}  // namespace wattune::backend
