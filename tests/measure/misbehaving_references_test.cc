// C++ references that misbehave: each gives one line of error, and leaves nothing behind.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "measure/interface/arguments.h"
#include "wait.h"

namespace wattune::inline v0_1::measure {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

namespace fs = std::filesystem;

// The common beginning of all references, which compiles fast. WRITE_OUTPUT writes the right answer: y = 2 * x.
constexpr char kBeginning[] = R"(
#pragma GCC optimize("O0")
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#define REFERENCE extern "C" void reference(void* const* arguments, const size_t* lengths)
#define WRITE_OUTPUT for (size_t i = 0; i < lengths[0]; ++i) ((float*)arguments[0])[i] = 2 * ((const float*)arguments[1])[i];
#define GOOD REFERENCE { WRITE_OUTPUT }
static void* sleep_forever(void*) { for (;;) pause(); }
)";

struct Misbehaviour {
  const char* name;
  const char* source;
  ErrorCode code;
  const char* message;  // part of it; empty if the reference counts as good
  double seconds = 30.0;
};

constexpr ErrorCode kWrong = ErrorCode::invalid_argument;

const Misbehaviour kMisbehaviours[] = {
    {"InitialiserCrashes", "static int bad = raise(SIGSEGV); GOOD", kWrong, "crashed in a static initialiser: Seg"},
    {"InitialiserThrows", "static int bad = (throw 1, 0); GOOD", kWrong, "in a static initialiser"},
    {"InitialiserExits", "static int bad = (exit(0), 0); GOOD", kWrong, "ended its process with status 0 in a static"},
    {"InitialiserAborts", "static int bad = (abort(), 0); GOOD", kWrong, "crashed in a static initialiser: Aborted"},
    {"InitialiserHangs", "static void* bad = sleep_forever(0); GOOD", ErrorCode::timeout, "limit of 1 s", 1.0},
    {"DestructorCrashes", "struct D { ~D() { *(volatile int*)0 = 1; } } d; GOOD", kWrong, ""},
    {"DestructorExits", "struct D { ~D() { _exit(5); } } d; GOOD", kWrong, ""},
    {"DestructorHangs", "struct D { ~D() { sleep_forever(0); } } d; GOOD", kWrong, ""},
    {"Crashes", "REFERENCE { *(volatile int*)0 = 1; }", kWrong, "crashed: Segmentation fault: it uses a null pointer"},
    {"Divides", "REFERENCE { volatile int zero = 0; zero = 100 / zero; }", kWrong, "crashed: Floating point exception"},
    {"Traps", "REFERENCE { __builtin_trap(); }", kWrong, "crashed: Illegal instruction"},
    {"Aborts", "REFERENCE { abort(); }", kWrong, "crashed: Aborted"},
    {"Throws", "REFERENCE { throw 1; }", kWrong, "threw an exception: of a type that is no std::exception"},
    {"Terminates", "REFERENCE { [](int i) noexcept { throw i; }(1); }", kWrong, "its last words: terminate called"},
    {"Exits", "REFERENCE { WRITE_OUTPUT exit(0); }", kWrong, "ended its process with status 0"},
    {"ExitsAsAWorkerDoes", "REFERENCE { exit(2); }", kWrong, "ended its process with status 2"},
    {"ExitsAtOnce", "REFERENCE { _exit(3); }", kWrong, "ended its process with status 3"},
    {"ExitsQuickly", "REFERENCE { quick_exit(7); }", kWrong, "ended its process with status 7"},
    {"EndsItsThread", "REFERENCE { pthread_exit(0); }", kWrong, "the reference "},
    {"Hangs", "REFERENCE { for (;;); }", ErrorCode::timeout, "took longer than its limit of 1 s", 1.0},
    {"HangsDeaf", "REFERENCE { sigset_t s; sigfillset(&s); sigprocmask(SIG_SETMASK, &s, 0); for (;;); }",
     ErrorCode::timeout, "took longer than its limit of 1 s", 1.0},
    {"Sleeps", "REFERENCE { sleep(1000); }", ErrorCode::timeout, "another reference limit", 1.0},
    {"StopsItself", "REFERENCE { raise(SIGSTOP); }", kWrong, "stopped itself: Stopped (signal)"},
    {"KillsItself", "REFERENCE { raise(SIGKILL); }", kWrong, "was killed: by somebody, or because memory ran out"},
    {"KillsItsParent", "REFERENCE { kill(getppid(), SIGKILL); pause(); }", ErrorCode::unavailable, "SIGKILL"},
    {"AsksItsParentToEnd", "REFERENCE { kill(getppid(), SIGTERM); WRITE_OUTPUT }", kWrong, ""},
    {"InterruptsItsGroup", "REFERENCE { signal(SIGINT, SIG_IGN); kill(0, SIGINT); sleep(5); WRITE_OUTPUT }",
     ErrorCode::unavailable, "SIGINT"},
    {"KillsItsGroup", "REFERENCE { kill(0, SIGKILL); }", ErrorCode::unavailable, "SIGKILL"},
    {"Forks", "REFERENCE { if (fork() == 0) sleep_forever(0); WRITE_OUTPUT }", kWrong, ""},
    {"ForksAndBothReturn", "REFERENCE { WRITE_OUTPUT fork(); }", kWrong, ""},
    {"LeavesASession",
     "REFERENCE { if (fork() == 0) { setsid(); if (fork() == 0) sleep_forever(0); _exit(0); } "
     "WRITE_OUTPUT }",
     kWrong, ""},
    {"BecomesADaemon", "REFERENCE { if (daemon(0, 0) == 0) sleep_forever(0); }", kWrong,
     "ended its process with status 0"},
    {"LeavesThreads", "REFERENCE { pthread_t t; pthread_create(&t, 0, sleep_forever, 0); WRITE_OUTPUT }", kWrong, ""},
    {"ClosesAll", "REFERENCE { for (int i = 0; i < 1024; ++i) close(i); WRITE_OUTPUT }", kWrong, ""},
    {"WritesToOutput", "REFERENCE { puts(\"hello\"); WRITE_OUTPUT }", kWrong, ""},
    {"WritesWithoutEnd", "REFERENCE { for (;;) fputs(\"all work and no play \", stderr); }", ErrorCode::timeout,
     "limit of 1 s", 1.0},
    {"WritesMuchBeforeItCrashes",
     "REFERENCE { for (int i = 0; i < 100000; ++i) puts(\"noise\"); puts(\"no\\tway\"); "
     "abort(); }",
     kWrong, "crashed: Aborted; its last words: no?way"},
    {"ReadsInput", "REFERENCE { if (getchar() != EOF) abort(); WRITE_OUTPUT }", kWrong, ""},
    {"Recurses",
     "static int down(volatile char* c) { char more[4096]; more[0] = *c; return down(more) + more[0]; } "
     "REFERENCE { char c = 0; down(&c); }",
     kWrong, "its stack is full"},
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // these end programs short of memory
    {"AllocatesWithoutEnd", "REFERENCE { for (;;) memset(new char[1 << 20], 1, 1 << 20); }", kWrong,
     "reached its memory limit of 209.7 MB"},
#endif
    {"JumpsNowhere",
     "static jmp_buf place; static int mark() { return setjmp(place); } "
     "REFERENCE { mark(); longjmp(place, 1); }",
     kWrong, "the reference "},
    {"WritesJustPastTheOutput", "REFERENCE { WRITE_OUTPUT ((float*)arguments[0])[lengths[0]] = 1; }", kWrong,
     "wrote 4 bytes past the end of argument `y`"},
    {"WritesPastTheOutput", "REFERENCE { ((float*)arguments[0])[lengths[0] + 99] = 1; }", kWrong,
     "it reads or writes at byte 436 of argument `y`, which has 40"},
    {"WritesBeforeTheOutput", "REFERENCE { WRITE_OUTPUT ((float*)arguments[0])[-1] = 1; }", kWrong,
     "wrote 4 bytes before the beginning of argument `y`"},
    {"WritesFarBeforeTheOutput", "REFERENCE { ((float*)arguments[0])[-2000] = 1; }", kWrong,
     "byte -8000 of argument `y`"},
    {"WritesToAnInput", "REFERENCE { ((float*)arguments[1])[0] = 1; }", kWrong,
     "it writes to argument `x`, which the spec says is only read"},
    {"ReadsPastAnInput", "REFERENCE { volatile float f = ((float*)arguments[1])[100]; (void)f; }", kWrong,
     "it reads or writes at byte 400 of argument `x`, which has 40"},
    {"UsesAnArgumentThatIsLeftOut", "REFERENCE { *(volatile int*)arguments[4] = 1; }", kWrong,
     "it uses arguments[4], but the spec lists 4 arguments, counted from 0"},
    {"UsesALengthThatIsLeftOut", "REFERENCE { volatile size_t n = lengths[6]; (void)n; }", kWrong,
     "it uses lengths[6]"},
    {"UsesLocalMemory", "REFERENCE { *(volatile int*)arguments[3] = 1; }", kWrong,
     "it uses argument `tile`, which has no data here, being local memory"},
    {"DoesNotCompile", "REFERENCE { nonsense; }", ErrorCode::compile_failed, "was not declared in this scope"},
    {"LacksAHeader", "#include \"absent.h\"\nGOOD", ErrorCode::compile_failed, "absent.h: No such file"},
    {"LacksALibrary", "extern \"C\" void absent(); REFERENCE { absent(); }", ErrorCode::compile_failed, "absent"},
    {"LacksTheFunction", "void reference() {}", ErrorCode::not_found, "has no function of this name"},
    {"CompilesWithoutEnd", "#include __FILE__\nGOOD", ErrorCode::compile_failed, "nested depth"},
};

