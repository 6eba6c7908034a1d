#include "backend/opencl/program.h"

#include <fmt/format.h>

#include <map>
#include <variant>

#include "backend/opencl/cl_error.h"
#include "backend/opencl/compiler.h"
#include "backend/opencl/kernel_info.h"
#include "core/interface/some_of.h"
#include "core/interface/suggest.h"

namespace wattune::inline v0_1::backend::opencl {

namespace {

using ParametersByKernel = std::map<std::string, std::vector<KernelParameter>>;

// Returns advice for an unknown name: a similar name, or else some names that exist.
std::string kernels_advice(const std::string& wanted, const std::vector<std::string>& names) {
  const std::string text = suggest(wanted, names);
  return names.empty() || text.starts_with("did you mean") ? text : fmt::format("one of: {}", some_of(names));
}

class OpenClProgram : public Program {
 public:
  // Makes a program. `told` is the code of the source. For a binary it is the parameters of the kernels, which a
  // compile process has read from the source.
  OpenClProgram(Handle<cl_program> program, std::string log, std::variant<PlainCode, ParametersByKernel> told)
      : Program(*program.session()), program_(std::move(program)), log_(std::move(log)), told_(std::move(told)) {}

  const std::string& build_log() const override { return log_; }

  Result<std::unique_ptr<Kernel>> kernel(const std::string& name) override {
    const Session& session = *program_.session();
    WATTUNE_TRY(session.check());
    cl_int code = CL_SUCCESS;
    const cl_kernel raw = session.cl().clCreateKernel(program_.get(), name.c_str(), &code);
    if (code == CL_INVALID_KERNEL_NAME)
      return Error(ErrorCode::not_found, fmt::format("no kernel `{}` in the program", name))
          .hint(kernels_advice(name, kernel_names(session.cl(), program_.get())));
    if (code != CL_SUCCESS) return cl_error(code, fmt::format("making kernel `{}`", name));
    Handle<cl_kernel> kernel(program_.session(), raw);
    WATTUNE_ASSIGN(std::vector<KernelParameter> takes, parameters(kernel, name));
    return OpenClKernel::make(std::move(kernel), name, std::move(takes));
  }

 private:
  Result<std::vector<KernelParameter>> parameters(const Handle<cl_kernel>& kernel, const std::string& name) const {
    if (const auto* code = std::get_if<PlainCode>(&told_)) return parameters_of(kernel, name, *code);
    const auto& all = std::get<ParametersByKernel>(told_);
    const auto found = all.find(name);
    if (found != all.end()) return found->second;
    return Error(ErrorCode::internal, fmt::format("the image tells nothing of kernel `{}`", name));
  }

  Handle<cl_program> program_;
  std::string log_;
  std::variant<PlainCode, ParametersByKernel> told_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> OpenClKernel::make(Handle<cl_kernel> handle, std::string name,
                                                   std::vector<KernelParameter> parameters) {
  const Session& session = *handle.session();
  std::unique_ptr<OpenClKernel> kernel(new OpenClKernel(std::move(handle), std::move(name), std::move(parameters)));
  const cl_int code = session.cl().clGetKernelWorkGroupInfo(kernel->get(), session.device(), CL_KERNEL_WORK_GROUP_SIZE,
                                                            sizeof kernel->max_work_group_size_,
                                                            &kernel->max_work_group_size_, nullptr);
  if (code != CL_SUCCESS) return cl_error(code, fmt::format("asking for the limits of kernel `{}`", kernel->name_));
  return std::unique_ptr<Kernel>(std::move(kernel));
}

// Makes another kernel object. clCloneKernel is not used, because it exists only since OpenCL 2.1.
Result<std::unique_ptr<OpenClKernel>> OpenClKernel::made_anew() const {
  const ClApi& cl = kernel_.session()->cl();
  cl_program program = nullptr;
  cl_int code = cl.clGetKernelInfo(get(), CL_KERNEL_PROGRAM, sizeof(cl_program), &program, nullptr);
  cl_kernel raw = nullptr;
  if (code == CL_SUCCESS) raw = cl.clCreateKernel(program, name_.c_str(), &code);
  if (code != CL_SUCCESS) return cl_error(code, fmt::format("making kernel `{}` once more", name_));
  std::unique_ptr<OpenClKernel> kernel(new OpenClKernel(Handle<cl_kernel>(kernel_.session(), raw), name_, parameters_));
  kernel->max_work_group_size_ = max_work_group_size_;
  return kernel;
}

// Returns the resources. OpenCL 1.2 reports the private memory, and the local memory that the kernel declares if no
// arguments are set yet.
Result<KernelResources> OpenClKernel::resources(std::size_t, std::size_t local_bytes) const {
  const Session& session = *kernel_.session();
  WATTUNE_TRY(session.check());
  KernelResources resources;
  cl_ulong bytes = 0;
  const auto get_bytes = [&](cl_kernel_work_group_info what) {
    return session.cl().clGetKernelWorkGroupInfo(get(), session.device(), what, sizeof bytes, &bytes, nullptr) ==
           CL_SUCCESS;
  };
  if (get_bytes(CL_KERNEL_PRIVATE_MEM_SIZE)) resources.private_bytes = bytes;
  if (get_bytes(CL_KERNEL_LOCAL_MEM_SIZE)) resources.static_local_bytes = bytes;
  resources.dynamic_local_bytes = local_bytes;
  return resources;
}

std::uint64_t OpenClKernel::local_memory_bytes() const {
  const Session& session = *kernel_.session();
  cl_ulong bytes = 0;
  session.cl().clGetKernelWorkGroupInfo(get(), session.device(), CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes,
                                        nullptr);
  return bytes;
}

Result<std::unique_ptr<Program>> build_program(const std::shared_ptr<Session>& session, const KernelSource& source,
                                               std::span<const Macro> macros, Nanoseconds limit) {
  WATTUNE_ASSIGN(Built built, build_source(session, source, macros, limit));
  return std::unique_ptr<Program>(
      std::make_unique<OpenClProgram>(std::move(built.program), std::move(built.log), read_code(source, macros)));
}

Result<std::unique_ptr<Program>> load_program(const std::shared_ptr<Session>& session, const Image& image,
                                              Nanoseconds limit) {
  WATTUNE_ASSIGN(Handle<cl_program> program, build_binary(session, image.code, limit));
  return std::unique_ptr<Program>(std::make_unique<OpenClProgram>(std::move(program), image.log, image.parameters));
}

}  // namespace wattune::backend::opencl
