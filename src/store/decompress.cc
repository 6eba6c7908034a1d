#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "core/interface/system_error.h"
#include "store/interface/files.h"

extern char** environ;  // NOLINT: POSIX names it

namespace wattune::inline v0_1::store {

namespace {

struct Compression {
  std::string_view magic;
  const char* program;
};
constexpr std::array<Compression, 3> kCompressions{{{{"\xFD"
                                                      "7zXZ\0",
                                                      6},
                                                     "xz"},
                                                    {{"\x1F\x8B", 2}, "gzip"},
                                                    {{"\x28\xB5\x2F\xFD", 4}, "zstd"}}};

// Starts `program -dc` with the file as its input and `output` as its output. Error messages of the program are
// discarded.
int spawn(const char* program, const std::filesystem::path& input, int output, pid_t& process) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::string name = program;
  std::string options = "-dc";
  char* const arguments[] = {name.data(), options.data(), nullptr};
  const int failure = posix_spawnp(&process, program, &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  return failure;
}

bool ended_well(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0)
    if (errno != EINTR) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

Result<std::string> decompress(const char* program, const std::filesystem::path& file) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return system_error("cannot read", file, errno);
  pid_t process = 0;
  const int failure = spawn(program, file, ends[1], process);
  ::close(ends[1]);
  if (failure != 0) {
    ::close(ends[0]);
    return Error(ErrorCode::unavailable, fmt::format("{} needs the program `{}` to be read", file.string(), program))
        .hint("install it, or decompress the file first");
  }
  Result<std::string> text = read_descriptor(ends[0], file);
  ::close(ends[0]);
  const bool unpacked = ended_well(process);
  if (text && !unpacked)
    return Error(ErrorCode::parse_error, fmt::format("{} cannot be decompressed by `{} -dc`", file.string(), program));
  return text;
}

}  // namespace

Result<std::string> read_maybe_compressed(const std::filesystem::path& file) {
  WATTUNE_ASSIGN(std::string text, read_file(file));
  for (const Compression& compression : kCompressions)
    if (text.starts_with(compression.magic)) return decompress(compression.program, file);
  return text;
}

}  // namespace wattune::store