class MisbehavingReference : public ::testing::TestWithParam<Misbehaviour> {
 protected:
  MisbehavingReference() {
    fs::create_directories(folder_);
    setenv("TMPDIR", folder_.c_str(), 1);
  }
  ~MisbehavingReference() override {
    setenv("TMPDIR", outer_.c_str(), 1);
    fs::remove_all(folder_);
  }

  // Runs the reference with y, x of ten numbers, a scalar, and local memory. The right answer is y = 2 * x.
  Result<std::vector<std::byte>> run(const std::string& source, double seconds) {
    std::ofstream(folder_ / "reference.cc") << source;
    const std::vector<std::byte> x(10 * sizeof(float));
    const std::vector<std::byte> n(sizeof(int));
    std::vector<HostArgument> arguments(4);
    arguments[0] = {.name = "y", .bytes = x.size(), .length = 10, .writable = true, .fill = std::byte{0xFF}};
    arguments[0].wanted = true;
    arguments[1] = {.name = "x", .bytes = x.size(), .length = 10, .contents = x};
    arguments[2] = {.name = "n", .bytes = n.size(), .length = 1, .writable = true, .contents = n};
    arguments[3] = {.name = "tile"};
    ReferenceOptions options{.limit = nanoseconds_from_seconds(seconds)};
    options.worker.memory_limit_bytes = std::uint64_t{200} << 20;
    WATTUNE_TRY(run_reference_function({folder_ / "reference.cc", "reference"}, arguments, options));
    return arguments[0].result;
  }

