#include "backend/opencl/kernel_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "backend/cuda/signature.h"
#include "backend/interface/c_type.h"
#include "backend/opencl/cl_error.h"

namespace wattune::inline v0_1::backend::opencl {

namespace {

std::optional<AddressSpace> address_space(cl_kernel_arg_address_qualifier space) {
  switch (space) {
    case CL_KERNEL_ARG_ADDRESS_PRIVATE: return AddressSpace::by_value;
    case CL_KERNEL_ARG_ADDRESS_GLOBAL: return AddressSpace::global;
    case CL_KERNEL_ARG_ADDRESS_CONSTANT: return AddressSpace::constant;
    case CL_KERNEL_ARG_ADDRESS_LOCAL: return AddressSpace::local;
    default: return std::nullopt;
  }
}

// Returns a text about one argument.
std::string argument_text(const ClApi& cl, cl_kernel kernel, cl_uint index, cl_kernel_arg_info what) {
  std::size_t size = 0;
  if (cl.clGetKernelArgInfo(kernel, index, what, 0, nullptr, &size) != CL_SUCCESS) return {};
  std::string value(size, '\0');
  cl.clGetKernelArgInfo(kernel, index, what, size, value.data(), nullptr);
  return value.substr(0, value.find('\0'));
}

KernelParameter parameter(const ClApi& cl, cl_kernel kernel, cl_uint index, const PlainCode& code) {
  const std::string type = argument_text(cl, kernel, index, CL_KERNEL_ARG_TYPE_NAME);
  KernelParameter parameter = parameter_of(argument_text(cl, kernel, index, CL_KERNEL_ARG_NAME),
                                           without_typedefs(code, type), Language::opencl);
  parameter.type = type;
  cl_kernel_arg_address_qualifier space = 0;
  if (cl.clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, nullptr) ==
      CL_SUCCESS)
    parameter.space = address_space(space);
  return parameter;
}

}  // namespace

std::vector<std::string> kernel_names(const ClApi& cl, cl_program program) {
  std::size_t size = 0;
  if (cl.clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, 0, nullptr, &size) != CL_SUCCESS) return {};
  std::string joined(size, '\0');
  cl.clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, size, joined.data(), nullptr);
  std::vector<std::string> names;
  std::istringstream parts(joined.c_str());
  for (std::string name; std::getline(parts, name, ';');) names.push_back(name);
  return names;
}

Result<std::vector<KernelParameter>> parameters_of(const Handle<cl_kernel>& kernel, const std::string& name,
                                                   const PlainCode& code) {
  const ClApi& cl = kernel.session()->cl();
  cl_uint count = 0;
  const cl_int result = cl.clGetKernelInfo(kernel.get(), CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr);
  if (result != CL_SUCCESS) return cl_error(result, "asking for the arguments of a kernel");
  std::vector<KernelParameter> parameters;
  for (cl_uint i = 0; i < count; ++i) parameters.push_back(parameter(cl, kernel.get(), i, code));
  const auto is_untold = [](const KernelParameter& each) { return each.type.empty() && !each.space; };
  if (!std::ranges::all_of(parameters, is_untold)) return parameters;
  auto declared = cuda::declared_parameters(code, name, Language::opencl);
  return declared && declared->size() == count ? *std::move(declared) : std::move(parameters);
}

}  // namespace wattune::backend::opencl
