#include "lab/emulation/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace wattune::emulation {
namespace {

using power::Recording;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kTable =
    "time_ms,nvml.power.instant [W],nvml.energy.counter [J],gpu [C]\n"
    "0,100,10,40\n"
    "50,100,10,\n"
    "100,200,12,41\n"
    "150,,12,41\n";

class ReplayTest : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(file); }
  Result<Recording> load(const std::string& table) const {
    std::ofstream(file) << table;
    return load_recording(file);
  }

  const std::filesystem::path file =
      std::filesystem::path(::testing::TempDir()) / ("replay" + std::to_string(getpid()) + ".csv");
};

TEST_F(ReplayTest, OfATableKeepsTheChanges) {
  const Recording recording = load(kTable).value();
  ASSERT_EQ(recording.power.size(), 1u);
  EXPECT_EQ(recording.power[0].sensor.name, "nvml.power.instant");
  const std::vector<power::Change<Watts>>& changes = recording.power[0].changes;
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(to_ms(changes[1].since), 50);
  EXPECT_EQ(to_ms(changes[1].at), 100);
  EXPECT_EQ(changes[1].value, Watts(200));
  EXPECT_EQ(recording.energy[0].sensor.traits.response, power::Response::counter);
  EXPECT_EQ(to_ms(recording.end), 150);
}

TEST_F(ReplayTest, OfATableWithAByteOrderMarkAndCarriageReturnsIsTheSame) {
  std::string table = "\xEF\xBB\xBF";
  for (const char* c = kTable; *c != '\0'; ++c) table += *c == '\n' ? "\r\n" : std::string(1, *c);
  const auto recording = load(table + "\r\n");
  ASSERT_TRUE(recording) << recording.error().to_string();
  EXPECT_EQ(recording->power.size(), 1u);
  EXPECT_EQ(to_ms(recording->end), 150);
}

TEST_F(ReplayTest, ShowsWhatStoodAtItsTime) {
  const Replay played = replay(load(kTable).value());
  EXPECT_EQ(played.board.power[0]->read()->value, Watts(100));
  played.recorder->wait(nanoseconds_from_ms(120));
  EXPECT_EQ(played.board.power[0]->read()->value, Watts(200));
  EXPECT_EQ(played.board.power[0]->read()->at, nanoseconds_from_ms(120));
}

TEST_F(ReplayTest, RecordsThePartInWhichItWasStarted) {
  const Replay played = replay(load(kTable).value());
  played.recorder->wait(nanoseconds_from_ms(60));
  ASSERT_TRUE(played.recorder->start());
  played.recorder->wait(nanoseconds_from_ms(60));
  const Recording part = played.recorder->stop().value();
  ASSERT_EQ(part.energy[0].changes.size(), 2u);
  EXPECT_EQ(part.energy[0].changes[0].at, nanoseconds_from_ms(60));
  EXPECT_EQ(part.energy[0].changes[0].value, Joules(10));
  EXPECT_EQ(part.energy[0].changes[1].value, Joules(12));
  EXPECT_TRUE(part.failures.empty());
}

// A caller that waits for a change must not wait for ever if the recording has no such change.
TEST_F(ReplayTest, FailsBehindTheEnd) {
  const Replay played = replay(load(kTable).value());
  ASSERT_TRUE(played.recorder->start());
  played.recorder->wait(nanoseconds_from_ms(200));
  EXPECT_THAT(played.board.power[0]->read().error().to_string(), HasSubstr("has ended"));
  EXPECT_THAT(played.recorder->stop()->failures, ElementsAre(HasSubstr("has ended")));
}

TEST_F(ReplayTest, OfABadTableSaysWhereAndWhat) {
  const auto refused = [&](const std::string& table) { return load(table).error().to_string(); };
  EXPECT_THAT(refused("t,a [W]\n"), HasSubstr(":1: the first column must be `time_ms`"));
  EXPECT_THAT(refused("time_ms,a\n"), HasSubstr(":1: a column is named `SENSOR [UNIT]`: `a`"));
  EXPECT_THAT(refused("time_ms,a [X]\n"), HasSubstr(":1: the unit is W, J, C or V: `a [X]`"));
  EXPECT_THAT(refused("time_ms,a [W]\n0,x\n"), HasSubstr(":2: this is no number: `x`"));
  EXPECT_THAT(refused("time_ms,a [W]\n5,1\n4,1\n"), HasSubstr(":3: time goes back: `4`"));
  EXPECT_THAT(refused("time_ms,a [W]\n5,1,2\n"), HasSubstr(":2: 3 cells for 2 columns"));
  EXPECT_EQ(load_recording("none.csv").error().code(), ErrorCode::not_found);
}

}  // namespace
}  // namespace wattune::emulation
