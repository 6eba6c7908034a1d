// Several keys that take turns in the screening process.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "dynamic/screening_support.h"
#include "programs.h"
#include "wait.h"

namespace wattune::inline v0_1::dynamic {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

using SeveralKeys = ScreeningTest;

// The first key will be called for long and little is known of it yet. The other was called for a second.
TEST_F(SeveralKeys, TheKeyWhoseNextStepIsWorthMoreComesFirst) {
  std::atomic<bool> both = false;
  std::atomic<std::size_t> brought = 0;
  kernel = [&](const wattune::fakes::FakeLaunch& launch) {
    EXPECT_TRUE(test::wait_until([&] { return both.load(); }));
    brought = last_device->counters().bytes_written;
    return run(launch);
  };
  const auto called = explore();
  called->note_calls(nanoseconds_from_seconds(1));
  const auto expected = explore();
  expected->expect_calls(nanoseconds_from_seconds(1000));
  both = true;
  wait_for(*expected);
  called->note_calls(nanoseconds_from_seconds(1e6));
  wait_for(*called);
  ASSERT_THAT(found, SizeIs(3));
  EXPECT_THAT(found[0], HasSubstr(", so far")) << "of the one that was called, which made room";
  EXPECT_EQ(expected->explored(), 30u);
  EXPECT_EQ(called->explored(), 30u);
  EXPECT_EQ(brought, 2 * 64 * sizeof(float)) << "what was set up for the first key was kept while the other ran";
}

// When a kernel of the other key ends their process, the data of the first key are lost.
TEST_F(SeveralKeys, AProcessThatCrashesCostsOtherKeysTheirDataOnly) {
  std::atomic<bool> both = false;
  std::atomic<const Explorer*> other = nullptr;
  std::atomic<int> crashes = 0;
  kernel = [&](const wattune::fakes::FakeLaunch& launch) -> Result<Nanoseconds> {
    EXPECT_TRUE(test::wait_until([&] { return both.load(); }));
    if (launch.macro("mode") == 9 && other.load()->explored() < 30) {
      ++crashes;
      return wattune::fakes::crash("SIGSEGV");
    }
    return run(launch);
  };
  const auto called = explore();
  called->note_calls(nanoseconds_from_seconds(1));
  const auto expected = explore();
  other = expected.get();
  expected->expect_calls(nanoseconds_from_seconds(1000));
  both = true;
  wait_for(*expected);
  called->note_calls(nanoseconds_from_seconds(1e6));
  EXPECT_THAT(names(wait_for(*called)), ElementsAre("block=64, mode=7"));
  EXPECT_GT(crashes, 0);
  EXPECT_EQ(called->failed(), 0u);
  EXPECT_EQ(called->explored(), 30u);
}

// The key continues where it was when it is called again.
TEST_F(SeveralKeys, AKeyThatIsNotCalledAnyMoreMakesRoomForOthers) {
  std::atomic<double> now = 1e15;
  std::atomic<int> calls = 0;
  std::atomic<bool> over = false;
  options.now = [&] { return Nanoseconds(now.load()); };
  // Each launch lasts until the next call. Otherwise the first key might be searched before the other is called at all.
  kernel = [&](const wattune::fakes::FakeLaunch& launch) {
    const int before = calls;
    EXPECT_TRUE(test::wait_until([&] { return calls != before || over; }));
    now = now + 10e6;
    return run(launch);
  };
  const auto left = explore();
  const auto called = explore();
  EXPECT_TRUE(test::wait_until([&] {
    static_cast<void>(called->wanted());
    ++calls;
    if (const auto wanted = called->wanted(); !wanted.empty() && called->state().starts_with("trying"))
      called->tell(wanted[0].configuration, {});
    return called->over();
  }));
  EXPECT_THAT(left->state(), HasSubstr("screening, "));
  EXPECT_LT(left->explored(), 30u);
  over = true;
  wait_for(*left);
  EXPECT_THAT(found.front(), HasSubstr(", so far"));
  EXPECT_EQ(left->explored(), 30u);
  EXPECT_THAT(left->state(), HasSubstr("trying 1 of 30"));
}

// Two processes that compile. Code with MODE=wait is compiled once the test allows it.
class WaitingCompilers {
 public:
  WaitingCompilers() {
    setenv("WATTUNE_FAKE_COMPILER_LOG", log_.c_str(), 1);
    backend::WorkerOptions worker;
    worker.executable = test::program("wattune-fake-worker");
    pool.emplace(backend::CompilePoolOptions{.processes = 2, .worker = worker});
  }
  WaitingCompilers(const WaitingCompilers&) = delete;
  WaitingCompilers& operator=(const WaitingCompilers&) = delete;
  ~WaitingCompilers() {
    pool.reset();
    unsetenv("WATTUNE_FAKE_COMPILER_LOG");
    std::filesystem::remove(log_);
    std::filesystem::remove(log_ + ".go");
  }
  void go() const { std::ofstream(log_ + ".go") << "go"; }

