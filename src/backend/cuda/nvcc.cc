#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include "backend/cuda/compiler.h"
#include "backend/cuda/nvrtc_api.h"
#include "backend/cuda/source_text.h"

namespace wattune::backend::cuda {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// A folder that is gone with this object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code failed;
    std::string pattern = (fs::temp_directory_path(failed) / "wattune-nvcc-XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;  // empty when it could not be made
};

std::string find_nvcc() {
  std::error_code failed;
  for (const std::string& toolkit : toolkit_folders())
    if (fs::exists(toolkit + "/bin/nvcc", failed)) return toolkit + "/bin/nvcc";
  return "nvcc";
}

std::string contents(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Starts the program in a process group of its own, its output in `log`. Nothing when it cannot be started.
std::optional<pid_t> start(const std::vector<std::string>& command, const fs::path& log) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, arguments[0], &files, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return failed == 0 ? std::optional(child) : std::nullopt;
}

// The exit status as waitpid() tells it; nothing when the limit passed, and the program with its children was killed.
std::optional<int> wait_for(pid_t child, Nanoseconds limit) {
  const Clock::time_point begin = Clock::now();
  for (;;) {
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child) return status;
    if (std::chrono::duration<double, std::nano>(Clock::now() - begin).count() > limit.value()) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  kill(-child, SIGKILL);
  waitpid(child, nullptr, 0);
  return std::nullopt;
}

// The source, and for a template something that takes its address, which instantiates it.
std::string text_for_nvcc(const KernelSource& source, std::span<const Macro> macros) {
  std::string text = with_parameters(source, macros);
  const std::string function = with_values(source.function, macros);
  if (function.find('<') != std::string::npos)
    text += fmt::format("\nvoid* wattune_instance() {{ return reinterpret_cast<void*>(&{}); }}\n", function);
  return text;
}

}  // namespace

Result<Image> compile_with_nvcc(const KernelSource& source, std::span<const Macro> macros, const Target& target,
                                Nanoseconds limit) {
  const TemporaryFolder folder;
  if (folder.path().empty()) return Error(ErrorCode::io_error, "no temporary folder could be made for nvcc");
  const fs::path input = folder.path() / "kernel.cu";
  const fs::path output = folder.path() / "kernel.cubin";
  const fs::path log = folder.path() / "log";
  std::ofstream(input, std::ios::binary) << text_for_nvcc(source, macros);
  std::vector<std::string> command{find_nvcc(), "-cubin", "-o", output, input};
  if (!names_architecture(source)) command.push_back("-arch=" + target.architecture);
  for (std::string& option : options_with_folders(source)) command.push_back(std::move(option));

  const std::optional<pid_t> child = start(command, log);
  if (!child)
    return Error(ErrorCode::unavailable, "nvcc cannot be started")
        .hint("let CUDA_HOME name the folder of a toolkit, or compile with NVRTC");
  const std::optional<int> status = wait_for(*child, limit);
  if (!status) return Error(ErrorCode::timeout, fmt::format("nvcc took longer than {:g} ms", to_ms(limit)));
  if (*status != 0) return Error(ErrorCode::compile_failed, contents(log)).native(*status, "nvcc");
  return Image{.code = contents(output), .log = contents(log), .symbols = {}};
}

}  // namespace wattune::backend::cuda
