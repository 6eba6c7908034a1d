// Tests that a worker leaves nothing behind, in whichever way it ends.
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <filesystem>
#include <stdexcept>

#include "backend/interface/compile_process.h"
#include "backend/interface/compiler_program.h"
#include "backend/interface/environment.h"
#include "backend/interface/kill_count.h"
#include "backend/interface/start_process.h"
#include "backend/support.h"
#include "programs.h"
#include "wait.h"

namespace wattune::inline v0_1::backend {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kMisbehavingKernels[] = "noop abort sleep leave_process leave_file take_memory abort_without_memory";

// Returns the process that the supervisor watches. It asks repeatedly, because the list is incomplete while it changes.
pid_t worker_of(pid_t supervisor) {
  const std::string id = std::to_string(supervisor);
  pid_t worker = 0;
  const bool found = test::wait_until([&] {
    std::ifstream children("/proc/" + id + "/task/" + id + "/children");
    return static_cast<bool>(children >> worker);
  });
  return found ? worker : throw std::runtime_error("the supervisor has no worker");
}

// Tests with a folder of their own for temporary files.
class Supervisor : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_);
    setenv("TMPDIR", folder_.c_str(), 1);
    options_.executable = test::program("wattune-fake-worker");
  }
  void TearDown() override {
    stream_.reset();
    device_.reset();
    EXPECT_THAT(children(), IsEmpty());
    setenv("TMPDIR", outer_.c_str(), 1);
    fs::remove_all(folder_);
  }

  void open() {
    device_ = open_device_in_worker("fake:0", options_).value();
    stream_ = device_->create_stream().value();
  }

  Result<Nanoseconds> run(const std::string& name, std::vector<LaunchArgument> arguments = {},
                          Nanoseconds limit = kLimit) {
    return run_once(*device_, *stream_, kMisbehavingKernels, name, {}, std::move(arguments), limit);
  }

  // Starts a process from a kernel and returns its id.
  pid_t leave_process() {
    const auto buffer = buffer_with<pid_t>(*device_, *stream_, {0});
    EXPECT_TRUE(run("leave_process", {buffer.get()}));
    return contents_of<pid_t>(*buffer, *stream_)[0];
  }

  void end() {
    stream_.reset();
    device_.reset();
  }

  bool is_clean() const { return fs::is_empty(folder_); }

  WorkerOptions options_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<Stream> stream_;

 private:
  const fs::path outer_ = fs::temp_directory_path();
  const fs::path folder_ = outer_ / ("wattune-supervisor-test-" + std::to_string(getpid()));
};

TEST_F(Supervisor, EndsWhatAKernelStartedWithItsWorker) {
  open();
  const pid_t left = leave_process();
  EXPECT_EQ(kill(left, 0), 0);
  end();
  EXPECT_TRUE(ends(left));
}

TEST_F(Supervisor, EndsItWhenTheWorkerCrashes) {
  open();
  const pid_t left = leave_process();
  EXPECT_THAT(run("abort").error().message(), HasSubstr("SIGABRT"));
  EXPECT_TRUE(ends(left));
}

TEST_F(Supervisor, EndsItWhenTheWorkerIsKilled) {
  open();
  const pid_t left = leave_process();
  kill(worker_of(children().at(0)), SIGKILL);
  EXPECT_TRUE(killed_from_outside(run("noop").error()));
  EXPECT_TRUE(ends(left));
}

// If a supervisor is killed, nobody else knows the processes that its worker had started in sessions of their own. Such
// a process holds the worker's socket open, but no request waits for its limit.
TEST_F(Supervisor, ItsClientEndsItWhenTheSupervisorIsKilled) {
  open();
  const pid_t left = leave_process();
  const pid_t worker = worker_of(children().at(0));
  kill(children().at(0), SIGKILL);
  EXPECT_TRUE(ends(worker));
  EXPECT_EQ(device_->build(source_of(kMisbehavingKernels), {}, kLimit).error().code(), ErrorCode::device_lost);
  EXPECT_TRUE(ends(left));
}

TEST_F(Supervisor, EndsItAtALimit) {
  open();
  const pid_t left = leave_process();
  EXPECT_EQ(run("sleep", {}, nanoseconds_from_ms(20)).error().code(), ErrorCode::timeout);
  EXPECT_TRUE(ends(left));
}

