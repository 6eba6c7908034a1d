#include "backend/opencl/program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <sstream>

#include "backend/c_type.h"
#include "backend/cuda/signature.h"
#include "backend/name_collision.h"
#include "backend/opencl/cl_error.h"
#include "backend/polling.h"
#include "backend/preprocessor.h"
#include "core/stopwatch.h"
#include "wattune/core/suggest.h"

namespace wattune::backend::opencl {

namespace {

// A value that every driver reads alike behind -D: no quotes, spaces or other signs.
bool is_plain(const Macro& macro) {
  return !macro.value.empty() && std::ranges::all_of(macro.value, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '-' || c == '+';
  });
}

std::string plain_macros(std::span<const Macro> macros) {
  std::string options;
  for (const Macro& macro : macros)
    if (is_plain(macro)) options += fmt::format("-D {}={} ", macro.name, macro.value);
  return options;
}

// Other macros become lines before the source. #line keeps the line numbers of the compiler's messages right, where
// the compiler heeds it (NVIDIA's does not).
std::string with_other_macros(const KernelSource& source, std::span<const Macro> macros) {
  std::string lines;
  for (const Macro& macro : macros)
    if (!is_plain(macro)) lines += fmt::format("#define {} {}\n", macro.name, on_one_line(macro.value));
  return lines.empty() ? source.text : lines + "#line 1\n" + source.text;
}

// The folder of a source as an option of the compiler, so that the source can include its neighbours. Drivers split
// options at spaces, whatever the quotes, so a folder with a space in its path goes by the name of a descriptor.
class IncludeFolder {
 public:
  explicit IncludeFolder(const std::filesystem::path& file) {
    if (file.empty()) return;
    std::error_code failed;
    path_ = std::filesystem::absolute(file, failed).parent_path().string();
    if (path_.find(' ') == std::string::npos) return;
    descriptor_ = open(path_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    path_ = fmt::format("/proc/self/fd/{}", descriptor_);
  }
  IncludeFolder(const IncludeFolder&) = delete;
  IncludeFolder& operator=(const IncludeFolder&) = delete;
  ~IncludeFolder() {
    if (descriptor_ >= 0) close(descriptor_);
  }

  std::string option() const { return path_.empty() ? std::string() : "-I " + path_; }

 private:
  std::string path_;
  int descriptor_ = -1;
};

// PoCL compiles a temporary file, whose name tells the user nothing and is another each time.
std::string with_file_name(std::string log, const std::string& file) {
  constexpr std::string_view kSuffix = ".cl";
  for (std::size_t at = log.find("/tempfile_"); at != std::string::npos; at = log.find("/tempfile_", at)) {
    const std::size_t begin = log.find_last_of(" \n", at) + 1;
    const std::size_t end = log.find(kSuffix, at);
    if (end == std::string::npos) break;
    log.replace(begin, end + kSuffix.size() - begin, file);
    at = begin + file.size();
  }
  return log;
}

std::string log_of(const Session& session, cl_program program) {
  std::size_t size = 0;
  const ClApi& cl = session.cl();
  if (cl.clGetProgramBuildInfo(program, session.device(), CL_PROGRAM_BUILD_LOG, 0, nullptr, &size) != CL_SUCCESS)
    return {};
  std::string log(size, '\0');
  cl.clGetProgramBuildInfo(program, session.device(), CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
  log.resize(log.find_last_not_of(std::string_view("\0 \n", 3)) + 1);
  return log;
}

std::optional<AddressSpace> address_space(cl_kernel_arg_address_qualifier space) {
  switch (space) {
    case CL_KERNEL_ARG_ADDRESS_PRIVATE: return AddressSpace::by_value;
    case CL_KERNEL_ARG_ADDRESS_GLOBAL: return AddressSpace::global;
    case CL_KERNEL_ARG_ADDRESS_CONSTANT: return AddressSpace::constant;
    case CL_KERNEL_ARG_ADDRESS_LOCAL: return AddressSpace::local;
    default: return std::nullopt;
  }
}

class OpenClProgram : public Program {
 public:
  OpenClProgram(Handle<cl_program> program, std::string log, PlainCode code)
      : Program(*program.session()), program_(std::move(program)), log_(std::move(log)), code_(std::move(code)) {}

  const std::string& build_log() const override { return log_; }

  Result<std::unique_ptr<Kernel>> kernel(const std::string& name) override {
    const Session& session = *program_.session();
    WATTUNE_TRY(session.check());
    cl_int code = CL_SUCCESS;
    const cl_kernel raw = session.cl().clCreateKernel(program_.get(), name.c_str(), &code);
    if (code == CL_INVALID_KERNEL_NAME)
      return Error(ErrorCode::not_found, fmt::format("no kernel `{}` in the program", name))
          .hint(suggest(name, kernel_names()));
    if (code != CL_SUCCESS) return cl_error(code, fmt::format("making kernel `{}`", name));
    return OpenClKernel::make(Handle<cl_kernel>(program_.session(), raw), name, code_);
  }

 private:
  std::vector<std::string> kernel_names() const {
    const ClApi& cl = program_.session()->cl();
    std::size_t size = 0;
    if (cl.clGetProgramInfo(program_.get(), CL_PROGRAM_KERNEL_NAMES, 0, nullptr, &size) != CL_SUCCESS) return {};
    std::string joined(size, '\0');
    cl.clGetProgramInfo(program_.get(), CL_PROGRAM_KERNEL_NAMES, size, joined.data(), nullptr);
    std::vector<std::string> names;
    std::istringstream parts(joined.c_str());
    for (std::string name; std::getline(parts, name, ';');) names.push_back(name);
    return names;
  }

  Handle<cl_program> program_;
  std::string log_;
  PlainCode code_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> OpenClKernel::make(Handle<cl_kernel> handle, std::string name, const PlainCode& code) {
  const Session& session = *handle.session();
  std::unique_ptr<OpenClKernel> kernel(new OpenClKernel(std::move(handle), std::move(name)));
  cl_uint arguments = 0;
  cl_int result =
      session.cl().clGetKernelInfo(kernel->get(), CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments, nullptr);
  if (result != CL_SUCCESS)
    return cl_error(result, fmt::format("asking for the arguments of kernel `{}`", kernel->name_));
  for (cl_uint i = 0; i < arguments; ++i) kernel->parameters_.push_back(kernel->parameter(i, code));
  const auto is_untold = [](const KernelParameter& parameter) { return parameter.type.empty() && !parameter.space; };
  if (std::ranges::all_of(kernel->parameters_, is_untold))
    if (auto declared = cuda::declared_parameters(code, kernel->name_, Language::opencl);
        declared && declared->size() == arguments)
      kernel->parameters_ = *std::move(declared);
  result = session.cl().clGetKernelWorkGroupInfo(kernel->get(), session.device(), CL_KERNEL_WORK_GROUP_SIZE,
                                                 sizeof kernel->max_work_group_size_, &kernel->max_work_group_size_,
                                                 nullptr);
  if (result != CL_SUCCESS) return cl_error(result, fmt::format("asking for the limits of kernel `{}`", kernel->name_));
  return std::unique_ptr<Kernel>(std::move(kernel));
}

// As far as the compiler kept what the source says.
KernelParameter OpenClKernel::parameter(cl_uint index, const PlainCode& code) const {
  const ClApi& cl = kernel_.session()->cl();
  const auto text = [&](cl_kernel_arg_info what) {
    std::size_t size = 0;
    if (cl.clGetKernelArgInfo(get(), index, what, 0, nullptr, &size) != CL_SUCCESS) return std::string();
    std::string value(size, '\0');
    cl.clGetKernelArgInfo(get(), index, what, size, value.data(), nullptr);
    return std::string(value.c_str());
  };
  const std::string type = text(CL_KERNEL_ARG_TYPE_NAME);
  KernelParameter parameter = parameter_of(text(CL_KERNEL_ARG_NAME), without_typedefs(code, type), Language::opencl);
  parameter.type = type;
  cl_kernel_arg_address_qualifier space = 0;
  if (cl.clGetKernelArgInfo(get(), index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, nullptr) == CL_SUCCESS)
    parameter.space = address_space(space);
  return parameter;
}

// OpenCL 1.2 tells the private memory and, before arguments are set, the local memory that the kernel declares.
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
  const Stopwatch stopwatch;
  const ClApi& cl = session->cl();
  const std::string text = with_other_macros(source, macros);
  const char* data = text.data();
  const std::size_t size = text.size();
  cl_int code = CL_SUCCESS;
  Handle<cl_program> program(session, cl.clCreateProgramWithSource(session->context(), 1, &data, &size, &code));
  if (code != CL_SUCCESS) return cl_error(code, "making a program");

  const cl_device_id device = session->device();
  const IncludeFolder folder(source.file);
  const std::string options =
      fmt::format("-cl-kernel-arg-info {}{} {}", plain_macros(macros), fmt::join(source.options, " "), folder.option());
  code = cl.clBuildProgram(program.get(), 1, &device, options.c_str(), nullptr, nullptr);
  std::string log =
      with_file_name(log_of(*session, program.get()), source.file.empty() ? "<kernel>" : source.file.string());
  if (code != CL_SUCCESS) {
    const Error error = cl_error(code, "compiling");
    if (error.code() != ErrorCode::compile_failed || log.empty()) return error;
    return Error(error.code(), std::move(log))
        .native(error.native_code(), error.native_name())
        .hint(name_collision(source, macros));
  }
  if (stopwatch.elapsed() > limit) return compiled_too_long(limit);
  return std::unique_ptr<Program>(
      std::make_unique<OpenClProgram>(std::move(program), std::move(log), read_code(source.text)));
}

}  // namespace wattune::backend::opencl
