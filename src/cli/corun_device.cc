#include "cli/corun_stage.h"

namespace wattune::cli {

Result<std::unique_ptr<CorunStage>> open_device_stage(const std::string& device, const CorunKernels&) {
  return Error(ErrorCode::unavailable, "not yet").about(device);
}

}  // namespace wattune::cli
