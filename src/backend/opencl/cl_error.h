// Turns OpenCL's codes into Errors. No other code does that.
#pragma once

#include <string>
#include <string_view>

#include "backend/opencl/cl_api.h"

namespace wattune::inline v0_1::backend::opencl {

// Returns "CL_OUT_OF_RESOURCES", or "CL_ERROR" for a code that OpenCL does not define (vendors have their own).
std::string_view cl_name(cl_int code);

// Returns the Error of a failed call. `doing` says what was attempted: "launching kernel `add`".
Error cl_error(cl_int code, std::string_view doing);

}  // namespace wattune::backend::opencl
