// The pool of compile processes, with a worker program whose compiler misbehaves on demand (fakes/fake_worker.cc).
#include "wattune/backend/compile_pool.h"

#include <sys/resource.h>
#include <sys/wait.h>

#include <filesystem>
#include <sstream>
#include <thread>

#include "backend/interface/compiler_program.h"
#include "backend/support.h"
#include "programs.h"
#include "wait.h"

namespace wattune::inline v0_1::backend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Macros = std::vector<Macro>;

Macros macros(const std::string& n, const std::string& mode = "good") { return {{"N", n}, {"MODE", mode}}; }

class Pool : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("WATTUNE_FAKE_COMPILER_LOG", log_.c_str(), 1);
    std::filesystem::remove(log_);
    std::filesystem::remove(log_ + ".go");
  }
  void TearDown() override {
    end();
    EXPECT_THAT(children(), IsEmpty()) << "a compile process was left behind";
    unsetenv("WATTUNE_FAKE_COMPILER_LOG");
    std::filesystem::remove(log_);
    std::filesystem::remove(log_ + ".go");
  }

  static CompilePoolOptions options(std::size_t processes, std::shared_ptr<ImageCache> cache = nullptr) {
    WorkerOptions worker;
    worker.executable = test::program("wattune-fake-worker");
    return {.processes = processes, .worker = worker, .cache = std::move(cache)};
  }
  PooledSource& start(const CompilePoolOptions& options) {
    end();
    pool_ = std::make_unique<CompilePool>(options);
    source_.emplace(add("text"));
    return *source_;
  }
  PooledSource& start(std::size_t processes, std::shared_ptr<ImageCache> cache = nullptr) {
    return start(options(processes, std::move(cache)));
  }
  PooledSource add(const std::string& text) {
    return pool_->add(CompileTarget{"fake", "arch_1", {}, "fake 1"}, source_of(text));
  }
  void end() {
    source_.reset();
    pool_.reset();
  }

  // Returns the compiled images in the order of compilation, one line each.
  std::vector<std::string> compiled() const {
    std::ifstream stream(log_);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }
  void wait_until_idle() const {
    EXPECT_TRUE(test::wait_until([this] {
      const CompileActivity activity = source_->activity();
      return activity.waiting + activity.running == 0;
    }));
  }
  // Ends compilations of the mode "wait".
  void release() const { std::ofstream(log_ + ".go") << "go"; }
  void wait_until_compiled(std::size_t lines) const {
    EXPECT_TRUE(test::wait_until([&] { return compiled().size() >= lines; }));
  }

  const std::string log_ =
      (std::filesystem::temp_directory_path() / ("wattune-pool-test-" + std::to_string(getpid()))).string();
  std::unique_ptr<CompilePool> pool_;
  std::optional<PooledSource> source_;
};

TEST_F(Pool, CompilesAheadInTheOrderOfExpectation) {
  PooledSource& pool = start(1);
  pool.expect({macros("1"), macros("2"), macros("3")}, kLimit);
  wait_until_idle();
  EXPECT_THAT(compiled(),
              ElementsAre("arch_1 text N=1 MODE=good", "arch_1 text N=2 MODE=good", "arch_1 text N=3 MODE=good"));
  EXPECT_EQ(pool.activity().ready, 3u);
  const Compiled second = pool.take(macros("2"), kLimit);
  ASSERT_TRUE(second.image) << second.image.error().to_string();
  EXPECT_EQ(*second.image, (Image{"arch_1 text N=2 MODE=good", "a warning", {{"f<1>", "f1"}}}));
  EXPECT_GT(second.took, Nanoseconds(0));
  EXPECT_EQ(pool.activity().ready, 2u);
  EXPECT_EQ(pool.activity().compiled, 3u);
}

TEST_F(Pool, CompilesAnotherTextInThePlaceOfTheSources) {
  PooledSource& pool = start(1);
  pool.expect({macros("1"), {macros("1"), "other words"}, {macros("1"), "other words"}}, kLimit);
  wait_until_idle();
  EXPECT_THAT(compiled(), ElementsAre("arch_1 text N=1 MODE=good", "arch_1 other words N=1 MODE=good"));
  EXPECT_FALSE(pool.is_ready({macros("1"), "unknown words"}));
  EXPECT_EQ(pool.take({macros("1"), "other words"}, kLimit).image.value().code, "arch_1 other words N=1 MODE=good");
  EXPECT_EQ(pool.take(macros("1"), kLimit).image.value().code, "arch_1 text N=1 MODE=good");
  EXPECT_EQ(pool.activity().compiled, 2u);
}

