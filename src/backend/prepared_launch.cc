// For streams that have nothing quicker: a launch whose event nobody asks.
#include "wattune/backend/device.h"

namespace wattune::backend {

namespace {

class RepeatedLaunch : public PreparedLaunch {
 public:
  RepeatedLaunch(Stream& stream, Kernel& kernel, const Geometry3& geometry, std::span<const LaunchArgument> arguments)
      : stream_(stream), kernel_(kernel), geometry_(geometry), arguments_(arguments.begin(), arguments.end()) {}

  Result<void> send() override {
    WATTUNE_TRY(stream_.launch(kernel_, geometry_, arguments_));
    return {};
  }

 private:
  Stream& stream_;
  Kernel& kernel_;
  Geometry3 geometry_;
  std::vector<LaunchArgument> arguments_;
};

}  // namespace

Result<std::unique_ptr<PreparedLaunch>> Stream::prepare(Kernel& kernel, const Geometry3& geometry,
                                                        std::span<const LaunchArgument> arguments) {
  return std::unique_ptr<PreparedLaunch>(std::make_unique<RepeatedLaunch>(*this, kernel, geometry, arguments));
}

}  // namespace wattune::backend
