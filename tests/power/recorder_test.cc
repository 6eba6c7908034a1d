// The recorder's threads, on sensors that a test makes.
#include "wattune/power/recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>

#include "power/asked_sensor.h"
#include "wait.h"
#include "wattune/power/board.h"

namespace wattune::inline v0_1::power {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr SensorTraits kQuick{.response = Response::boxcar, .period = nanoseconds_from_ms(8)};

template <typename T>
std::unique_ptr<Sensor<T>> sensor(const std::string& name, std::function<Result<T>()> ask) {
  return std::make_unique<AskedSensor<T>>(SensorInfo{.name = name, .traits = kQuick}, std::move(ask));
}

// Waits until it was asked so often.
void wait_for(const std::atomic<int>& asked, int times) {
  EXPECT_TRUE(wattune::test::wait_until([&] { return asked >= times; }));
}

class RecorderTest : public ::testing::Test {
 protected:
  // Adds a counter that rises by a joule at every fourth question.
  void add_counter() {
    board.energy.push_back(sensor<Joules>("energy", [this]() -> Result<Joules> { return Joules(asked++ / 4); }));
  }
  Recording record(int questions) {
    EXPECT_TRUE(recorder->start());
    wait_for(asked, questions);
    return recorder->stop().value();
  }

  std::atomic<int> asked = 0;
  Board board{.pci_bus_id = "0000:3B:00.0"};
  const std::unique_ptr<Recorder> recorder = make_recorder(board);
};

TEST_F(RecorderTest, KeepsTheFirstReadingAndTheChanges) {
  add_counter();
  const Recording recording = record(12);
  ASSERT_EQ(recording.energy.size(), 1u);
  const std::vector<Change<Joules>>& changes = recording.energy[0].changes;
  ASSERT_GE(changes.size(), 3u);
  EXPECT_EQ(changes[0].since, changes[0].at);
  for (std::size_t i = 1; i < changes.size(); ++i) {
    EXPECT_EQ(changes[i].value, changes[i - 1].value + Joules(1));
    EXPECT_LT(changes[i].since, changes[i].at);
    // Three questions with the same answer lie between two changes.
    EXPECT_LT(changes[i - 1].at, changes[i].since);
  }
  EXPECT_LE(recording.begin, changes.front().at);
  EXPECT_GE(recording.end, changes.back().at);
}

TEST_F(RecorderTest, ASensorThatFailsIsALineAndTheOthersGoOn) {
  add_counter();
  std::atomic<int> reads = 0;
  board.power.push_back(sensor<Watts>("power", [&]() -> Result<Watts> {
    if (reads++ < 2) return Watts(100);
    return Error(ErrorCode::device_lost, "NVML: the device is lost");
  }));
  ASSERT_TRUE(recorder->start());
  wait_for(reads, 3);
  wait_for(asked, asked + 4);
  const Recording recording = recorder->stop().value();
  EXPECT_EQ(reads, 3);
  EXPECT_THAT(recording.failures, ElementsAre("power: NVML: the device is lost"));
  EXPECT_EQ(recording.power.at(0).changes.size(), 1u);
  EXPECT_GE(recording.energy.at(0).changes.size(), 2u);
}

TEST_F(RecorderTest, DoesNotStartWhereNothingAnswers) {
  EXPECT_THAT(recorder->start().error().to_string(), HasSubstr("tells anything: it has none"));
  board.power.push_back(
      sensor<Watts>("power", []() -> Result<Watts> { return Error(ErrorCode::unavailable, "not permitted"); }));
  const Result<void> started = recorder->start();
  EXPECT_EQ(started.error().code(), ErrorCode::unavailable);
  EXPECT_THAT(started.error().to_string(), HasSubstr("power: not permitted"));
}

// Both show in the changes, which a measurement checks.
TEST_F(RecorderTest, ShowsACounterThatIsStuckAndOneThatIsReset) {
  std::atomic<int> reads = 0;
  board.energy.push_back(sensor<Joules>("stuck", [&]() -> Result<Joules> { return ++asked, Joules(7); }));
  board.energy.push_back(sensor<Joules>("reset", [&]() -> Result<Joules> { return Joules(reads++ < 2 ? 900 : 1); }));
  ASSERT_TRUE(recorder->start());
  wait_for(reads, 4);
  wait_for(asked, 4);
  const Recording recording = recorder->stop().value();
  EXPECT_EQ(recording.energy.at(0).changes.size(), 1u);
  ASSERT_EQ(recording.energy.at(1).changes.size(), 2u);
  EXPECT_LT(recording.energy[1].changes[1].value, recording.energy[1].changes[0].value);
}

TEST_F(RecorderTest, TellsWhatItHasWhileItGoesOn) {
  add_counter();
  ASSERT_TRUE(recorder->start());
  wait_for(asked, 6);
  const std::size_t early = recorder->so_far()->energy.at(0).changes.size();
  wait_for(asked, asked + 8);
  EXPECT_GT(recorder->stop()->energy.at(0).changes.size(), early);
}

TEST_F(RecorderTest, StartsAnewAfterItStopped) {
  add_counter();
  const Recording first = record(4);
  const Recording second = record(asked + 4);
  EXPECT_GE(second.energy.at(0).changes.front().at, first.end);
}

class Clocks : public backend::Sensors {
 public:
  Result<backend::SensorReadings> read() override {
    return backend::SensorReadings{.conditions = {Megahertz(1410), false}};
  }
};

TEST_F(RecorderTest, KeepsTheConditionsInTheOrderOfTime) {
  board.conditions = std::make_unique<Clocks>();
  ASSERT_TRUE(recorder->start());
  ASSERT_TRUE(wattune::test::wait_until([this] { return recorder->so_far()->conditions.size() >= 3; }));
  const Recording recording = recorder->stop().value();
  EXPECT_TRUE(std::ranges::is_sorted(recording.conditions, {}, &Reading<backend::Conditions>::at));
  EXPECT_EQ(recording.conditions[1].value, (backend::Conditions{Megahertz(1410), false}));
}

}  // namespace
}  // namespace wattune::power
