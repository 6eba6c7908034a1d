// Turns results of the driver, of NVRTC and of CUPTI into Errors. No other code does that.
#pragma once

#include <string_view>

#include "backend/cuda/cu_api.h"
#include "backend/cuda/cupti_api.h"
#include "backend/cuda/nvrtc_api.h"

namespace wattune::inline v0_1::backend::cuda {

// Returns "`doing` failed: the driver's message", with the code and its name. An error that breaks the context is
// device_lost: every later call on it fails with the same code.
Error cu_error(const CuApi& cu, CUresult code, std::string_view doing);

Error nvrtc_error(nvrtcResult code, std::string_view doing);

// Returns an unavailable for CUPTI's result, with advice if there is any.
Error cupti_error(const CuptiApi& cupti, CUptiResult code, std::string_view doing);

}  // namespace wattune::backend::cuda
