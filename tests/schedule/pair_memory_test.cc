#include "schedule/forecast/pair_memory.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "folder_test.h"
#include "store/interface/sealed_file.h"

namespace wattune::inline v0_1::schedule {
namespace {

constexpr unsigned kSms = 132;

class PairMemoryTest : public test::FolderTest {
 protected:
  std::filesystem::path file() const { return path("cache") / "pairs.jsonl"; }
  void remember(const std::vector<PairForecast>& ways) const {
    PairMemory memory(file());
    memory.note(fma_, copy_, kSms, ways);
    const auto saved = memory.save();
    ASSERT_TRUE(saved) << saved.error().to_string();
  }
  std::vector<PairForecast> known(const Identity& first, const Identity& second) const {
    const auto best = PairMemory(file()).find(first, second, kSms);
    if (!best) return {};
    std::vector<PairForecast> ways = {*best};
    ways.insert(ways.end(), best->others.begin(), best->others.end());
    return ways;
  }

  const Identity fma_ = {{"source", "fma"}, {"device", "NVIDIA H200"}};
  const Identity copy_ = {{"source", "copy"}, {"device", "NVIDIA H200"}};
  const PairForecast split_ = {.sms_of_first = 96, .whole = true, .rates = {0.73, 0.83}, .measured = 3};
};

TEST_F(PairMemoryTest, OutlivesTheSessionInEitherOrder) {
  remember({split_, {.ratio = {2, 6}, .rates = {0.5, 0.6}, .measured = 1}});
  const auto ways = known(fma_, copy_);
  ASSERT_EQ(ways.size(), 2U);
  EXPECT_EQ(ways[0].shape(), split_.shape());
  EXPECT_EQ(ways[0].rates, split_.rates);
  EXPECT_EQ(ways[0].measured, 3U);
  const auto turned = known(copy_, fma_);
  ASSERT_EQ(turned.size(), 2U);
  EXPECT_EQ(turned[0].sms_of_first, 36U);
  EXPECT_EQ(turned[0].rates[0], 0.83);
  EXPECT_EQ(turned[1].ratio.first, 6U);
}

TEST_F(PairMemoryTest, KeepsStreamsAndTheProvenWay) {
  const PairForecast streams{.whole = true, .rates = {0.6, 0.6}, .measured = 2};
  PairForecast priority{.whole = true, .urgent = 0, .rates = {0.9, 0.5}, .measured = 2};
  priority.proven = ProvenWay{.shape = priority.shape(), .works = {3, 1}, .speedup = 1.4};
  remember({priority, streams, split_});
  const auto ways = known(fma_, copy_);
  ASSERT_EQ(ways.size(), 3U);
  EXPECT_EQ(ways[0].shape(), split_.shape());
  EXPECT_EQ(ways[0].proven, priority.proven);
  const auto turned = known(copy_, fma_);
  EXPECT_EQ(turned[0].proven, (ProvenWay{{.whole = true, .urgent = 1}, {1, 3}, 1.4}));
  remember({streams});
  EXPECT_FALSE(known(fma_, copy_)[0].proven);
}

TEST_F(PairMemoryTest, KeepsManyStreamsApartFromTwo) {
  PairForecast many{.whole = true, .many_streams = true, .rates = {0.9, 0.8}, .measured = 40};
  many.proven = ProvenWay{.shape = many.shape(), .works = {3, 1}, .speedup = 1.7};
  const PairForecast two{.whole = true, .rates = {0.6, 0.6}, .measured = 2};
  remember({many, two});
  const auto ways = known(fma_, copy_);
  ASSERT_EQ(ways.size(), 2U);
  EXPECT_EQ(ways[0].shape(), many.shape());
  EXPECT_EQ(ways[0].rates, many.rates);
  EXPECT_EQ(ways[0].proven, many.proven);
  EXPECT_EQ(ways[1].shape(), two.shape());
}

// Lines of older versions have neither streams nor a proven way.
TEST_F(PairMemoryTest, ReadsFilesOfOlderVersions) {
  remember({split_});
  const std::string text = test::contents_of(file());
  EXPECT_EQ(text.find("streams"), std::string::npos);
  EXPECT_EQ(text.find("proven"), std::string::npos);
  EXPECT_EQ(known(fma_, copy_).size(), 1U);
}

// A writer was killed in the middle of the second line.
TEST_F(PairMemoryTest, ReadsWhatIsWholeOfAFileThatIsHalfWritten) {
  remember({split_});
  const std::string text = test::contents_of(file());
  test::write_contents(file(), text + text.substr(0, text.size() / 2));
  EXPECT_EQ(known(fma_, copy_).size(), 1U);
}

TEST_F(PairMemoryTest, KnowsNothingOfAnotherDriverOrClock) {
  remember({split_});
  for (const char* const part : {"driver", "clock"}) {
    Identity other = copy_;
    other.emplace(part, "another");
    EXPECT_TRUE(known(fma_, other).empty()) << part;
  }
}

TEST_F(PairMemoryTest, KnowsNothingOfAnotherDevice) {
  remember({split_});
  EXPECT_TRUE(known(fma_, {{"source", "copy"}, {"device", "NVIDIA H100"}}).empty());
}

// A forecast is no measurement. A way at set clocks is another one at the board's own.
TEST_F(PairMemoryTest, KeepsOnlyWhatWasMeasuredAtTheBoardsOwnClocks) {
  PairForecast at_clocks = split_;
  at_clocks.clocks = backend::BoardSetting{};
  remember({{.ratio = {2, 6}, .rates = {0.5, 0.6}}, at_clocks});
  EXPECT_FALSE(std::filesystem::exists(file()));
}

// The second session has read nothing of what the first one wrote meanwhile.
TEST_F(PairMemoryTest, AddsToWhatOthersHaveWritten) {
  PairMemory first(file());
  PairMemory second(file());
  first.note(fma_, copy_, kSms, {split_});
  second.note(fma_, copy_, kSms, {{.ratio = {2, 6}, .rates = {0.5, 0.6}, .measured = 1}});
  ASSERT_TRUE(first.save());
  ASSERT_TRUE(second.save());
  EXPECT_EQ(known(fma_, copy_).size(), 2U);
}

TEST_F(PairMemoryTest, ReplacesWhatWasKnownOfAWay) {
  remember({split_});
  PairForecast again = split_;
  again.rates = {0.7, 0.8};
  remember({again});
  const auto ways = known(fma_, copy_);
  ASSERT_EQ(ways.size(), 1U);
  EXPECT_EQ(ways[0].rates, again.rates);
}

TEST_F(PairMemoryTest, DoesWithoutDamagedLines) {
  remember({split_});
  std::string text = test::contents_of(file());
  text[text.find("96")] = '8';
  test::write_contents(file(), text);
  EXPECT_TRUE(known(fma_, copy_).empty());
  remember({split_});
  EXPECT_EQ(known(fma_, copy_).size(), 1U);
}

TEST_F(PairMemoryTest, LeavesAFileOfANewerVersionAsItIs) {
  remember({split_});
  const std::string newer = store::sealed_record({.what = "file of pairs", .member = "wattune_pair", .version = 2},
                                                 {{"kernels", store::Json::array()}});
  test::write_contents(file(), newer);
  PairMemory memory(file());
  memory.note(fma_, copy_, kSms, {split_});
  EXPECT_FALSE(memory.save());
  EXPECT_EQ(test::contents_of(file()), newer);
}

}  // namespace
}  // namespace wattune::schedule
