// The one place where results of the driver and of NVRTC become Errors.
#pragma once

#include <string_view>

#include "backend/cuda/cu_api.h"
#include "backend/cuda/nvrtc_api.h"

namespace wattune::backend::cuda {

// "`doing` failed: what the driver says", with the code and its name. What breaks the context is device_lost: every
// later call on it fails with the same code.
Error cu_error(const CuApi& cu, CUresult code, std::string_view doing);

Error nvrtc_error(nvrtcResult code, std::string_view doing);

}  // namespace wattune::backend::cuda
