#include "wattune/schedule/profile_record.h"

#include <gmock/gmock.h>

#include <optional>
#include <vector>

#include "checksums.h"
#include "folder_test.h"
#include "simulate/interface/ptx_profile.h"
#include "source_dir.h"

namespace wattune::inline v0_1::schedule {
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
  record.traits.speed_on_sms = {{8, 0.5}, {16, 1.0}};
  record.traits.least_slice = 2;
  record.traits.persistent = false;
  record.traits.use = std::vector<double>(simulate::kResources, 0.125);
  record.traits.use_by_counters = std::vector<std::optional<double>>(simulate::kResources, 0.5);
  record.traits.use_by_counters[1] = std::nullopt;
  record.traits.utilisation = model::Utilisation{0.1, 0.9};
  record.traits.power = {.alone = Watts(300), .idle = Watts(120), .twin = Watts(310)};
  record.block = simulate::BlockCosts{.issued = 56, .bytes_read = 1024, .bytes_written = 1024, .accesses = 16};
  record.features.emplace();
  (*record.features)[model::Feature::instructions] = 9.5;
  return record;
}

// Returns the only record of an undamaged text.
ProfileRecord read_back(const std::string& text) {
  const StoredProfiles stored = read_profiles(text, "a.jsonl").value();
  EXPECT_THAT(stored.left_out, testing::IsEmpty());
  return stored.records.at(0);
}

// Returns why a line is left out of a text. The checksum is always made right.
std::string reason(const std::string& text) {
  const StoredProfiles stored = read_profiles(with_checksums(text), "a.jsonl").value();
  EXPECT_THAT(stored.records, testing::IsEmpty());
  return stored.left_out.at(0).to_string();
}

TEST(ProfileRecords, AreReadAsTheyWereWritten) {
  const ProfileRecord record = copy_record();
  const ProfileRecord read = read_back(write_profiles({record}));
  EXPECT_EQ(read.identity, record.identity);
  EXPECT_EQ(read.traits.name, "copy");
  EXPECT_EQ(read.traits.block.threads, 256u);
  EXPECT_EQ(read.traits.profile.blocks_alone, 8u);
  EXPECT_EQ(read.traits.alone, record.traits.alone);
  EXPECT_THAT(read.traits.rate_at_residency, ElementsAre(0.5, 1.0));
  EXPECT_EQ(read.traits.twin_speed, 0.98);
  EXPECT_EQ(read.traits.overlapped_speed, 1.02);
  EXPECT_EQ(read.traits.saturating_share, 0.25);
  EXPECT_EQ(read.traits.speed_on_sms, record.traits.speed_on_sms);
  EXPECT_FALSE(read.traits.persistent);
  EXPECT_EQ(read.traits.use, record.traits.use);
  EXPECT_EQ(read.traits.use_by_counters, record.traits.use_by_counters);
  EXPECT_EQ(read.traits.utilisation->memory, 0.9);
  EXPECT_EQ(read.traits.power->idle, Watts(120));
  EXPECT_EQ(read.traits.power->twin, Watts(310));
  EXPECT_EQ(read.block->bytes_written, 1024);
  EXPECT_EQ(read.block->accesses, 16);
  EXPECT_EQ(read.features->values, record.features->values);
  EXPECT_EQ(write_profiles({read}), write_profiles({record}));
}

TEST(ProfileRecords, HoldWhatIsKnownOnly) {
  ProfileRecord record = copy_record();
  record.traits.power = {};
  record.traits.use.clear();
  record.traits.use_by_counters.clear();
  record.traits.utilisation.reset();
  record.block.reset();
  record.features.reset();
  const ProfileRecord read = read_back(write_profiles({record}));
  EXPECT_FALSE(read.traits.power);
  EXPECT_TRUE(read.traits.use.empty());
  EXPECT_TRUE(read.traits.use_by_counters.empty());
  EXPECT_FALSE(read.traits.utilisation);
  EXPECT_FALSE(read.block);
  EXPECT_FALSE(read.features);
}

// Older versions wrote 0 for what they did not know.
TEST(ProfileRecords, ZeroOfAnOlderWattuneIsUnknown) {
  ProfileRecord record = copy_record();
  record.traits.utilisation = model::Utilisation{};
  EXPECT_FALSE(read_back(write_profiles({record})).traits.utilisation);
}

