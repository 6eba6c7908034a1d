#include "cli/tune/progress.h"

#include <gtest/gtest.h>

#include "wattune/core/log.h"

namespace wattune::cli {
namespace {

Trial trial(ConfigurationId id, std::optional<double> objective) {
  Trial result;
  result.configuration = Configuration(id, std::make_shared<const std::vector<std::string>>(), {});
  if (objective) {
    result.observation.statistics = Statistics{.median = Nanoseconds(*objective)};
  } else {
    result.observation.status = Status::runtime;
  }
  return result;
}

class Progress : public testing::Test {
 protected:
  // Returns a display for 100 configurations in the space, a stop after 40, and the default with id 7.
  ProgressDisplay display(bool live, std::size_t width = 80, const std::vector<Trial>& recovered = {}) {
    return ProgressDisplay({.live = live,
                            .width = [width] { return width; },
                            .write = [this](std::string_view bytes) { written_ += bytes; },
                            .stop = {.evaluations = 40},
                            .default_id = 7},
                           recovered);
  }

  search::Progress after(std::uint64_t evaluations, double seconds, std::optional<double> best) {
    return {.evaluations = evaluations,
            .since_improvement = 0,
            .elapsed = nanoseconds_from_seconds(seconds),
            .space_size = 100,
            .best_objective = best};
  }

  std::string written_;
};

// 1 evaluation in 2 s leaves 39 of 40, which take 78 s.
TEST_F(Progress, SaysCountBestSpeedUpTimeLeftAndRate) {
  ProgressDisplay shown = display(false);
  const Trial first = trial(7, 2e6);
  shown.on_start(after(0, 0, {}), 0);
  shown.on_trial({first, after(1, 2, 2e6), &first, true});
  EXPECT_EQ(written_, "1/40  best 2 ms (1.00x)  1:18 left  0.50/s\n");
}

TEST_F(Progress, TheLogHasALineForEachConfiguration) {
  set_log_sink([this](LogLevel, std::string_view text) { written_ += std::string(text) + "\n"; });
  set_log_level(LogLevel::info);
  ProgressDisplay shown = display(false);
  Trial first = trial(7, 2e6);
  first.configuration =
      Configuration(7, std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"x"}), {32});
  shown.on_trial({first, after(1, 2, 2e6), &first, true});
  shown.on_trial({trial(8, {}), after(2, 4, 2e6), &first, false});
  set_log_level(LogLevel::off);
  set_log_sink({});
  EXPECT_EQ(written_,
            "correct            2 ms * x=32\n"
            "1/40  best 2 ms (1.00x)  1:18 left  0.50/s\n"
            "runtime               -   no parameters\n");
}

// The device is busy for 1.5 s of 2 s; 3 configurations wait and 2 compile; 1 of 4 images was in the cache.
TEST_F(Progress, SaysHowBusyTheDeviceIsAndWhatCompiles) {
  ProgressDisplay shown = display(false);
  const Trial first = trial(7, 2e6);
  tune::Pipeline pipeline{.devices_busy = {nanoseconds_from_seconds(1.5)}, .compiling = {}};
  shown.on_trial({first, after(1, 2, 2e6), &first, true, pipeline});
  EXPECT_EQ(written_, "1/40  best 2 ms (1.00x)  1:18 left  0.50/s  device 75 % busy\n");
  pipeline.compiling = backend::CompileActivity{.waiting = 3, .running = 2, .compiled = 3, .cache_hits = 1};
  written_.clear();
  shown.on_trial({first, after(1, 2, 2e6), &first, true, pipeline});
  EXPECT_EQ(written_, "1/40  best 2 ms (1.00x)  1:18 left  0.50/s  device 75 % busy  5 compiling  25 % cached\n");
}

TEST_F(Progress, SaysHowBusyEachOfSeveralDevicesIsAndWhichIsLost) {
  ProgressDisplay shown = display(false);
  const Trial first = trial(7, 2e6);
  const tune::Pipeline pipeline{.devices_busy = {nanoseconds_from_seconds(1.5), nanoseconds_from_seconds(1)},
                                .compiling = {}};
  shown.on_trial({first, after(1, 2, 2e6), &first, true, pipeline});
  EXPECT_EQ(written_, "1/40  best 2 ms (1.00x)  1:18 left  0.50/s  devices 75 50 % busy\n");
  written_.clear();
  shown.on_device_lost("cuda:1", Error(ErrorCode::device_lost, "it is gone"));
  EXPECT_EQ(written_, "cuda:1 was lost, the others go on: it is gone\n");
}

TEST_F(Progress, SaysThatTheFinalRuns) {
  display(false).on_final(3);
  EXPECT_EQ(written_, "final: 3 configurations run in turns\n");
  written_.clear();
  display(false).on_final(1);
  EXPECT_EQ(written_, "final: the earlier best runs once more\n");
  written_.clear();
  display(true).on_final(3);
  EXPECT_EQ(written_, "\r\x1b[Kfinal: 3 configurations run in turns");
}

TEST_F(Progress, WritesALineForEachImprovementToALog) {
  ProgressDisplay shown = display(false);
  const Trial first = trial(7, 2e6);
  const Trial failed = trial(8, {});
  const Trial better = trial(9, 1e6);
  shown.on_trial({first, after(1, 1, 2e6), &first, true});
  written_.clear();
  shown.on_trial({failed, after(2, 2, 2e6), &first, false});
  EXPECT_EQ(written_, "");
  shown.on_trial({better, after(3, 3, 1e6), &better, true});
  EXPECT_EQ(written_, "3/40  best 1 ms (2.00x)  1 failed  37 s left  1.00/s\n");
}

TEST_F(Progress, CountsResumedTrialsButNotTheirTime) {
  ProgressDisplay shown = display(false, 80, {trial(7, 4e6), trial(8, {})});
  shown.on_start(after(2, 0, 4e6), 2);
  EXPECT_EQ(written_, "2/40  best 4 ms (1.00x)  1 failed\n");
  written_.clear();
  const Trial better = trial(9, 1e6);
  shown.on_trial({better, after(3, 1, 1e6), &better, true});
  EXPECT_EQ(written_, "3/40  best 1 ms (4.00x)  1 failed  37 s left  1.00/s\n");
}

TEST_F(Progress, RedrawsOneLineThatFitsTheTerminal) {
  ProgressDisplay shown = display(true, 28);
  const Trial first = trial(7, 2e6);
  shown.on_trial({first, after(1, 2, 2e6), &first, true});
  EXPECT_EQ(written_, "\r\x1b[K1/40  best 2 ms (1.00x)");
  shown.finish();
  EXPECT_TRUE(written_.ends_with("\r\x1b[K"));
}

}  // namespace
}  // namespace wattune::cli