  std::optional<backend::CompilePool> pool;

 private:
  const std::string log_ =
      (std::filesystem::temp_directory_path() / fmt::format("wattune-screening-test-{}", getpid())).string();
};

// Keys of one kernel whose compilers wait or do not. The clock runs, and may be put forward.
struct KeysThatCompile : ScreeningTest {
  KeysThatCompile() {
    options.pool = &*compilers.pool;
    options.now = [this] {
      const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - began;
      return nanoseconds_from_seconds(1e6 + ahead) + Nanoseconds(elapsed.count());
    };
    spec.parameters.push_back({"MODE", {}, {}, {}});
  }
  ~KeysThatCompile() override { screening.reset(); }

  std::unique_ptr<Explorer> explore_with(const char* mode) {
    spec.parameters.back().values = {mode};
    return explore();
  }
  static void wait_until_begun(const Explorer& explorer) {
    EXPECT_TRUE(test::wait_until([&] { return explorer.state().starts_with("screening, "); }));
  }

  WaitingCompilers compilers;
  const std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
  std::atomic<double> ahead = 0.0;  // seconds
};

TEST_F(KeysThatCompile, WhileOneWaitsForACompilerOthersGoOn) {
  const auto waiting = explore_with("wait");
  wait_until_begun(*waiting);
  const auto other = explore_with("good");
  EXPECT_THAT(wait_for(*other), SizeIs(1));
  EXPECT_EQ(waiting->explored(), 0u);
  compilers.go();
  EXPECT_THAT(wait_for(*waiting), SizeIs(1));
}

// The second configuration waits for its compiler; the third is screened meanwhile.
TEST_F(KeysThatCompile, WhatIsCompiledFirstIsScreenedFirst) {
  options.compile_ahead = 4;
  spec.parameters.back().values = {"good", "wait"};
  const auto explorer = explore();
  EXPECT_TRUE(test::wait_until([&] { return explorer->explored() >= 2; }));
  compilers.go();
  wait_for(*explorer);
  EXPECT_EQ(explorer->explored(), 60u);
}

// One key is not called any more, the other does not pay. They must not yield to each other for ever.
TEST_F(KeysThatCompile, WhatIsNotCalledGoesOnWhereNothingElseIsWorthRunning) {
  const auto poor = explore_with("good");
  poor->note_calls(Nanoseconds());
  wait_until_begun(*poor);
  const auto not_called = explore_with("wait");
  not_called->note_calls(nanoseconds_from_seconds(1000));
  wait_until_begun(*not_called);
  ahead = 1.0;
  compilers.go();
  EXPECT_TRUE(test::wait_until([&] {
    poor->wanted();  // the key is called
    return not_called->explored() >= 30;
  }));
  EXPECT_LT(poor->explored(), 30u);
}

}  // namespace
}  // namespace wattune::dynamic
