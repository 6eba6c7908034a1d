#include "wattune/schedule/profile_record.h"

#include <gmock/gmock.h>

namespace wattune::schedule {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ProfileRecord copy_record() {
  ProfileRecord record{
      .identity = {{"code", "aaaa"}, {"device", "NVIDIA H200"}, {"problem size", "n=1024"}},
      .traits = {
          .name = "copy", .block = {.threads = 256, .registers = 16}, .blocks = 4, .alone = nanoseconds_from_ms(0.8)}};
  record.traits.profile.blocks_alone = 8;
  record.traits.rate_at_residency = {0.5, 1.0};
  record.traits.twin_speed = 0.98;
  record.traits.overlapped_speed = 1.02;
  record.traits.saturating_share = 0.25;
  record.traits.least_slice = 2;
  record.traits.persistent = false;
  record.traits.use = std::vector<double>(simulate::kResources, 0.125);
  record.traits.utilisation = {0.1, 0.9};
  record.traits.power = {.alone = Watts(300), .idle = Watts(120), .twin = Watts(310)};
  record.block = simulate::BlockCosts{.issued = 56, .bytes_read = 1024, .bytes_written = 1024, .accesses = 16};
  record.features.emplace();
  (*record.features)[model::Feature::instructions] = 9.5;
  return record;
}

TEST(ProfileRecords, AreReadAsTheyWereWritten) {
  const ProfileRecord record = copy_record();
  const ProfileRecord read = read_profile(write_profile(record)).value();
  EXPECT_EQ(read.identity, record.identity);
  EXPECT_EQ(read.traits.name, "copy");
  EXPECT_EQ(read.traits.block.threads, 256u);
  EXPECT_EQ(read.traits.profile.blocks_alone, 8u);
  EXPECT_EQ(read.traits.alone, record.traits.alone);
  EXPECT_THAT(read.traits.rate_at_residency, ElementsAre(0.5, 1.0));
  EXPECT_EQ(read.traits.twin_speed, 0.98);
  EXPECT_EQ(read.traits.overlapped_speed, 1.02);
  EXPECT_EQ(read.traits.saturating_share, 0.25);
  EXPECT_FALSE(read.traits.persistent);
  EXPECT_EQ(read.traits.use, record.traits.use);
  EXPECT_EQ(read.traits.utilisation.memory, 0.9);
  EXPECT_EQ(read.traits.power.idle, Watts(120));
  EXPECT_EQ(read.traits.power.twin, Watts(310));
  EXPECT_EQ(read.block->bytes_written, 1024);
  EXPECT_EQ(read.block->accesses, 16);
  EXPECT_EQ(read.features->values, record.features->values);
  EXPECT_EQ(write_profile(read), write_profile(record));
}

TEST(ProfileRecords, HoldWhatIsKnownOnly) {
  ProfileRecord record = copy_record();
  record.traits.power = {};
  record.traits.use.clear();
  record.block.reset();
  record.features.reset();
  const ProfileRecord read = read_profile(write_profile(record)).value();
  EXPECT_FALSE(read.traits.power.known());
  EXPECT_TRUE(read.traits.use.empty());
  EXPECT_FALSE(read.block);
  EXPECT_FALSE(read.features);
}

TEST(ProfileRecords, OtherLinesAreRefusedByWhatIsWrongWithThem) {
  EXPECT_THAT(read_profile("[]").error().to_string(), HasSubstr("its format is not wattune-profile"));
  std::string line = write_profile(copy_record());
  const auto with = [&line](const std::string& text, const std::string& other) {
    std::string changed = line;
    changed.replace(changed.find(text), text.size(), other);
    return read_profile(changed).error().to_string();
  };
  EXPECT_THAT(with("\"version\":1", "\"version\":7"), HasSubstr("version 7 of its format, this program reads 1"));
  EXPECT_THAT(with("\"alone_ns\"", "\"a\""), HasSubstr("alone_ns"));
  EXPECT_THAT(with("\"least_slice\":2", "\"least_slice\":\"two\""), HasSubstr("must be number"));
  EXPECT_FALSE(read_profile(line.substr(0, line.size() / 2)));
}

TEST(ProfileRecords, OfOtherCodeSizesOrDeviceAreStale) {
  const ProfileRecord record = copy_record();
  EXPECT_TRUE(check_profile(record, record.identity));
  for (const auto& [part, value] : record.identity) {
    Identity other = record.identity;
    other[part] = "another";
    const Error stale = check_profile(record, other).error();
    EXPECT_EQ(stale.code(), ErrorCode::mismatch);
    EXPECT_THAT(stale.to_string(), testing::AllOf(HasSubstr("the profile of copy is stale: "), HasSubstr(part)));
  }
}

// What the machine knows of the kernel stands: its name there, its grid, and which forms its code has.
TEST(ProfileRecords, AddWhatWasMeasured) {
  KernelTraits known{.name = "copy#2", .block = {.threads = 256, .registers = 18}, .blocks = 4};
  known.sliceable = false;
  const KernelTraits traits = with_profile(known, copy_record());
  EXPECT_EQ(traits.name, "copy#2");
  EXPECT_EQ(traits.block.registers, 18u);
  EXPECT_EQ(traits.alone, nanoseconds_from_ms(0.8));
  EXPECT_EQ(traits.saturating_share, 0.25);
  EXPECT_EQ(traits.profile.instructions_per_block, 56.0);
  EXPECT_FALSE(traits.sliceable) << "its code has no slices";
  EXPECT_FALSE(traits.persistent) << "its twin costs too much";
}

}  // namespace
}  // namespace wattune::schedule