TEST_F(Supervisor, RemovesTheFilesOfTheWorker) {
  open();
  ASSERT_TRUE(run("leave_file"));
  EXPECT_FALSE(is_clean());
  end();
  EXPECT_TRUE(is_clean());
}

TEST_F(Supervisor, RemovesThemWhenTheWorkerIsKilled) {
  open();
  ASSERT_TRUE(run("leave_file"));
  kill(worker_of(children().at(0)), SIGKILL);
  EXPECT_TRUE(killed_from_outside(run("noop").error()));
  EXPECT_TRUE(is_clean());
}

// Neither process is left to remove them, so the next one does.
TEST_F(Supervisor, RemovesThoseOfOneThatWasKilledWithItsWorker) {
  open();
  ASSERT_TRUE(run("leave_file"));
  const pid_t worker = worker_of(children().at(0));
  kill(children().at(0), SIGKILL);
  EXPECT_TRUE(ends(worker));
  end();
  EXPECT_FALSE(is_clean());
  open();
  end();
  EXPECT_TRUE(is_clean());
}

TEST_F(Supervisor, RemovesNoFilesThatAreInUse) {
  open();
  ASSERT_TRUE(run("leave_file"));
  const auto other = open_device_in_worker("fake:0", options_).value();
  EXPECT_TRUE(run("leave_file"));
  EXPECT_TRUE(run("noop"));
}

TEST_F(Supervisor, NamesTheMemoryLimitThatAWorkerMeets) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers end a program that is short of memory in their own way";
#endif
  options_.memory_limit_bytes = 100'000'000;
  for (const char* kernel : {"take_memory", "abort_without_memory"}) {
    open();
    const Error error = run(kernel).error();
    EXPECT_EQ(error.code(), ErrorCode::device_lost);
    EXPECT_THAT(error.message(), HasSubstr("worker reached its memory limit of 100 MB"));
  }
}

// A process that is traced cannot be reaped before its tracer has seen its end, like a process that a driver keeps.
TEST_F(Supervisor, GoesOnWithoutAWorkerThatCannotBeKilled) {
  options_.end_limit = nanoseconds_from_ms(200);
  open();
  const pid_t supervisor = children().at(0);
  const pid_t worker = worker_of(supervisor);
  if (ptrace(PTRACE_SEIZE, worker, nullptr, nullptr) != 0) GTEST_SKIP() << "processes cannot be traced here";
  const Error error = run("sleep", {}, nanoseconds_from_ms(20)).error();
  EXPECT_EQ(error.code(), ErrorCode::timeout);
  EXPECT_THAT(error.advice(), HasSubstr("do not end although they were killed"));
  device_->reset().value();
  stream_ = device_->create_stream().value();
  EXPECT_TRUE(run("noop"));
  waitpid(worker, nullptr, 0);  // as its tracer
  EXPECT_TRUE(ends(supervisor));
  open();  // reaps what was left
}

TEST_F(Supervisor, StartsAWorkerAgainThatIsKilledWhileItStarts) {
  const fs::path log = fs::temp_directory_path() / "log";
  setenv("WATTUNE_FAKE_WORKER_LOG", log.c_str(), 1);
  EXPECT_TRUE(open_device_in_worker("fake:killed", options_));
  unsetenv("WATTUNE_FAKE_WORKER_LOG");
  fs::remove(log);
}

TEST_F(Supervisor, AdvisesWherePoclFindsNoMemory) {
  const auto device = open_device_in_worker("fake:without_memory", options_);
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code(), ErrorCode::unavailable);
  EXPECT_THAT(device.error().message(), HasSubstr("Not enough memory to run on this device"));
  EXPECT_THAT(device.error().advice(), HasSubstr("PoCL asks /sys how much memory there is: mount it"));
}

// Workers of another build end in this way at their first request.
TEST_F(Supervisor, NamesAWorkerOfAnotherBuild) {
  options_.executable = fs::temp_directory_path() / "wattune-worker";
  std::ofstream(options_.executable) << "#!/bin/sh\necho no message of this version >&2\nexit 2\n";
  chmod(options_.executable.c_str(), 0700);
  const auto device = open_device_in_worker("fake:0", options_);
  ASSERT_FALSE(device);
  EXPECT_THAT(device.error().message(), HasSubstr(options_.executable.string() + " is of another build"));
  fs::remove(options_.executable);
}

