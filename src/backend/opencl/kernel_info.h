// Reads the facts that a program and its kernels report.
#pragma once

#include <string>
#include <vector>

#include "backend/compile/code_text.h"
#include "backend/opencl/session.h"
#include "wattune/backend/image.h"

namespace wattune::inline v0_1::backend::opencl {

std::vector<std::string> kernel_names(const ClApi& cl, cl_program program);

// Returns the parameters, if the program has the source's declarations; binaries do not have them. `code` is the
// source's code, for the types that it defines itself.
Result<std::vector<KernelParameter>> parameters_of(const Handle<cl_kernel>& kernel, const std::string& name,
                                                   const PlainCode& code);

}  // namespace wattune::backend::opencl