TEST(ProfileRecords, LinesThatCannotBeTrueAreLeftOutByWhatIsWrongWithThem) {
  const std::string whole = write_profiles({copy_record()});
  const auto with = [&whole](const std::string& text, const std::string& other) {
    std::string changed = whole;
    changed.replace(changed.find(text), text.size(), other);
    return reason(changed);
  };
  EXPECT_THAT(with("\"alone_ns\"", "\"a\""), HasSubstr("a.jsonl:1: this line of the file of profiles is left out: "
                                                       "`alone_ns` is missing"));
  for (const char* time : {"-1", "0", "1e300", "null", "\"8\"", "[800000.0]"})
    EXPECT_THAT(with("\"alone_ns\":800000.0", std::string("\"alone_ns\":") + time), HasSubstr("`alone_ns` must be"));
  EXPECT_THAT(with("\"least_slice\":2", "\"least_slice\":-2"), HasSubstr("`least_slice` must be a whole number"));
  EXPECT_THAT(with("\"saturating_share\":0.25", "\"saturating_share\":1.5"), HasSubstr("`saturating_share` must be"));
  EXPECT_THAT(with("\"sms\":8", "\"sms\":0"), HasSubstr("`sms` must be"));
  EXPECT_THAT(with("\"rate_at_residency\":[0.5,", "\"rate_at_residency\":[-0.5,"), HasSubstr("`rate_at_residency`"));
  EXPECT_THAT(with("\"resident_blocks\":8", "\"resident_blocks\":1"), HasSubstr("must have 0 to 1 elements"));
  EXPECT_THAT(with("\"threads\":256", "\"threads\":4294967552"), HasSubstr("`threads` must be"));
  EXPECT_THAT(with("\"mur\":0.9", "\"mur\":9"), HasSubstr("`mur` must be a number from 0 to 1, not 9"));
  EXPECT_THAT(with("\"mur\":0.9", "\"mur\":null"), HasSubstr("`mur` must be a number"));
  EXPECT_THAT(with("\"use_by_counters\":{\"issue\":0.5", "\"use_by_counters\":{\"issue\":1.5"),
              HasSubstr("`issue` must be a number from 0 to 1"));
  EXPECT_THAT(with("\"watts_alone\":300.0", "\"watts_alone\":-300"), HasSubstr("`watts_alone` must be"));
  EXPECT_THAT(with("\"code\":\"aaaa\"", "\"code\":7"), HasSubstr("`code` must be text"));
  EXPECT_THAT(with("\"issued\":56.0", "\"issued\":-56"), HasSubstr("`issued` must be"));
  EXPECT_THAT(with("\"block\":{", "\"block\":null,\"was\":{"), HasSubstr("`block` must be an object"));
}

TEST(ProfileRecords, OfAnotherVersionOrKindAreRefusedWhole) {
  std::string newer = write_profiles({copy_record()});
  newer.replace(newer.find(":2,"), 3, ":3,");
  EXPECT_THAT(read_profiles(with_checksums(newer), "a.jsonl").error().to_string(),
              HasSubstr("a.jsonl:1: the file of profiles has format 3, this Wattune reads up to 2"));
  EXPECT_THAT(read_profiles("[]", "a.jsonl").error().to_string(),
              HasSubstr("a.jsonl:1: this is no file of profiles of Wattune"));
}

// The file is as the version before sealed files wrote it; documents still have this form.
TEST(ProfileRecords, OfAnOlderWattuneAreReadAndKeptBesideWhatTakesTheirPlace) {
  const std::string old = test::contents_of(WATTUNE_SOURCE_DIR + std::string("/tests/older/profiles.jsonl"));
  const StoredProfiles stored = read_profiles(old, "a.jsonl").value();
  EXPECT_TRUE(stored.unsealed);
  ASSERT_EQ(stored.records.size(), 2u);
  EXPECT_EQ(stored.records[1].traits.name, "M");
  EXPECT_EQ(profile_json(stored.records[0]) + "\n" + profile_json(stored.records[1]) + "\n", old);

  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "wattune_profiles.jsonl";
  const std::string kept = file.string() + ".unsealed";
  std::filesystem::remove(kept);
  test::write_contents(file, old);
  ASSERT_TRUE(store_profiles(file, stored.records, true));
  EXPECT_FALSE(load_profiles(file)->unsealed);
  EXPECT_EQ(load_profiles(file)->records.size(), 2u);
  EXPECT_EQ(test::contents_of(kept), old);
  test::write_contents(file, "{\"mine\":1}");
  EXPECT_FALSE(store_profiles(file, stored.records, true));
  EXPECT_EQ(test::contents_of(file), "{\"mine\":1}");
  std::filesystem::remove(file);
  std::filesystem::remove(kept);
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

// The machine's own facts of the kernel stay: its name there, its grid, and the forms that its code has.
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
