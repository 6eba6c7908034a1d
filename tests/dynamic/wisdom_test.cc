#include "wattune/dynamic/wisdom.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <thread>

#include "checksums.h"
#include "dynamic/wisdom_support.h"

namespace wattune::inline v0_1::dynamic {
namespace {

const DeviceInfo kDevice = device_named("A GPU", "sm_90");

int block_in(const std::optional<WisdomEntry>& entry) {
  return entry ? static_cast<int>(entry->configuration.find("block")->as_integer()) : 0;
}

class WisdomFile : public FolderTest {
 protected:
  std::unique_ptr<Wisdom> open(const std::string& name = "app.wisdom") const {
    return Wisdom::open(path(name)).value();
  }
  void save(const std::string& name, const std::vector<WisdomEntry>& entries) const {
    write_contents(path(name), write_wisdom(entries));
  }
};

TEST_F(WisdomFile, ThatDoesNotExistIsEmpty) {
  const auto wisdom = open();
  EXPECT_FALSE(wisdom->find(kGemm, kDevice, {{"n", 64}}));
  EXPECT_FALSE(wisdom->nearest(kGemm, kDevice, {{"n", 64}}));
  EXPECT_TRUE(wisdom->save());
  EXPECT_FALSE(std::filesystem::exists(path("app.wisdom"))) << "there was nothing to save";
}

TEST_F(WisdomFile, KeepsWhatWasSaved) {
  const auto wisdom = open();
  EXPECT_TRUE(wisdom->put(entry_of({{"n", 64}}, 16, 100)).value());
  ASSERT_TRUE(wisdom->save());
  EXPECT_EQ(block_in(open()->find(kGemm, kDevice, {{"n", 64}})), 16);
}

TEST_F(WisdomFile, FindsOnlyTheKernelDeviceAndKeyItIsAskedFor) {
  save("app.wisdom", {entry_of({{"n", 64}}, 16, 100)});
  const auto wisdom = open();
  EXPECT_TRUE(wisdom->find(kGemm, kDevice, {{"n", 64}}));
  EXPECT_FALSE(wisdom->find({"gemm", "another version"}, kDevice, {{"n", 64}}));
  EXPECT_FALSE(wisdom->find({"axpy", kGemm.version}, kDevice, {{"n", 64}}));
  EXPECT_FALSE(wisdom->find(kGemm, device_named("Another GPU", "sm_90"), {{"n", 64}}));
  EXPECT_FALSE(wisdom->find(kGemm, kDevice, {{"n", 65}}));
}

TEST_F(WisdomFile, EntriesOfAnotherKernelVersionAreCountedButNeverReturned) {
  save("app.wisdom", {entry_of({{"n", 64}}, 16, 100), entry_of({{"n", 128}}, 16, 100)});
  const auto wisdom = open();
  const KernelVersion edited{"gemm", "another version"};
  EXPECT_FALSE(wisdom->nearest(edited, kDevice, {{"n", 64}}));
  EXPECT_EQ(wisdom->count_of_other_versions(edited), 2u);
  EXPECT_EQ(wisdom->count_of_other_versions(kGemm), 0u);
}

// The distance from 80 to 64 is log(80 / 64) = log 1.25, and to 128 it is log(128 / 80) = log 1.6.
TEST_F(WisdomFile, NearestIsTheKeyOfTheLeastRatio) {
  save("app.wisdom", {entry_of({{"n", 128}}, 32, 100), entry_of({{"n", 64}}, 16, 100), entry_of({{"n", 8}}, 8, 100)});
  const auto nearest = open()->nearest(kGemm, kDevice, {{"n", 80}});
  ASSERT_TRUE(nearest);
  EXPECT_EQ(block_in(nearest->entry), 16);
  EXPECT_NEAR(nearest->distance, std::log(1.25), 1e-12);
  EXPECT_TRUE(nearest->same_device);
}

TEST_F(WisdomFile, NearestPrefersTheDeviceItselfToItsKin) {
  WisdomEntry kin = entry_of({{"n", 64}}, 32, 50);
  kin.device = "Another GPU";
  WisdomEntry stranger = kin;
  stranger.device = "An old GPU";
  stranger.architecture = "sm_80";
  save("app.wisdom", {stranger, kin, entry_of({{"n", 8}}, 8, 100)});
  const auto wisdom = open();
  EXPECT_EQ(block_in(wisdom->nearest(kGemm, kDevice, {{"n", 64}})->entry), 8);
  const auto of_kin = wisdom->nearest(kGemm, device_named("A third GPU", "sm_90"), {{"n", 64}});
  EXPECT_EQ(block_in(of_kin->entry), 32);
  EXPECT_FALSE(of_kin->same_device);
  EXPECT_FALSE(wisdom->nearest(kGemm, device_named("A CPU"), {{"n", 64}}));
}

TEST_F(WisdomFile, PutKeepsTheBetter) {
  const auto wisdom = open();
  EXPECT_TRUE(wisdom->put(entry_of({{"n", 64}}, 8, 100, 1)).value());
  EXPECT_FALSE(wisdom->put(entry_of({{"n", 64}}, 16, 99, 2)).value());
  EXPECT_TRUE(wisdom->put(entry_of({{"n", 64}}, 32, 90, 3)).value());
  EXPECT_EQ(block_in(wisdom->find(kGemm, kDevice, {{"n", 64}})), 32);
  EXPECT_FALSE(wisdom->put(entry_of({{"n", 64}}, 8, -1)));
}

TEST_F(WisdomFile, ShippedFilesAreReadButNeverWritten) {
  save("shipped.wisdom", {entry_of({{"n", 64}}, 8, 100), entry_of({{"n", 128}}, 8, 100)});
  const std::string before = contents_of(path("shipped.wisdom"));
  const auto wisdom = Wisdom::open(path("app.wisdom"), {path("shipped.wisdom")}).value();
  ASSERT_TRUE(wisdom->put(entry_of({{"n", 64}}, 32, 50, 1)).value());
  ASSERT_TRUE(wisdom->save());
  EXPECT_EQ(block_in(wisdom->find(kGemm, kDevice, {{"n", 64}})), 32);
  EXPECT_EQ(block_in(wisdom->find(kGemm, kDevice, {{"n", 128}})), 8);
  EXPECT_EQ(contents_of(path("shipped.wisdom")), before);
  EXPECT_EQ(parse_wisdom(contents_of(path("app.wisdom")))->entries.size(), 1u);
  EXPECT_FALSE(Wisdom::open(path("app.wisdom"), {path("missing.wisdom")}));
}

TEST_F(WisdomFile, SavingMergesWhatOthersWroteMeanwhile) {
  const auto one = open();
  const auto other = open();
  ASSERT_TRUE(one->put(entry_of({{"n", 1}}, 8, 100)).value());
  ASSERT_TRUE(other->put(entry_of({{"n", 2}}, 16, 100)).value());
  ASSERT_TRUE(one->save());
  ASSERT_TRUE(other->save());
  EXPECT_EQ(block_in(other->find(kGemm, kDevice, {{"n", 1}})), 8) << "what was merged is known from then on";
  EXPECT_EQ(parse_wisdom(contents_of(path("app.wisdom")))->entries.size(), 2u);
}

// Four processes of 2 threads, each with a Wisdom of its own, save 5 keys one by one.
TEST_F(WisdomFile, ProcessesThatSaveAtTheSameTimeLoseNothing) {
  constexpr int kProcesses = 4, kThreads = 2, kKeys = 5;
  const auto save_keys = [&](int writer) {
    const auto wisdom = open();
    for (int i = 0; i < kKeys; ++i)
      if (!wisdom->put(entry_of({{"n", writer * kKeys + i + 1}}, 8, 100)) || !wisdom->save()) ::_exit(1);
  };
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; ++process) {
    children.push_back(::fork());
    if (children.back() != 0) continue;
    std::thread beside(save_keys, kThreads * process);
    save_keys(kThreads * process + 1);
    beside.join();
    ::_exit(0);
  }
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  const WisdomText text = parse_wisdom(contents_of(path("app.wisdom"))).value();
  EXPECT_TRUE(text.problems.empty());
  EXPECT_EQ(text.entries.size(), std::size_t{kProcesses * kThreads * kKeys});
}

TEST_F(WisdomFile, WhatCannotBeSavedStaysInMemory) {
  const auto wisdom = open("absent/app.wisdom");
  ASSERT_TRUE(wisdom->put(entry_of({{"n", 64}}, 16, 100)).value());
  EXPECT_FALSE(wisdom->save());
  EXPECT_EQ(block_in(wisdom->find(kGemm, kDevice, {{"n", 64}})), 16);
  std::filesystem::create_directory(path("absent"));
  ASSERT_TRUE(wisdom->save());
  EXPECT_EQ(block_in(open("absent/app.wisdom")->find(kGemm, kDevice, {{"n", 64}})), 16);
}

// A limit on the size of files simulates a full disk. The new file would hold two lines of 330 bytes, but only 500
// bytes may be written.
TEST_F(WisdomFile, OnAFullDiskStaysAsItWas) {
  save("app.wisdom", {entry_of({{"n", 1}}, 8, 100)});
  const std::string before = contents_of(path("app.wisdom"));
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{500, 500};
    const auto wisdom = open();
    const bool is_put = wisdom->put(entry_of({{"n", 2}}, 16, 100)).value();
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const bool is_saved = wisdom->save().has_value();
    ::_exit(is_put && !is_saved && block_in(wisdom->find(kGemm, kDevice, {{"n", 2}})) == 16 ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(contents_of(path("app.wisdom")), before);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path("")), {}), 1) << "nothing is left beside it";
}

