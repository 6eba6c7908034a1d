#include "measure/isolated_call.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <span>
#include <string>

namespace wattune::measure {

namespace {

constexpr std::size_t kMessageBytes = 4096;
constexpr std::size_t kAlignment = 64;  // of each argument, for vectorised references
constexpr int kThrew = 2;               // the child's exit status; its message is in shared memory

std::size_t aligned(std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

// Memory that a forked child shares: room for a message, then every argument.
class SharedArguments {
 public:
  static Result<SharedArguments> copy_of(const std::vector<HostArgument>& arguments) {
    std::size_t bytes = kMessageBytes;
    for (const HostArgument& argument : arguments) bytes += aligned(argument.bytes.size());
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      return Error(ErrorCode::unavailable, fmt::format("no memory for the reference's {} bytes of arguments", bytes));
    return SharedArguments(std::span(static_cast<std::byte*>(memory), bytes), arguments);
  }
  SharedArguments(SharedArguments&& other) noexcept
      : memory_(std::exchange(other.memory_, {})), data_(std::move(other.data_)) {}
  SharedArguments& operator=(SharedArguments&&) = delete;
  ~SharedArguments() {
    if (!memory_.empty()) munmap(memory_.data(), memory_.size());
  }

  char* message() const { return reinterpret_cast<char*>(memory_.data()); }
  void* const* data() const { return data_.data(); }

  void copy_back(std::vector<HostArgument>& arguments) const {
    for (std::size_t i = 0; i < arguments.size(); ++i)
      std::copy_n(static_cast<const std::byte*>(data_[i]), arguments[i].bytes.size(), arguments[i].bytes.begin());
  }

 private:
  SharedArguments(std::span<std::byte> memory, const std::vector<HostArgument>& arguments) : memory_(memory) {
    std::byte* next = memory.data() + kMessageBytes;
    for (const HostArgument& argument : arguments) {
      std::ranges::copy(argument.bytes, next);
      data_.push_back(next);
      next += aligned(argument.bytes.size());
    }
  }

  std::span<std::byte> memory_;
  std::vector<void*> data_;
};

void say(char* message, const char* text) { std::strncpy(message, text, kMessageBytes - 1); }

[[noreturn]] void run_child(ReferenceSignature function, const SharedArguments& shared,
                            const std::vector<std::size_t>& lengths) {
  try {
    function(shared.data(), lengths.data());
  } catch (const std::exception& exception) {
    say(shared.message(), exception.what());
    _exit(kThrew);
  } catch (...) {
    say(shared.message(), "of an unknown type");
    _exit(kThrew);
  }
  _exit(0);
}

Result<void> wait_for(pid_t child, const char* message) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return Error(ErrorCode::unavailable, "the reference's process was lost");
  if (WIFSIGNALED(status)) {
    return Error(ErrorCode::invalid_argument, fmt::format("the reference crashed: {}", strsignal(WTERMSIG(status))))
        .hint("does it stay within the arguments' lengths?");
  }
  if (WEXITSTATUS(status) == kThrew)
    return Error(ErrorCode::invalid_argument, fmt::format("the reference threw an exception: {}", message));
  if (WEXITSTATUS(status) != 0)
    return Error(ErrorCode::invalid_argument, fmt::format("the reference ended with status {}", WEXITSTATUS(status)));
  return {};
}

}  // namespace

Result<void> call_isolated(ReferenceSignature function, std::vector<HostArgument>& arguments) {
  WATTUNE_ASSIGN(const SharedArguments shared, SharedArguments::copy_of(arguments));
  std::vector<std::size_t> lengths;
  for (const HostArgument& argument : arguments) lengths.push_back(argument.length);

  const pid_t child = fork();
  if (child < 0) return Error(ErrorCode::unavailable, "cannot start a process for the reference");
  if (child == 0) run_child(function, shared, lengths);
  WATTUNE_TRY(wait_for(child, shared.message()));
  shared.copy_back(arguments);
  return {};
}

}  // namespace wattune::measure
