#include "backend/worker/reference_call.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

#include "backend/device/shared_object.h"
#include "backend/interface/build_log.h"
#include "backend/interface/compiler_program.h"
#include "backend/worker/last_words.h"
#include "core/stopwatch.h"

namespace wattune::inline v0_1::backend::worker {

namespace {

using ReferenceSignature = void (*)(void* const* arguments, const std::size_t* lengths);

// The report of the reference's process to the worker, in shared memory. The exit status cannot serve as the report,
// because the reference may exit with any status.
struct Report {
  enum class Stage { loading, calling, returned };
  enum class Trouble { none, cannot_load, no_function, threw, out_of_memory, bad_access };

  Stage stage = Stage::loading;
  Trouble trouble = Trouble::none;
  std::array<char, 2000> words{};
};

class SharedReport {
 public:
  static Result<SharedReport> create() {
    void* const memory = mmap(nullptr, sizeof(Report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return Error(ErrorCode::unavailable, "no memory for the reference's report");
    return SharedReport(new (memory) Report);
  }
  SharedReport(SharedReport&& other) noexcept : report_(std::exchange(other.report_, nullptr)) {}
  SharedReport& operator=(SharedReport&&) = delete;
  ~SharedReport() {
    if (report_ != nullptr) munmap(report_, sizeof(Report));
  }
  Report* operator->() const { return report_; }
  Report& operator*() const { return *report_; }

 private:
  explicit SharedReport(Report* report) : report_(report) {}

  Report* report_;
};

// The data that the handler of bad accesses reads.
struct Accesses {
  const GuardedArguments* arguments = nullptr;
  Report* report = nullptr;
  const std::byte* stack_end = nullptr;  // the lowest address to which the stack may grow; nullptr if unknown
};
Accesses accesses;

const char* describe(const siginfo_t& access) {
  constexpr std::ptrdiff_t kFrame = 64 << 20;  // a large frame may reach below the stack's end
  constexpr std::ptrdiff_t kSlack = 64 << 10;
  if (access.si_signo != SIGSEGV || access.si_code != SEGV_MAPERR) return "";
  const auto* const address = static_cast<const std::byte*>(access.si_addr);
  if (reinterpret_cast<std::uintptr_t>(address) < kSlack) return "it uses a null pointer";
  const std::ptrdiff_t above = address - accesses.stack_end;
  return accesses.stack_end != nullptr && above > -kFrame && above < kSlack ? "its stack is full" : "";
}

// Describes a bad access, then ends the process by the same signal, whose default handling is restored. A signal that
// another process sent has no address.
void on_bad_access(int number, siginfo_t* info, void*) {
  const std::span<char> words(accesses.report->words);
  accesses.report->trouble = Report::Trouble::bad_access;
  if (info->si_code > 0) accesses.arguments->explain(info->si_addr, words);
  if (words[0] == '\0') std::snprintf(words.data(), words.size(), "%s", describe(*info));
  raise(number);
}

void watch_accesses(const GuardedArguments& arguments, Report& report) {
  static std::array<std::byte, 65536> stack;  // a stack for the handler, because the usual stack may be full
  const stack_t alternative{.ss_sp = stack.data(), .ss_flags = 0, .ss_size = stack.size()};
  sigaltstack(&alternative, nullptr);
  rlimit most{};
  getrlimit(RLIMIT_STACK, &most);
  const std::byte here{};
  accesses = {&arguments, &report, most.rlim_cur == RLIM_INFINITY ? nullptr : &here - most.rlim_cur};
  struct sigaction action {};
  action.sa_sigaction = on_bad_access;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND;
  for (const int number : {SIGSEGV, SIGBUS}) sigaction(number, &action, nullptr);
}

// Restores the default settings that a user's program expects; the worker's settings are different.
void restore_defaults() {
  for (const int number : {SIGTERM, SIGABRT, SIGPIPE}) signal(number, SIG_DFL);
  std::set_new_handler(nullptr);
}

void say(Report& report, Report::Trouble trouble, const char* words) {
  report.trouble = trouble;
  std::strncpy(report.words.data(), words, report.words.size() - 1);
}

void load_and_call(const ReferenceRequest& request, const std::filesystem::path& object,
                   const GuardedArguments& arguments, Report& report) {
  const Result<SharedObject> code = SharedObject::load_for_good(object);
  if (!code) return say(report, Report::Trouble::cannot_load, code.error().message().c_str());
  void* const function = code->symbol(request.function);
  if (function == nullptr) return say(report, Report::Trouble::no_function, "");
  report.stage = Report::Stage::calling;
  reinterpret_cast<ReferenceSignature>(function)(arguments.pointers(), arguments.lengths());
  report.stage = Report::Stage::returned;
}

// Runs the reference. Ends the process without static destructors, which do not affect outputs.
[[noreturn]] void be_the_reference(const ReferenceRequest& request, const std::filesystem::path& object,
                                   const GuardedArguments& arguments, const LastWords& output, Report& report) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  output.take_over({STDOUT_FILENO, STDERR_FILENO});
  closefrom(STDERR_FILENO + 1);
  restore_defaults();
  setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  arguments.make_inputs_read_only();
  watch_accesses(arguments, report);
  try {
    load_and_call(request, object, arguments, report);
  } catch (const std::bad_alloc&) {
    say(report, Report::Trouble::out_of_memory, "");
  } catch (const std::exception& exception) {
    say(report, Report::Trouble::threw, exception.what());
  } catch (...) {
    say(report, Report::Trouble::threw, "of a type that is no std::exception");
  }
  std::fflush(nullptr);
  _exit(0);
}

Error past_limit(std::string_view doing, Nanoseconds limit) {
  return Error(ErrorCode::timeout, fmt::format("{} took longer than its limit of {:g} s", doing, to_seconds(limit)))
      .hint("another reference limit, or `seconds` of [reference], changes that");
}

Error no_process() { return Error(ErrorCode::unavailable, "no process for the reference"); }

// Waits for the child and returns its status in the form of waitpid().
Result<int> wait_for(pid_t child, LastWords& output, const Stopwatch& stopwatch, Nanoseconds limit) {
  constexpr std::chrono::milliseconds kInterval{10};
  for (;;) {
    output.read_for(kInterval);
    int status = 0;
    const pid_t changed = waitpid(child, &status, WNOHANG | WUNTRACED);
    if (changed == child && !WIFSTOPPED(status)) return status;
    if (changed < 0 && errno != EINTR) return no_process();
    if (changed != child && stopwatch.elapsed() <= limit) continue;
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    if (changed != child) return past_limit("the reference", limit);
    return Error(ErrorCode::invalid_argument,
                 fmt::format("the reference stopped itself: {}", strsignal(WSTOPSIG(status))));
  }
}

std::string lack_of_memory(std::uint64_t limit) {
  if (limit == 0) return "ran out of memory";
  return fmt::format("reached its memory limit of {:.4g} MB", static_cast<double>(limit) / 1e6);
}

// Describes how the reference's process ended before the function returned.
std::string describe_end(int status, const Report& report, std::uint64_t memory_limit) {
  const char* const words = report.words.data();
  const std::string where = report.stage == Report::Stage::loading ? " in a static initialiser" : "";
  if (report.trouble == Report::Trouble::threw) return fmt::format("threw an exception{}: {}", where, words);
  if (report.trouble == Report::Trouble::out_of_memory) return lack_of_memory(memory_limit) + where;
  if (WIFEXITED(status)) return fmt::format("ended its process with status {}{}", WEXITSTATUS(status), where);
  if (WTERMSIG(status) == SIGKILL) return fmt::format("was killed{}: by somebody, or because memory ran out", where);
  const std::string end = fmt::format("crashed{}: {}", where, strsignal(WTERMSIG(status)));
  return words[0] == '\0' ? end : end + ": " + words;
}

Result<Nothing> judge(int status, const Report& report, const ReferenceRequest& request,
                      const GuardedArguments& arguments, LastWords& output) {
  if (report.trouble == Report::Trouble::cannot_load) return Error(ErrorCode::compile_failed, report.words.data());
  if (report.trouble == Report::Trouble::no_function)
    return Error(ErrorCode::not_found, fmt::format("{} has no function of this name", request.file.string()))
        .about(request.function)
        .hint("declare it extern \"C\"");
  std::string failure;
  if (report.stage == Report::Stage::returned) {
    failure = arguments.out_of_bounds_writes();
    if (failure.empty()) return Nothing{};
  } else {
    failure = describe_end(status, report, request.memory_limit_bytes);
    if (const std::string last = output.last_line(); !last.empty()) failure += "; its last words: " + last;
  }
  return Error(ErrorCode::invalid_argument, "the reference " + failure);
}

// Returns an error with the most telling line of the log, or with the signal that ended the compiler.
Error cannot_compile(const Error& error, const std::filesystem::path& file) {
  const auto status = static_cast<int>(error.native_code());
  std::string reason = telling_line(error.message());
  if (WIFSIGNALED(status))
    reason = fmt::format("it was ended by signal {} ({}){}{}", WTERMSIG(status), strsignal(WTERMSIG(status)),
                         reason.empty() ? "" : ": ", reason);
  return Error(ErrorCode::compile_failed,
               fmt::format("{} cannot compile {}: {}", error.native_name(), file.string(), reason));
}

// Compiles the reference. The path is absolute, so that a file whose name looks like an option is not taken for one.
Result<void> compile(const ReferenceRequest& request, const std::filesystem::path& object) {
  std::error_code ignored;
  const std::filesystem::path file = std::filesystem::absolute(request.file, ignored);
  const Result<std::string> log = compile_shared_object(Language::cpp, file, {}, object, request.limit);
  if (log) return {};
  if (log.error().code() == ErrorCode::timeout) return past_limit("compiling the reference", request.limit);
  if (log.error().code() == ErrorCode::compile_failed) return cannot_compile(log.error(), request.file);
  return log.error();
}

}  // namespace

Result<Nothing> call_reference(const ReferenceRequest& request, const GuardedArguments& arguments) {
  const Stopwatch stopwatch;
  WATTUNE_ASSIGN(const TemporaryFolder folder, TemporaryFolder::create());
  const std::filesystem::path object = folder / "reference.so";
  WATTUNE_TRY(compile(request, object));

  WATTUNE_ASSIGN(const SharedReport report, SharedReport::create());
  WATTUNE_ASSIGN(LastWords output, LastWords::create());
  const pid_t child = fork();
  if (child < 0) return no_process();
  if (child == 0) be_the_reference(request, object, arguments, output, *report);
  output.listen();
  WATTUNE_ASSIGN(const int status, wait_for(child, output, stopwatch, request.limit));
  output.read_for({});
  return judge(status, *report, request, arguments, output);
}

}  // namespace wattune::backend::worker
