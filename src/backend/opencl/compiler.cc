#include "backend/opencl/compiler.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "backend/compile/name_collision.h"
#include "backend/compile/opencl_options.h"
#include "backend/compile/preprocessor.h"
#include "backend/interface/descriptor.h"
#include "backend/interface/polling.h"
#include "backend/opencl/cl_error.h"
#include "backend/opencl/kernel_info.h"
#include "core/stopwatch.h"

namespace wattune::inline v0_1::backend::opencl {

namespace {

bool has_only(std::string_view text, std::string_view signs) {
  return !text.empty() && std::ranges::all_of(text, [&](unsigned char c) {
    return std::isalnum(c) != 0 || signs.find(static_cast<char>(c)) != std::string_view::npos;
  });
}

// Tells whether every driver understands the macro after -D in the same way: it has no quotes, spaces or other special
// characters.
bool is_plain(const Macro& macro) { return has_only(macro.name, "_") && has_only(macro.value, "_.-+"); }

std::string plain_macros(std::span<const Macro> macros) {
  std::string options;
  for (const Macro& macro : macros)
    if (is_plain(macro)) options += fmt::format("-D {}={} ", macro.name, macro.value);
  return options;
}

// Returns the source with those macros as lines in front that are not plain. #line keeps the line numbers of the
// compiler's messages right, if the compiler honours it (NVIDIA's does not).
std::string with_other_macros(const KernelSource& source, std::span<const Macro> macros) {
  std::string lines;
  for (const Macro& macro : macros)
    if (!is_plain(macro)) lines += fmt::format("#define {} {}\n", macro.name, on_one_line(macro.value));
  return lines.empty() ? source.text : lines + "#line 1\n" + source.text;
}

// A folder of headers as a compiler option. Drivers split options at spaces, and quotes help only with some drivers. So
// a folder whose path has a space or a quote is given by the path of an open descriptor, /proc/self/fd/N.
class IncludeFolder {
 public:
  explicit IncludeFolder(const std::filesystem::path& folder) : real_(folder.string()), path_(real_) {
    if (path_.find_first_of(" \t\"'\\$") == std::string::npos) return;
    descriptor_ = Descriptor(open(path_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    path_ = fmt::format("/proc/self/fd/{}", descriptor_.get());
  }

  std::string option() const { return " -I " + path_; }

  // Returns the compiler's messages, in which the path of the descriptor is replaced by the folder's own name.
  std::string with_real_name(std::string log) const {
    if (descriptor_.get() < 0) return log;
    const std::string named = path_ + "/";
    for (std::size_t at = 0; (at = log.find(named, at)) != std::string::npos; at += real_.size())
      log.replace(at, path_.size(), real_);
    return log;
  }

 private:
  std::string real_;
  std::string path_;
  Descriptor descriptor_;
};

// Returns the folders of headers: those that the options name, then the source's own.
std::vector<IncludeFolder> include_folders(const KernelSource& source, const OpenclOptions& options) {
  std::vector<IncludeFolder> folders;
  for (const std::filesystem::path& folder : options.folders) folders.emplace_back(folder);
  std::error_code failed;
  if (!source.file.empty()) folders.emplace_back(std::filesystem::absolute(source.file, failed).parent_path());
  return folders;
}

// Replaces the name of PoCL's temporary file, which has no meaning for the user and is different each time.
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

std::string build_log_of(const Session& session, cl_program program) {
  std::size_t size = 0;
  const ClApi& cl = session.cl();
  if (cl.clGetProgramBuildInfo(program, session.device(), CL_PROGRAM_BUILD_LOG, 0, nullptr, &size) != CL_SUCCESS)
    return {};
  std::string log(size, '\0');
  cl.clGetProgramBuildInfo(program, session.device(), CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
  log.resize(log.find_last_not_of(std::string_view("\0 \n", 3)) + 1);
  return log;
}

// Returns the error of a failed build. If the compiler refused the source, the message is its log.
Error build_error(cl_int code, std::string log) {
  const Error error = cl_error(code, "compiling");
  if (error.code() != ErrorCode::compile_failed || log.empty()) return error;
  return Error(error.code(), std::move(log)).native(error.native_code(), error.native_name());
}

// Builds a source without any limit. Fails with compile_failed and the log.
Result<Built> build_once(const std::shared_ptr<Session>& session, const KernelSource& source,
                         std::span<const Macro> macros) {
  const ClApi& cl = session->cl();
  const OpenclOptions own = opencl_options(source);
  std::vector<Macro> defined(macros.begin(), macros.end());
  defined.insert(defined.end(), own.macros.begin(), own.macros.end());
  const std::string text = with_other_macros(source, defined);
  const char* data = text.data();
  const std::size_t size = text.size();
  cl_int code = CL_SUCCESS;
  Handle<cl_program> program(session, cl.clCreateProgramWithSource(session->context(), 1, &data, &size, &code));
  if (code != CL_SUCCESS) return cl_error(code, "making a program");

  const cl_device_id device = session->device();
  const std::vector<IncludeFolder> folders = include_folders(source, own);
  std::string options = fmt::format("-cl-kernel-arg-info {}{}", plain_macros(defined), fmt::join(own.others, " "));
  for (const IncludeFolder& folder : folders) options += folder.option();
  code = cl.clBuildProgram(program.get(), 1, &device, options.c_str(), nullptr, nullptr);
  std::string log =
      with_file_name(build_log_of(*session, program.get()), source.file.empty() ? "<kernel>" : source.file.string());
  for (const IncludeFolder& folder : folders) log = folder.with_real_name(std::move(log));
  if (code != CL_SUCCESS) return build_error(code, std::move(log));
  return Built{std::move(program), std::move(log)};
}

CompileTarget target_for(const DeviceInfo& device) {
  return {.backend = device.backend,
          .architecture = device.name,
          .driver_version = std::nullopt,
          .compiler = fmt::format("{} {} {}", device.platform, device.driver_version, device.language_version)};
}

// Returns the session for a target. Sessions are kept for the whole life of the process and never destroyed, because
// drivers may be gone by the end of the process.
Result<std::shared_ptr<Session>> session_for(const CompileTarget& target) {
  static std::mutex mutex;
  static auto* const sessions = new std::vector<std::pair<CompileTarget, std::shared_ptr<Session>>>;
  const std::lock_guard lock(mutex);
  for (const auto& [compiled_for, session] : *sessions)
    if (compiled_for == target) return session;
  WATTUNE_ASSIGN(const std::vector<ClDevice> devices, list_devices());
  const auto device = std::ranges::find(devices, target, [](const ClDevice& d) { return target_for(d.info); });
  if (device == devices.end())
    return Error(ErrorCode::unavailable, "no such OpenCL device to compile on").about(target.architecture);
  WATTUNE_ASSIGN(std::shared_ptr<Session> session, Session::open_for_compiling(*device));
  return sessions->emplace_back(target, std::move(session)).second;
}

// Returns the kind of a binary. NVIDIA's driver returns PTX.
ImageKind kind_of_binary(std::string_view code) {
  return code.find("\n.version ") != std::string_view::npos && code.find("\n.target ") != std::string_view::npos
             ? ImageKind::ptx
             : ImageKind::opencl_binary;
}

Result<std::vector<KernelParameter>> parameters_of_kernel(const Handle<cl_program>& program, const std::string& name,
                                                          const PlainCode& code) {
  cl_int result = CL_SUCCESS;
  const cl_kernel raw = program.session()->cl().clCreateKernel(program.get(), name.c_str(), &result);
  if (result != CL_SUCCESS) return cl_error(result, fmt::format("making kernel `{}`", name));
  return parameters_of(Handle<cl_kernel>(program.session(), raw), name, code);
}

}  // namespace

Result<Built> build_source(const std::shared_ptr<Session>& session, const KernelSource& source,
                           std::span<const Macro> macros, Nanoseconds limit) {
  const Stopwatch stopwatch;
  Result<Built> built = build_once(session, source, macros);
  if (!built && built.error().code() == ErrorCode::compile_failed) {
    const auto build_again = [&](std::span<const Macro> with) -> std::optional<std::string> {
      const Result<Built> again = build_once(session, source, with);
      return again ? std::nullopt : std::optional(again.error().message());
    };
    return Error(built.error()).hint(tested_collision(source, macros, built.error().message(), build_again));
  }
  if (built && stopwatch.elapsed() > limit) return compiled_too_long(limit);
  return built;
}

Result<Handle<cl_program>> build_binary(const std::shared_ptr<Session>& session, const std::string& code,
                                        Nanoseconds limit) {
  const Stopwatch stopwatch;
  const ClApi& cl = session->cl();
  const cl_device_id device = session->device();
  const auto* data = reinterpret_cast<const unsigned char*>(code.data());
  const std::size_t size = code.size();
  cl_int result = CL_SUCCESS;
  Handle<cl_program> program(
      session, cl.clCreateProgramWithBinary(session->context(), 1, &device, &size, &data, nullptr, &result));
  if (result != CL_SUCCESS) return cl_error(result, "loading a compiled program");
  result = cl.clBuildProgram(program.get(), 1, &device, "", nullptr, nullptr);
  if (result != CL_SUCCESS) return build_error(result, build_log_of(*session, program.get()));
  if (stopwatch.elapsed() > limit) return compiled_too_long(limit);
  return program;
}

Result<std::string> binary_of(const ClApi& cl, cl_program program) {
  std::size_t size = 0;
  cl_int code = cl.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr);
  std::string binary(code == CL_SUCCESS ? size : 0, '\0');
  auto* data = reinterpret_cast<unsigned char*>(binary.data());
  if (!binary.empty()) code = cl.clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof data, &data, nullptr);
  if (code == CL_SUCCESS && !binary.empty()) return binary;
  return Error(ErrorCode::unavailable, "the OpenCL driver hands out no compiled programs")
      .native(code, std::string(cl_name(code)));
}

Result<CompileTarget> target_of(const std::shared_ptr<Session>& session) {
  KernelSource something;
  something.text = "kernel void something(global int* x) { *x = 1; }";
  const Nanoseconds limit = nanoseconds_from_seconds(60);
  WATTUNE_ASSIGN(const Built built, build_source(session, something, {}, limit));
  WATTUNE_ASSIGN(const std::string binary, binary_of(session->cl(), built.program.get()));
  if (const auto loaded = build_binary(session, binary, limit); !loaded)
    return Error(ErrorCode::unavailable,
                 "the OpenCL driver takes no compiled programs back: " + loaded.error().message())
        .native(loaded.error().native_code(), loaded.error().native_name());
  return target_for(session->info());
}

Result<Image> compile(const CompileTarget& target, const KernelSource& source, std::span<const Macro> macros,
                      Nanoseconds limit) {
  const Stopwatch stopwatch;
  WATTUNE_ASSIGN(const std::shared_ptr<Session> session, session_for(target));
  WATTUNE_ASSIGN(Built built, build_source(session, source, macros, limit));
  Image image{.code = {}, .log = std::move(built.log), .symbols = {}};
  const PlainCode plain = read_code(source, macros);
  for (const std::string& name : kernel_names(session->cl(), built.program.get())) {
    WATTUNE_ASSIGN(image.parameters[name], parameters_of_kernel(built.program, name, plain));
  }
  WATTUNE_ASSIGN(image.code, binary_of(session->cl(), built.program.get()));
  image.kind = kind_of_binary(image.code);
  if (stopwatch.elapsed() > limit) return compiled_too_long(limit);
  return image;
}

}  // namespace wattune::backend::opencl