TEST_F(WisdomFile, WithDamagedLinesSaysSoAndIsMendedBySaving) {
  write_contents(path("app.wisdom"), write_wisdom({entry_of({{"n", 1}}, 8, 100)}) + "{\"wattune_wisdom\":1,\"kern\n");
  const auto wisdom = open();
  ASSERT_EQ(wisdom->problems().size(), 1u);
  EXPECT_EQ(wisdom->problems()[0].position().line, 2);
  EXPECT_TRUE(wisdom->find(kGemm, kDevice, {{"n", 1}}));
  ASSERT_TRUE(wisdom->put(entry_of({{"n", 2}}, 8, 100)).value());
  ASSERT_TRUE(wisdom->save());
  EXPECT_TRUE(open()->problems().empty());
  EXPECT_THAT(contents_of(path("app.wisdom.damaged")), testing::HasSubstr("\"kern\n")) << "nothing is lost";
}

TEST_F(WisdomFile, InAFolderThatIsMissingSaysSo) {
  const auto wisdom = Wisdom::open(path("missing/app.wisdom")).value();
  ASSERT_EQ(wisdom->problems().size(), 1u);
  EXPECT_THAT(wisdom->problems()[0].to_string(), testing::HasSubstr("there is no folder"));
  EXPECT_TRUE(open()->problems().empty()) << "a file that is still to be made";
}

