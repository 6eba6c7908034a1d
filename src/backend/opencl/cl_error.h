// From OpenCL's codes to Errors: the one place that decides what a code means to a caller.
#pragma once

#include <string>
#include <string_view>

#include "backend/opencl/cl_api.h"

namespace wattune::backend::opencl {

// "CL_OUT_OF_RESOURCES", or "CL_ERROR" for a code that OpenCL does not define (vendors have their own).
std::string_view cl_name(cl_int code);

// An Error for a failed call. `doing` says what was tried: "launching kernel `add`".
Error cl_error(cl_int code, std::string_view doing);

}  // namespace wattune::backend::opencl