  // Returns the number of processes, other than this one, that have this test's folder for temporary files.
  std::size_t processes() const {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator("/proc")) {
      std::ifstream file(entry.path() / "environ", std::ios::binary);
      std::stringstream environment;
      environment << file.rdbuf();
      if (environment.str().find("TMPDIR=" + folder_.string()) != std::string::npos) ++count;
    }
    return count;
  }

  const fs::path outer_ = fs::temp_directory_path();
  const fs::path folder_ = outer_ / fmt::format("wattune-references-{}", getpid());
};

TEST_P(MisbehavingReference, CostsOneLineAndLeavesNothingBehind) {
  const Misbehaviour& expected = GetParam();
  const bool is_good = *expected.message == '\0';
  const auto result = run(std::string(kBeginning) + expected.source + "\n", is_good ? 30.0 : expected.seconds);
  ASSERT_EQ(result.has_value(), is_good) << (result ? "" : result.error().to_string());
  if (is_good) {
    EXPECT_EQ(*result, std::vector<std::byte>(40));
  } else {
    EXPECT_EQ(result.error().code(), expected.code) << result.error().to_string();
    EXPECT_THAT(result.error().to_string(), HasSubstr(expected.message));
    EXPECT_THAT(result.error().to_string(), Not(HasSubstr("\n")));
  }
  EXPECT_TRUE(test::wait_until([this] { return processes() == 0; }));
  // A killed supervisor leaves its folder to the next one.
  if (expected.code == ErrorCode::unavailable) {
    ASSERT_TRUE(run(std::string(kBeginning) + "GOOD\n", 30.0));
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1) << "beside the source";
}

std::string name_of(const ::testing::TestParamInfo<Misbehaviour>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(All, MisbehavingReference, ::testing::ValuesIn(kMisbehaviours), name_of);

}  // namespace
}  // namespace wattune::measure