TEST_F(Pool, ShowsAnImageWithoutGivingItAway) {
  PooledSource& pool = start(1);
  EXPECT_FALSE(pool.look_at(macros("1")));
  pool.expect({macros("1"), macros("2")}, kLimit);
  pool.wait_for_all_but(0, kLimit);
  EXPECT_EQ(pool.activity().ready, 2u);
  const auto seen = pool.look_at(macros("1"));
  ASSERT_TRUE(seen && seen->image);
  EXPECT_EQ(pool.activity().ready, 2u);
  EXPECT_EQ(pool.take(macros("1"), kLimit).image.value(), *seen->image);
  EXPECT_FALSE(pool.look_at(macros("1")));
  EXPECT_EQ(compiled().size(), 2u);
}

// The second compilation never ends by itself.
TEST_F(Pool, WaitsForSomeOfWhatIsExpectedOrForSoLong) {
  PooledSource& pool = start(1);
  pool.expect({macros("1"), macros("2", "wait")}, kLimit);
  pool.wait_for_all_but(1, kLimit);
  EXPECT_EQ(pool.activity().ready, 1u);
  pool.wait_for_all_but(0, nanoseconds_from_ms(5));
  EXPECT_EQ(pool.activity().ready, 1u);
  release();
  pool.wait_for_all_but(0, kLimit);
  EXPECT_EQ(pool.activity().ready, 2u);
}

TEST_F(Pool, CompilesWhatNobodyExpectedWhenItIsTaken) {
  EXPECT_EQ(start(2).take(macros("7"), kLimit).image.value().code, "arch_1 text N=7 MODE=good");
}

// The only process is busy with a compilation that never ends, so all others still wait when the expectation changes.
TEST_F(Pool, DropsWhatIsNoLongerExpected) {
  PooledSource& pool = start(1);
  pool.expect({macros("1", "sleep"), macros("2"), macros("3")}, nanoseconds_from_ms(300));
  wait_until_compiled(1);
  EXPECT_EQ(pool.activity().waiting, 2u);
  pool.expect({macros("3"), macros("4")}, kLimit);
  EXPECT_EQ(pool.activity().waiting, 2u);
  ASSERT_TRUE(pool.take(macros("4"), kLimit).image);  // before 3, because a caller waits for it
  ASSERT_TRUE(pool.take(macros("3"), kLimit).image);
  EXPECT_THAT(compiled(),
              ElementsAre("arch_1 text N=1 MODE=sleep", "arch_1 text N=4 MODE=good", "arch_1 text N=3 MODE=good"));
}

TEST_F(Pool, ForgetsImagesThatAreNoLongerExpected) {
  PooledSource& pool = start(1);
  pool.expect({macros("1"), macros("2")}, kLimit);
  wait_until_idle();
  pool.expect({macros("2")}, kLimit);
  EXPECT_EQ(pool.activity().ready, 1u);
  ASSERT_TRUE(pool.take(macros("1"), kLimit).image);
  EXPECT_THAT(compiled(), SizeIs(3));
}

TEST_F(Pool, CompilesWhatIsExpectedTwiceOnce) {
  PooledSource& pool = start(1);
  pool.expect({macros("1"), macros("2"), macros("1")}, kLimit);
  wait_until_idle();
  EXPECT_THAT(compiled(), ElementsAre("arch_1 text N=1 MODE=good", "arch_1 text N=2 MODE=good"));
  EXPECT_EQ(pool.activity().ready, 2u);
}

