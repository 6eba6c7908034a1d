#include "wattune/core/log.h"

#include <gmock/gmock.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/logging.h"

namespace wattune {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Pair;

class Log : public testing::Test {
 protected:
  Log() {
    set_log_sink([this](LogLevel level, std::string_view text) { lines_.emplace_back(level, text); });
  }
  ~Log() override {
    set_log_level(LogLevel::off);
    set_log_sink({});
  }

  std::vector<std::pair<LogLevel, std::string>> lines_;
};

TEST_F(Log, IsOffUntilALevelIsSet) {
  log_warning("nobody asked");
  EXPECT_THAT(lines_, IsEmpty());
}

TEST_F(Log, HoldsWhatTheLevelLetsThrough) {
  set_log_level(LogLevel::info);
  log_debug("details");
  log_info("worker {} took {:.1f} s", 7, 1.25);
  log_warning("odd");
  EXPECT_THAT(lines_, ElementsAre(Pair(LogLevel::info, "worker 7 took 1.2 s"), Pair(LogLevel::warn, "odd")));
}

// Names of files and kernels may come from anywhere.
TEST_F(Log, TakesControlCharactersOut) {
  set_log_level(LogLevel::info);
  log_info("{}", "a\x1b[31m\nb");
  ASSERT_EQ(lines_.size(), 1u);
  EXPECT_THAT(lines_[0].second, MatchesRegex("a[^\x1b\n]*b"));
}

TEST_F(Log, SaysNothingWithoutASink) {
  set_log_level(LogLevel::trace);
  set_log_sink({});
  log_info("unheard");
  EXPECT_THAT(lines_, IsEmpty());
}

TEST_F(Log, ReachesTheSinkFromOneThreadAtATime) {
  set_log_level(LogLevel::info);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 250; ++i) log_info("{}", i);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(lines_.size(), 1000u);
}

TEST_F(Log, OnStandardErrorHasTimeAndLevel) {
  set_log_level(LogLevel::debug);
  testing::internal::CaptureStderr();
  log_to_standard_error();
  log_debug("worker {}", 7);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), MatchesRegex("\\[..:..:..\\....\\] \\[debug\\] worker 7\n"));
}

TEST(LogLevel, HasANameThatIsReadBack) {
  for (const LogLevel level :
       {LogLevel::trace, LogLevel::debug, LogLevel::info, LogLevel::warn, LogLevel::error, LogLevel::off})
    EXPECT_EQ(parse_log_level(to_string(level)), level);
  EXPECT_EQ(parse_log_level("loud"), std::nullopt);
}

}  // namespace
}  // namespace wattune
