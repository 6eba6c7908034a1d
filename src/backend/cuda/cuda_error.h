// The one place where results of the driver, of NVRTC and of CUPTI become Errors.
#pragma once

#include <string_view>

#include "backend/cuda/cu_api.h"
#include "backend/cuda/cupti_api.h"
#include "backend/cuda/nvrtc_api.h"

namespace wattune::backend::cuda {

// "`doing` failed: what the driver says", with the code and its name. What breaks the context is device_lost: every
// later call on it fails with the same code.
Error cu_error(const CuApi& cu, CUresult code, std::string_view doing);

Error nvrtc_error(nvrtcResult code, std::string_view doing);

// unavailable, with what to do where it is known.
Error cupti_error(const CuptiApi& cupti, CUptiResult code, std::string_view doing);

}  // namespace wattune::backend::cuda
