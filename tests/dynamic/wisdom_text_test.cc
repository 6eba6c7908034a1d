#include <gtest/gtest.h>

#include "checksums.h"
#include "dynamic/wisdom_support.h"
#include "hostile.h"
#include "source_dir.h"
#include "wattune/dynamic/wisdom.h"

namespace wattune::inline v0_1::dynamic {
namespace {

WisdomEntry full_entry() {
  WisdomEntry entry =
      entry_of({{"rows", 1024}, {"scale", 2.0}, {"fused", true}, {"layout", "row \"major\""}}, 16, 100.5);
  entry.measured = Measured::screened;
  entry.tuned = false;
  return entry;
}

// The text equals the example of docs/formats/wisdom.md, byte by byte.
TEST(WisdomText, IsALineForEachEntry) {
  EXPECT_EQ(write_wisdom({entry_of({{"m", 16}, {"layout", "row"}}, 32, 1500)}),
            with_checksums("{\"wattune_wisdom\":1,\"kernel\":\"gemm\",\"version\":\"00112233445566778899aabbccddeeff\","
                           "\"device\":\"A GPU\",\"architecture\":\"sm_90\",\"key\":{\"m\":16,\"layout\":\"row\"},"
                           "\"configuration\":{\"block\":32,\"mode\":\"fast\"},\"time\":1500.0,"
                           "\"interval\":[1499.0,1501.0],\"samples\":7,\"measured\":\"offline\","
                           "\"tuned\":true,\"measured_at\":\"2026-01-31T00:00:00.000000000Z\",\"wattune_version\":\"0."
                           "1.0\",\"xxh3\":\"\"}\n"));
}

TEST(WisdomText, ReadsBackAsItWasWritten) {
  const WisdomEntry entry = full_entry();
  const WisdomText text = parse_wisdom(write_wisdom({entry})).value();
  EXPECT_TRUE(text.problems.empty());
  ASSERT_EQ(text.entries.size(), 1u);
  const WisdomEntry& read = text.entries[0];
  EXPECT_EQ(read.kernel, entry.kernel);
  EXPECT_EQ(read.device, entry.device);
  EXPECT_EQ(read.architecture, entry.architecture);
  EXPECT_EQ(to_string(read.key), to_string(entry.key));
  EXPECT_EQ(read.key[1].value.kind(), Value::Kind::real);
  EXPECT_EQ(read.configuration, entry.configuration);
  EXPECT_EQ(read.time, entry.time);
  EXPECT_EQ(read.low, entry.low);
  EXPECT_EQ(read.high, entry.high);
  EXPECT_EQ(read.samples, 7u);
  EXPECT_EQ(read.measured, Measured::screened);
  EXPECT_FALSE(read.tuned);
  EXPECT_EQ(read.measured_at, entry.measured_at);
  EXPECT_EQ(read.wattune_version, "0.1.0");
}

TEST(WisdomText, WhatDoesNotSayItIsTuned) {
  std::string line = write_wisdom({full_entry()});
  line.erase(line.find("\"tuned\":false,"), std::string("\"tuned\":false,").size());
  EXPECT_TRUE(parse_wisdom(with_checksums(line)).value().entries.at(0).tuned);
}

TEST(WisdomText, LosesNoMoreThanTheLinesThatAreDamaged) {
  std::string flipped = write_wisdom({entry_of({{"m", 2}}, 8, 100)});
  flipped[flipped.find("A GPU")] = 'B';
  const std::string good = write_wisdom({entry_of({{"m", 1}}, 8, 100)});
  const std::string torn = good.substr(0, good.size() / 2);
  const WisdomText text = parse_wisdom(flipped + good + torn, "app.wisdom").value();
  EXPECT_EQ(text.entries.size(), 1u);
  ASSERT_EQ(text.problems.size(), 2u);
  EXPECT_EQ(text.problems[0].to_string(), "app.wisdom:1: this line of the wisdom is left out: its checksum is wrong");
  EXPECT_EQ(text.problems[1].to_string(), "app.wisdom:3: this line of the wisdom is left out: it was cut off");
}

TEST(WisdomText, OfAnOlderWattuneIsRead) {
  const WisdomText read = load_wisdom(WATTUNE_SOURCE_DIR + std::string("/tests/older/app.wisdom")).value();
  EXPECT_EQ(read.entries.at(0).kernel.name, "saxpy");
  EXPECT_TRUE(read.problems.empty());
}

TEST(WisdomText, WithLineEndsOfWindowsIsReadWhole) {
  std::string text = write_wisdom({full_entry(), entry_of({{"m", 1}}, 8, 100)});
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) text.replace(at, 1, "\r\n");
  const WisdomText read = parse_wisdom("\xEF\xBB\xBF" + text, "app.wisdom").value();
  EXPECT_EQ(read.entries.size(), 2u);
  EXPECT_TRUE(read.problems.empty());
}

TEST(WisdomText, WhatCannotBeTrueIsDamagedThoughItsChecksumIsRight) {
  const WisdomText text =
      parse_wisdom(with_checksums("{\"wattune_wisdom\":1,\"kernel\":\"gemm\",\"xxh3\":\"\"}\n"), "app.wisdom").value();
  EXPECT_TRUE(text.entries.empty());
  EXPECT_EQ(text.problems.at(0).to_string(), "app.wisdom:1: this line of the wisdom is left out: `version` is missing");
}

TEST(WisdomText, OfANewerFormatIsRefusedByName) {
  const std::string newer = with_checksums("{\"wattune_wisdom\":2,\"xxh3\":\"\"}\n");
  const auto refused = parse_wisdom(write_wisdom({full_entry()}) + newer, "app.wisdom");
  ASSERT_FALSE(refused);
  EXPECT_EQ(
      refused.error().to_string(),
      "app.wisdom:2: the wisdom has format 2, this Wattune reads up to 1 (use the Wattune that wrote it, or a newer "
      "one)");
}

TEST(WisdomText, WhatIsNoWisdomIsRefused) {
  EXPECT_EQ(parse_wisdom("int main() {}\n", "main.c").error().to_string(),
            "main.c:1: this is no wisdom of Wattune: its first line is `int main() {}`");
  EXPECT_FALSE(parse_wisdom("{\"wattune_journal\":2}\n"));
  EXPECT_TRUE(parse_wisdom(""));
}

TEST(WisdomText, SurvivesAnyDamage) {
  const std::string good = write_wisdom({full_entry(), entry_of({{"m", 1}}, 8, 100), entry_of({{"m", 2}}, 8, 100)});
  Random random(7);
  for (int i = 0; i < 300; ++i) {
    const std::string text = damaged(good, random);
    for (const std::string& each : {text, with_checksums(text)}) {
      const auto read = parse_wisdom(each, "w");
      if (!read) {
        EXPECT_TRUE(is_one_clean_line(read.error().to_string()));
        continue;
      }
      for (const Error& problem : read->problems) EXPECT_TRUE(is_one_clean_line(problem.to_string()));
      for (const WisdomEntry& entry : read->entries) EXPECT_TRUE(check(entry));
    }
  }
}

}  // namespace
}  // namespace wattune::dynamic