// This happens when one device works on 1 while another is given 2.
TEST_F(Pool, CompilesWhatWasTakenOnceWhileItIsExpected) {
  PooledSource& pool = start(1);
  pool.expect({macros("1"), macros("2")}, kLimit);
  ASSERT_TRUE(pool.take(macros("1"), kLimit).image);
  pool.expect({macros("1"), macros("2"), macros("3")}, kLimit);
  wait_until_idle();
  EXPECT_THAT(compiled(), SizeIs(3));
  EXPECT_EQ(pool.activity().ready, 2u);
  ASSERT_TRUE(pool.take(macros("1"), kLimit).image);  // compiled again on request
  EXPECT_THAT(compiled(), SizeIs(4));
}

TEST_F(Pool, CompilesAgainWhatWasTakenWhenItIsRenewed) {
  PooledSource& pool = start(1);
  pool.expect({macros("1"), macros("2")}, kLimit);
  pool.renew(macros("1"));
  pool.renew(macros("3"));
  wait_until_idle();
  ASSERT_TRUE(pool.take(macros("1"), kLimit).image);
  EXPECT_FALSE(pool.is_ready(macros("1")));
  pool.renew(macros("1"));
  pool.renew(macros("2"));
  wait_until_idle();
  EXPECT_TRUE(pool.is_ready(macros("1")));
  EXPECT_THAT(compiled(), SizeIs(3)) << "what is there already, or was not announced, is not compiled";
}

