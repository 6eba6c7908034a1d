// A C++ reference: compiled with the system's compiler into a shared object in a folder of its own, loaded, called,
// unloaded, removed. The compiler is started without a shell, so no character of a path means anything to one.
#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <system_error>

#include "measure/isolated_call.h"
#include "wattune/measure/arguments.h"

extern char** environ;

namespace wattune::measure {

namespace {

constexpr std::array kCompilers{"c++", "g++", "clang++"};
constexpr int kShownLines = 6;  // of the compiler's output

// A new folder, removed with all it holds.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> create() {
    std::error_code error;
    std::string pattern = (std::filesystem::temp_directory_path(error) / "wattune-reference-XXXXXX").string();
    if (error || mkdtemp(pattern.data()) == nullptr)
      return Error(ErrorCode::io_error, "cannot create a temporary folder").about(pattern);
    return TemporaryFolder(pattern);
  }
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

std::string first_lines(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string text;
  std::string line;
  for (int i = 0; i < kShownLines && std::getline(stream, line); ++i) text += (i == 0 ? "" : "\n") + line;
  return text;
}

// Starts `program` (searched in PATH) with its output in `log`. Returns errno when it cannot be started.
int spawn(const std::vector<std::string>& command, const std::filesystem::path& log, pid_t& child) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  const int failure = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return failure;
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return status;
}

Result<void> compile(const std::filesystem::path& source, const std::filesystem::path& object,
                     const std::filesystem::path& log) {
  for (const char* compiler : kCompilers) {
    pid_t child = 0;
    const int failure =
        spawn({compiler, "-std=c++20", "-O2", "-shared", "-fPIC", "-o", object.string(), source.string()}, log, child);
    if (failure == ENOENT) continue;
    if (failure != 0) return Error(ErrorCode::unavailable, "cannot start the C++ compiler").about(compiler);
    const int status = wait_for(child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
    return Error(ErrorCode::compile_failed,
                 fmt::format("{} cannot compile the reference {}:\n{}", compiler, source.string(), first_lines(log)));
  }
  return Error(ErrorCode::unavailable, "no C++ compiler found for the reference").hint("install g++ or clang++");
}

}  // namespace

Result<void> run_reference_function(const ReferenceFunction& function, std::vector<HostArgument>& arguments) {
  std::error_code ignored;
  if (!std::filesystem::exists(function.file, ignored))
    return Error(ErrorCode::not_found, "no such file").about(function.file.string());
  WATTUNE_ASSIGN(const TemporaryFolder folder, TemporaryFolder::create());
  const std::filesystem::path object = folder / "reference.so";
  // An absolute path, so that a source named like an option is not one.
  WATTUNE_TRY(compile(std::filesystem::absolute(function.file, ignored), object, folder / "compiler.log"));

  const std::unique_ptr<void, int (*)(void*)> library(dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL), dlclose);
  if (!library)
    return Error(ErrorCode::compile_failed, fmt::format("cannot load the compiled reference: {}", dlerror()));
  void* const symbol = dlsym(library.get(), function.function.c_str());
  if (symbol == nullptr)
    return Error(ErrorCode::not_found, fmt::format("{} has no function of this name", function.file.string()))
        .about(function.function)
        .hint("declare it extern \"C\"");
  return call_isolated(reinterpret_cast<ReferenceSignature>(symbol), arguments);
}

}  // namespace wattune::measure