TEST_F(WisdomFile, ThatBecameSomethingElseIsNotOverwritten) {
  const auto wisdom = open();
  ASSERT_TRUE(wisdom->put(entry_of({{"n", 1}}, 8, 100)).value());
  for (const std::string& text :
       {std::string("my thesis\n"), with_checksums("{\"wattune_wisdom\":9,\"xxh3\":\"\"}\n")}) {
    write_contents(path("app.wisdom"), text);
    EXPECT_FALSE(wisdom->save());
    EXPECT_EQ(contents_of(path("app.wisdom")), text);
    EXPECT_FALSE(Wisdom::open(path("app.wisdom")));
  }
}

TEST_F(WisdomFile, WithoutANameStaysInMemory) {
  const auto wisdom = Wisdom::open({}).value();
  ASSERT_TRUE(wisdom->put(entry_of({{"n", 1}}, 8, 100)).value());
  EXPECT_TRUE(wisdom->save());
  EXPECT_TRUE(wisdom->find(kGemm, kDevice, {{"n", 1}}));
}

TEST_F(WisdomFile, IsKnownByItsFirstBytes) {
  save("app.wisdom", {entry_of({{"n", 64}}, 16, 100)});
  write_contents(path("other"), "{\"wattune_journal\":2}\n");
  EXPECT_TRUE(is_wisdom_file(path("app.wisdom")));
  EXPECT_FALSE(is_wisdom_file(path("other")));
  EXPECT_FALSE(is_wisdom_file(path("missing")));
}

TEST(Wisdom, TellsTheNearestKeysInTheirOrder) {
  const auto wisdom = Wisdom::open({}).value();
  for (const int n : {1024, 100, 64, 4096}) wisdom->put(entry_of({{"n", n}}, n, 10.0)).value();
  std::vector<std::int64_t> sizes;
  for (const NearestEntry& each : wisdom->near(kGemm, device_named("A GPU"), {{"n", 100}}, 3))
    sizes.push_back(each.entry.key[0].value.as_integer());
  // log(100 / 64) = 0.4, log(1024 / 100) = 2.3, log(4096 / 100) = 3.7.
  EXPECT_EQ(sizes, (std::vector<std::int64_t>{100, 64, 1024}));
}

}  // namespace
}  // namespace wattune::dynamic