// Each of the two threads waits for an image that the other one's expectation does not name.
TEST_F(Pool, ServesSeveralThreads) {
  PooledSource& pool = start(2);
  std::vector<std::string> codes(2);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < codes.size(); ++t)
    threads.emplace_back([&pool, &code = codes[t], t] {
      for (int i = 0; i < 10; ++i) {
        const std::string n = std::to_string(100 * t + static_cast<std::size_t>(i));
        pool.expect({macros(n)}, kLimit);
        code += pool.take(macros(n), kLimit).image.value().code == "arch_1 text N=" + n + " MODE=good" ? "+" : "-";
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(codes, ElementsAre("++++++++++", "++++++++++"));
}

TEST_F(Pool, ACompilerThatRefusesCrashesOrHangsCostsOneCompilation) {
  PooledSource& pool = start(2);
  const Nanoseconds limit = nanoseconds_from_ms(2000);
  pool.expect({macros("1", "wrong"), macros("2", "crash"), macros("3", "sleep"), macros("4")}, limit);
  const Error wrong = pool.take(macros("1", "wrong"), limit).image.error();
  EXPECT_EQ(wrong.code(), ErrorCode::compile_failed);
  EXPECT_EQ(wrong.message(), "line 1: wrong");
  const Error crash = pool.take(macros("2", "crash"), limit).image.error();
  EXPECT_EQ(crash.code(), ErrorCode::device_lost);
  EXPECT_THAT(crash.message(), HasSubstr("killed by SIGABRT"));
  EXPECT_EQ(pool.take(macros("3", "sleep"), limit).image.error().code(), ErrorCode::timeout);
  EXPECT_TRUE(pool.take(macros("4"), limit).image);
  EXPECT_TRUE(pool.take(macros("5"), kLimit).image);
}

TEST_F(Pool, WhatWasKilledFromOutsideIsTriedAgain) {
  PooledSource& pool = start(1);
  const Error error = pool.take(macros("1", "killed"), kLimit).image.error();
  EXPECT_EQ(error.native_name(), "SIGKILL");
  EXPECT_THAT(compiled(), SizeIs(10));
  pool.expect({macros("2", "sleep")}, kLimit);
  wait_until_compiled(11);
  ASSERT_THAT(children(), SizeIs(1));
  kill(children()[0], SIGKILL);
  wait_until_compiled(12);
}

TEST_F(Pool, TakesFromTheCacheWhatAnEarlierPoolCompiled) {
  const auto folder = std::filesystem::temp_directory_path() / ("wattune-pool-cache-" + std::to_string(getpid()));
  const auto cache = ImageCache::open(folder).value();
  const Compiled first = start(1, cache).take(macros("1"), kLimit);
  EXPECT_FALSE(first.cached);
  EXPECT_FALSE(source_->take(macros("2", "wrong"), kLimit).image);
  const Compiled second = start(1, cache).take(macros("1"), kLimit);
  EXPECT_TRUE(second.cached);
  EXPECT_EQ(*second.image, *first.image);
  EXPECT_EQ(source_->activity().cache_hits, 1u);
  EXPECT_EQ(source_->activity().compiled, 0u);
  EXPECT_FALSE(source_->take(macros("2", "wrong"), kLimit).image);  // failures are not kept
  EXPECT_THAT(compiled(), SizeIs(3));
  std::filesystem::remove_all(folder);
}

TEST_F(Pool, SaysThatItCannotStart) {
  PooledSource& source = start({.processes = 1, .worker = {.executable = "/nowhere/wattune-worker"}});
  EXPECT_EQ(source.take(macros("1"), kLimit).image.error().code(), ErrorCode::unavailable);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // sanitizers end a program that is short of memory
// Returns the bytes of private writable memory of this process.
std::uint64_t private_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t pages = 0;
  for (int i = 0; i < 6; ++i) statm >> pages;
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

// A request of 32 MiB is copied more than twice on its way.
TEST_F(Pool, AnExceptionBecomesTheErrorOfItsJob) {
  constexpr std::uint64_t kRequest = std::uint64_t{32} << 20;
  start(1);
  source_.emplace(add(std::string(kRequest, ' ')));
  rlimit before{};
  getrlimit(RLIMIT_DATA, &before);
  const rlimit scarce{private_bytes() + 2 * kRequest, before.rlim_max};
  setrlimit(RLIMIT_DATA, &scarce);
  const Result<Image> image = source_->take(macros("1"), kLimit).image;
  setrlimit(RLIMIT_DATA, &before);
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().code(), ErrorCode::internal);
  EXPECT_EQ(image.error().message(), "compiling ahead threw std::bad_alloc");
}
#endif

// The only process is busy until all is expected, and then a caller waits for an image that was not expected.
TEST_F(Pool, OneProcessCompilesSeveralSourcesInTurn) {
  PooledSource& text = start(1);
  text.expect({macros("0", "wait")}, kLimit);
  wait_until_compiled(1);
  PooledSource other = add("other");
  text.expect({macros("1"), macros("2")}, kLimit);
  other.expect({macros("1")}, kLimit);
  std::thread waiting([&] { EXPECT_TRUE(other.take(macros("9"), kLimit).image); });
  ASSERT_TRUE(test::wait_until([&] { return other.activity().waiting == 2; }));
  release();
  waiting.join();
  wait_until_idle();
  EXPECT_THAT(compiled(),
              ElementsAre("arch_1 text N=0 MODE=wait", "arch_1 other N=9 MODE=good", "arch_1 text N=1 MODE=good",
                          "arch_1 other N=1 MODE=good", "arch_1 text N=2 MODE=good"));
  EXPECT_THAT(children(), SizeIs(1));
  EXPECT_EQ(other.activity().compiled, 2u);
  EXPECT_EQ(text.activity().compiled, 3u);
}

TEST_F(Pool, ASourceThatIsGoneIsNotCompiledFurther) {
  PooledSource& text = start(1);
  text.expect({macros("0", "wait")}, kLimit);
  wait_until_compiled(1);
  {
    PooledSource other = add("other");
    other.expect({macros("1"), macros("2")}, kLimit);
    const PooledSource moved = std::move(other);
    EXPECT_EQ(moved.activity().waiting, 2u);
  }
  release();
  ASSERT_TRUE(text.take(macros("1"), kLimit).image);
  EXPECT_THAT(compiled(), ElementsAre("arch_1 text N=0 MODE=wait", "arch_1 text N=1 MODE=good"));
}

TEST_F(Pool, GivesWithoutWaitingWhatIsReady) {
  PooledSource& source = start(1);
  EXPECT_FALSE(source.try_take(macros("1")));
  EXPECT_EQ(source.activity().waiting, 0u) << "asking has begun something";
  source.expect({macros("1"), macros("2", "wrong"), macros("3", "wait")}, kLimit);
  wait_until_compiled(3);
  EXPECT_FALSE(source.is_ready(macros("3", "wait")));
  EXPECT_FALSE(source.try_take(macros("3", "wait")));
  EXPECT_TRUE(source.is_ready(macros("1")));
  EXPECT_EQ(source.try_take(macros("1"))->image.value().code, "arch_1 text N=1 MODE=good");
  EXPECT_FALSE(source.is_ready(macros("1"))) << "it was taken";
  EXPECT_EQ(source.try_take(macros("2", "wrong"))->image.error().code(), ErrorCode::compile_failed);
}

// Running compilations are finished, the processes beyond the limit end, and others start when the limit rises.
TEST_F(Pool, ItsProcessesCanBeFewerAndMoreWhileItRuns) {
  PooledSource& source = start(3);
  source.expect({macros("1", "wait"), macros("2", "wait"), macros("3", "wait")}, kLimit);
  wait_until_compiled(3);
  EXPECT_THAT(children(), SizeIs(3));
  pool_->set_processes(1);
  EXPECT_EQ(source.activity().processes, 1u);
  release();
  wait_until_idle();
  ASSERT_TRUE(test::wait_until([] { return children().size() <= 1; }));
  EXPECT_EQ(source.activity().ready, 3u);
  std::filesystem::remove(log_ + ".go");
  source.expect({macros("4", "wait"), macros("5")}, kLimit);
  wait_until_compiled(4);
  EXPECT_EQ(source.activity().waiting, 1u);
  pool_->set_processes(2);
  wait_until_compiled(5);
  release();
}

TEST_F(Pool, WithoutProcessesItCompilesWhatSomebodyWaitsFor) {
  PooledSource& source = start(0);
  source.expect({macros("1"), macros("2")}, kLimit);
  ASSERT_TRUE(source.take(macros("2"), kLimit).image);
  EXPECT_EQ(source.activity().waiting, 1u);
  EXPECT_THAT(compiled(), ElementsAre("arch_1 text N=2 MODE=good"));
}

TEST_F(Pool, LeavesProcessorsToOthers) {
  CompilePoolOptions sparing = options(3);
  sparing.spare_processors = 1'000'000;  // more than there are
  EXPECT_EQ(start(sparing).activity().processes, 1u);
  pool_->set_processes(3);
  EXPECT_EQ(source_->activity().processes, 1u);
}

TEST_F(Pool, ItsProcessesHaveThePriorityThatWasAskedFor) {
  CompilePoolOptions nice = options(1);
  nice.worker.niceness = 7;
  ASSERT_TRUE(start(nice).take(macros("1"), kLimit).image);
  ASSERT_THAT(children(), SizeIs(1));
  EXPECT_EQ(getpriority(PRIO_PROCESS, static_cast<id_t>(children()[0])), getpriority(PRIO_PROCESS, 0) + 7);
}

TEST_F(Pool, WhatSomebodyWaitsForIsNotCompiledNicely) {
  CompilePoolOptions prompt = options(1);
  prompt.worker.niceness = 7;
  prompt.prompt = true;
  ASSERT_TRUE(start(prompt).take(macros("1"), kLimit).image);
  ASSERT_THAT(children(), SizeIs(1));
  EXPECT_EQ(getpriority(PRIO_PROCESS, static_cast<id_t>(children().front())), getpriority(PRIO_PROCESS, 0));
  // The nice process compiles ahead of calls.
  source_->expect({macros("2")}, kLimit);
  wait_until_idle();
  EXPECT_THAT(children(), SizeIs(2));
}

// The only process is busy with a compilation that does not end until the test releases it.
TEST_F(Pool, WhatIsUrgentGoesBeforeWhatOtherSourcesExpect) {
  PooledSource& pool = start(1);
  pool.expect({macros("0", "wait"), macros("1"), macros("2")}, kLimit);
  wait_until_compiled(1);
  pool.expect({macros("3"), macros("0", "wait"), macros("1")}, kLimit, 1);
  PooledSource other = add("other");
  other.expect({macros("4")}, kLimit);
  release();
  wait_until_idle();
  EXPECT_EQ(compiled()[1], "arch_1 text N=3 MODE=good");
}

// There are three empty images, each from a process of its own, unless one process compiles faster than another starts.
TEST_F(Pool, ItsProcessesBeginBeforeTheyAreNeeded) {
  CompilePoolOptions prompt = options(2, ImageCache::open(log_ + ".cache").value());
  prompt.prompt = true;
  for (int i = 0; i < 2; ++i) {
    start(prompt);
    const PooledSource warming =
        pool_->warm_up(CompileTarget{"fake", "arch_1", {}, "fake 1"}, source_of("none"), kLimit);
    ASSERT_TRUE(test::wait_until([&] { return warming.activity().ready >= 3; }));
    EXPECT_EQ(warming.activity().cache_hits, 0u) << "an answer of the cache would start nothing";
  }
  std::filesystem::remove_all(log_ + ".cache");
}

TEST_F(Pool, WhatIsUrgentIsNotCompiledNicely) {
  CompilePoolOptions prompt = options(1);
  prompt.worker.niceness = 7;
  prompt.prompt = true;
  start(prompt).expect({macros("1")}, kLimit, 1);
  wait_until_idle();
  ASSERT_THAT(children(), SizeIs(1));
  EXPECT_EQ(getpriority(PRIO_PROCESS, static_cast<id_t>(children().front())), getpriority(PRIO_PROCESS, 0));
}

// The prompt process compiles an image that never ends, the nice one the image that the other thread waits for.
TEST_F(Pool, SeveralWhoWaitAreServedAtTheSameTime) {
  CompilePoolOptions prompt = options(1);
  prompt.prompt = true;
  PooledSource& pool = start(prompt);
  std::thread first([&] { EXPECT_TRUE(pool.take(macros("1", "wait"), kLimit).image); });
  wait_until_compiled(1);
  EXPECT_TRUE(pool.take(macros("2"), kLimit).image);
  release();
  first.join();
}

// TearDown() looks for processes that are left.
TEST_F(Pool, EndsCompilersThatWork) {
  start(3).expect({macros("1", "sleep"), macros("2", "sleep"), macros("3")}, nanoseconds_from_seconds(3600));
  wait_until_compiled(3);
  EXPECT_EQ(source_->activity().processes, 3u);
}

// A pool whose compiler is a program, which has started another program.
class PoolOfPrograms : public Pool {
 protected:
  void SetUp() override {
    Pool::SetUp();
    std::filesystem::create_directories(folder_);
    setenv("TMPDIR", folder_.c_str(), 1);
  }
  void TearDown() override {
    Pool::TearDown();
    setenv("TMPDIR", outer_.c_str(), 1);
    std::filesystem::remove_all(folder_);
  }

  // Returns the programs of the first compilation, once they run.
  std::vector<pid_t> begin(Nanoseconds limit) {
    start(1).expect({macros("1", "program")}, limit);
    wait_until_compiled(2);
    std::vector<pid_t> programs(2);
    std::istringstream(compiled()[1]) >> programs[0] >> programs[1];
    return programs;
  }

  const std::filesystem::path outer_ = std::filesystem::temp_directory_path();
  const std::filesystem::path folder_ = outer_ / ("wattune-pool-folder-" + std::to_string(getpid()));
};

TEST_F(PoolOfPrograms, EndsThemAndRemovesTheirFilesAtItsEnd) {
  const std::vector<pid_t> programs = begin(kLimit);
  EXPECT_FALSE(std::filesystem::is_empty(folder_));
  end();
  for (const pid_t program : programs) EXPECT_TRUE(ends(program));
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(PoolOfPrograms, EndsThemAtTheirLimit) {
  const std::vector<pid_t> programs = begin(nanoseconds_from_ms(300));
  EXPECT_EQ(source_->take(macros("1", "program"), kLimit).image.error().code(), ErrorCode::timeout);
  for (const pid_t program : programs) EXPECT_TRUE(ends(program));
}

TEST_F(PoolOfPrograms, EndsThemWithTheirProcess) {
  const std::vector<pid_t> programs = begin(kLimit);
  ASSERT_THAT(children(), SizeIs(1));
  kill(children()[0], SIGKILL);
  for (const pid_t program : programs) EXPECT_TRUE(ends(program));
}

// A program that held a worker's socket would hide the worker's end.
TEST(CompilerProgram, InheritsNoDescriptor) {
  const auto folder = TemporaryFolder::create().value();
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const std::string test = "test ! -e /proc/self/fd/" + std::to_string(ends[0]);
  EXPECT_EQ(run_program({"sh", "-c", test}, folder / "log").value(), 0);
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace wattune::backend
