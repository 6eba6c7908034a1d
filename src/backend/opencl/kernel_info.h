// What a program and its kernels tell of themselves.
#pragma once

#include <string>
#include <vector>

#include "backend/code_text.h"
#include "backend/opencl/session.h"
#include "wattune/backend/image.h"

namespace wattune::backend::opencl {

std::vector<std::string> kernel_names(const ClApi& cl, cl_program program);

// As far as the compiler kept what the source says, which it does not in binaries. `code`: of the source, for the types
// that it names itself.
Result<std::vector<KernelParameter>> parameters_of(const Handle<cl_kernel>& kernel, const std::string& name,
                                                   const PlainCode& code);

}  // namespace wattune::backend::opencl