// The end is like that by SIGKILL: the folder stays, the lock goes.
TEST_F(Supervisor, FilesOfAKilledCompilationGoWithTheNextOne) {
  const pid_t child = fork();
  if (child == 0) {
    const auto folder = TemporaryFolder::create();
    if (folder) std::ofstream(*folder / "kernel.cu") << "something";
    ::_exit(folder ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  EXPECT_FALSE(is_clean());
  const auto living = TemporaryFolder::create().value();
  { EXPECT_TRUE(TemporaryFolder::create()); }
  EXPECT_TRUE(fs::exists(living / "."));
  EXPECT_EQ(std::distance(fs::directory_iterator(fs::temp_directory_path()), {}), 1);
}

// Each folder is named and placed like Wattune's own. Only its inode would reveal a complete copy that lies elsewhere
// under the same name; the copied mark stands for that case.
TEST_F(Supervisor, LeavesFoldersAloneThatItDidNotMake) {
  const fs::path place = fs::temp_directory_path();
  const auto living = TemporaryFolder::create().value();
  const fs::path own = (living / ".").parent_path();
  std::vector<fs::path> precious;
  for (const char* name : {"wattune-worker-logs", "wattune-compiler-experiments", "wattune-compiler-abc123",
                           "wattune-worker-backup", "wattune-worker-", "wattune-compiler-AbC12"})
    precious.push_back(place / name / "notes");
  for (const fs::path& file : precious) {
    fs::create_directories(file.parent_path());
    for (const auto& each : fs::directory_iterator(own)) fs::copy(each, file.parent_path());
    std::ofstream(file) << "notes";
  }
  fs::create_directory_symlink(precious[0].parent_path(), place / "wattune-compiler-linked");
  fs::create_directory_symlink(precious[0].parent_path(), place / "wattune-worker-link00");
  open();
  EXPECT_TRUE(TemporaryFolder::create());
  for (const fs::path& file : precious) EXPECT_TRUE(fs::exists(file)) << file;
  for (const fs::path& file : precious) fs::remove_all(file.parent_path());
  fs::remove(place / "wattune-compiler-linked");
  fs::remove(place / "wattune-worker-link00");
}

// The assembler never ends, as happens with a text that is large enough.
TEST_F(Supervisor, BoundsAnAssemblerAndEndsItWithItsClient) {
  const fs::path toolkit = fs::temp_directory_path() / "toolkit";
  fs::create_directories(toolkit / "bin");
  std::ofstream(toolkit / "bin" / "ptxas") << "#!/bin/sh\necho $$ > " << (toolkit / "pid") << "\nexec sleep 3600\n";
  chmod((toolkit / "bin" / "ptxas").c_str(), 0700);
  const char* const before = std::getenv("CUDA_HOME");
  const std::string kept = before != nullptr ? before : "";
  setenv("CUDA_HOME", toolkit.c_str(), 1);
  {
    CompileProcess process(options_);
    const auto answer = process.assemble({".version 8.0", "sm_90", nanoseconds_from_seconds(1)});
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code(), ErrorCode::timeout);
  }
  pid_t assembler = -1;
  std::ifstream(toolkit / "pid") >> assembler;
  EXPECT_TRUE(ends(assembler));
  before != nullptr ? setenv("CUDA_HOME", kept.c_str(), 1) : unsetenv("CUDA_HOME");
  fs::remove_all(toolkit);
  EXPECT_TRUE(is_clean());
}

// Secrets that a shell holds for other programs must not reach a kernel.
TEST_F(Supervisor, WorkersSeeNoSecrets) {
  for (const char* name : {"AWS_SECRET_ACCESS_KEY", "NVIDIA_API_KEY", "MY_SETTING"}) setenv(name, "hidden", 1);
  setenv("MY_OTHER_SETTING", "asked for", 1);
  setenv("POCL_MAX_PTHREAD_COUNT", "2", 1);
  options_.environment = {"MY_OTHER_SETTING"};
  open();
  const std::string worker = std::to_string(worker_of(children().at(0)));
  const std::string environment = written_to("/proc/" + worker + "/environ");
  EXPECT_EQ(environment.find("hidden"), std::string::npos);
  EXPECT_THAT(environment, HasSubstr("MY_OTHER_SETTING=asked for"));
  EXPECT_THAT(environment, HasSubstr("POCL_MAX_PTHREAD_COUNT=2"));
  for (const char* name :
       {"AWS_SECRET_ACCESS_KEY", "NVIDIA_API_KEY", "MY_SETTING", "MY_OTHER_SETTING", "POCL_MAX_PTHREAD_COUNT"})
    unsetenv(name);
}

TEST(PassedEnvironment, IsWhatCompilersAndDriversNeed) {
  for (const char* name :
       {"PATH", "HOME", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "CXX", "CPATH",
        "NVIDIA_VISIBLE_DEVICES", "OCL_ICD_VENDORS", "OMP_NUM_THREADS", "WATTUNE_LOG", "CONDA_PREFIX", "CCACHE_DIR",
        "ASAN_OPTIONS", "NVCC_APPEND_FLAGS", "POCL_DEVICES", "VIRTUAL_ENV"})
    EXPECT_TRUE(worker::is_passed(name)) << name;
  for (const char* name : {"SSH_AUTH_SOCK", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "NVIDIA_API_KEY", "HTTPS_PROXY",
                           "CUDA_LICENSE_TOKEN", "PATHS", "XPATH", "CONDA_TOKEN", "", "LC", "path"})
    EXPECT_FALSE(worker::is_passed(name)) << name;
}

Error kill_from_outside() { return Error(ErrorCode::device_lost, "worker killed by SIGKILL").native(9, "SIGKILL"); }

TEST(KillCount, AllowsNineMoreTriesAfterKillsByHand) {
  KillCount kills("/nowhere");
  int tries = 1;
  while (kills.allow_another(kill_from_outside())) ++tries;
  EXPECT_EQ(tries, 10);
}

// In vmstat the system reports that it killed a process because memory ran out.
TEST(KillCount, AllowsOneMoreTryWhereMemoryRanOut) {
  const fs::path vmstat = fs::path(testing::TempDir()) / ("wattune-vmstat-" + std::to_string(getpid()));
  const auto write = [&](int oom_kills) { std::ofstream(vmstat) << "nr_free_pages 5\noom_kill " << oom_kills << "\n"; };
  write(7);
  KillCount kills(vmstat);
  EXPECT_TRUE(kills.allow_another(kill_from_outside()));
  write(8);
  EXPECT_TRUE(kills.allow_another(kill_from_outside()));
  write(9);
  EXPECT_FALSE(kills.allow_another(kill_from_outside()));
  fs::remove(vmstat);
}

TEST(KillCount, AllowsNoOtherFailureAnotherTry) {
  KillCount kills("/nowhere");
  EXPECT_FALSE(kills.allow_another(Error(ErrorCode::device_lost, "worker killed by SIGSEGV").native(11, "SIGSEGV")));
  EXPECT_FALSE(kills.allow_another(Error(ErrorCode::timeout, "too long")));
}

// fork() and posix_spawn() return these errors if processes or memory are short.
TEST(StartPatiently, TriesAgainWhereTheMachineIsShort) {
  int calls = 0;
  EXPECT_EQ(start_patiently([&] { return ++calls == 1 ? EAGAIN : calls == 2 ? ENOMEM : 0; }), 0);
  EXPECT_EQ(calls, 3);
}

TEST(StartPatiently, GivesUpInTheEnd) {
  int calls = 0;
  EXPECT_EQ(start_patiently([&] { return ++calls, EAGAIN; }), EAGAIN);
  EXPECT_EQ(calls, 4);
}

TEST(StartPatiently, TriesNothingElseAgain) {
  int calls = 0;
  EXPECT_EQ(start_patiently([&] { return ++calls, ENOENT; }), ENOENT);
  EXPECT_EQ(calls, 1);
}

TEST(CompilerProgram, NamesTheSignalThatEndedIt) {
  const auto folder = TemporaryFolder::create().value();
  const auto status = run_program({"sh", "-c", "kill -KILL $$"}, folder / "log").value();
  EXPECT_EQ(death_of("nvcc", status), "nvcc was killed by SIGKILL, perhaps because memory ran out");
  EXPECT_EQ(death_of("nvcc", run_program({"false"}, folder / "log").value()), "");
}

}  // namespace
}  // namespace wattune::backend
