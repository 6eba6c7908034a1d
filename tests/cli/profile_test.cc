// `wattune profile`, and `wattune corun --profiles`: on simulated GPUs, whose results are reproducible.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "checksums.h"
#include "cli/run_program.h"

namespace wattune::cli_test {
namespace {

using testing::HasSubstr;

class Profile : public testing::Test {
 protected:
  Finished profile(std::vector<std::string> arguments = {}, const std::string& waves = "1") {
    arguments.insert(arguments.begin(), {"profile", "--device", "simulated:H100", "--waves", waves});
    return run_wattune(folder_, arguments);
  }
  Finished queue(const std::vector<std::string>& more, const std::string& waves = "1") {
    std::vector<std::string> arguments = {"corun",     "--device", "simulated:H100", "--waves", waves,
                                          "--kernels", "C,L",      "--works",        "6",       "--policies",
                                          "paired",    "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_wattune(folder_, arguments);
  }
  static std::string refusal(const Finished& finished) {
    EXPECT_NE(finished.status, 0);
    EXPECT_EQ(finished.out, "");
    EXPECT_EQ(std::ranges::count(finished.err, '\n'), 1) << finished.err;
    return finished.err;
  }

  TempFolder folder_;
};

TEST_F(Profile, KeepsALineForEachKernel) {
  const Finished finished = profile({"--kernels", "C,L", "--power", "--json"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const nlohmann::json document = finished.json();
  EXPECT_EQ(document["device"], "H100");
  ASSERT_EQ(document["profiles"].size(), 2u);
  const nlohmann::json& compute = document["profiles"][0];
  EXPECT_EQ(compute["kernel"], "C");
  EXPECT_EQ(compute["identity"]["device"], "simulated H100");
  EXPECT_GT(compute["use"]["fp32"], 0.8);
  EXPECT_GT(compute["watts_alone"], compute["watts_idle"].get<double>());
  EXPECT_EQ(compute["saturating_share"], 1.0);
  EXPECT_LT(document["profiles"][1]["saturating_share"], 0.5);  // it waits for memory: 44 of 132 SMs
  const std::string kept = folder_.read("profiles.jsonl");
  EXPECT_EQ(std::ranges::count(kept, '\n'), 2);
  nlohmann::json line = nlohmann::json::parse(kept.substr(0, kept.find('\n')));
  line.erase("wattune_profile");
  line.erase("xxh3");
  for (const auto& [name, value] : line.items()) EXPECT_EQ(value, compute.value(name, nlohmann::json())) << name;
}

TEST_F(Profile, TellsWhatKeepsTheGpuBusy) {
  const Finished finished = profile({"--kernels", "C"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_THAT(finished.out, testing::AllOf(HasSubstr("1 kernel on a simulated H100"), HasSubstr("issue, 100 %"),
                                           HasSubstr("Kept in profiles.jsonl")));
}

TEST_F(Profile, QueuesPlanByWhatWasKept) {
  ASSERT_EQ(profile({"--kernels", "C,L"}).status, 0);
  const nlohmann::json measured = queue({}).json()["queue"];
  const Finished by_file = queue({"--profiles", "profiles.jsonl"});
  ASSERT_EQ(by_file.status, 0) << by_file.err;
  EXPECT_EQ(by_file.json()["queue"], measured);
  // The values of the file are used.
  std::string kept = folder_.read("profiles.jsonl");
  const std::string rate = "\"saturating_share\":";
  kept.insert(kept.find(rate) + rate.size(), "0.0625,\"was\":");
  std::ofstream(folder_.path() / "changed.jsonl") << with_checksums(kept);
  EXPECT_EQ(queue({"--profiles", "changed.jsonl"}).json()["queue"]["kernels"][0]["saturating_share"], 0.0625);
}

// TEA and BS both compute, but according to the changed file TEA uses nothing.
TEST_F(Profile, SweepsTakeWhatWasKept) {
  const auto on_small_gpu = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--device", "simulated:C2050", "--waves", "1", "--kernels", "TEA,BS", "--json"});
    const Finished finished = run_wattune(folder_, arguments);
    EXPECT_EQ(finished.status, 0) << finished.err;
    return finished.json();
  };
  nlohmann::json idle = on_small_gpu({"profile"})["profiles"][0];
  EXPECT_LT(on_small_gpu({"corun", "--profiles", "profiles.jsonl"})["prospects"][0]["packing_bound"], 1.5);
  for (nlohmann::json& share : idle["use"]) share = 0.0;
  folder_.write("idle.jsonl", idle.dump() + "\n");
  EXPECT_EQ(on_small_gpu({"corun", "--profiles", "idle.jsonl"})["prospects"][0]["packing_bound"], 2.0);
}

// The file has the power of C; that of L is measured.
TEST_F(Profile, PowerThatWasKeptIsNotMeasuredAgain) {
  ASSERT_EQ(profile({"--kernels", "C", "--power"}).status, 0);
  std::string kept = folder_.read("profiles.jsonl");
  const std::string watts = "\"watts_alone\":";
  kept.insert(kept.find(watts) + watts.size(), "555.0,\"were\":");
  folder_.write("kept.jsonl", with_checksums(kept));
  const Finished finished = queue({"--profiles", "kept.jsonl", "--objective", "energy"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const nlohmann::json kernels = finished.json()["queue"]["kernels"];
  EXPECT_EQ(kernels[0]["watts_alone"], 555.0);
  EXPECT_GT(kernels[1]["watts_alone"], 150.0);
}

TEST_F(Profile, OfSomethingElseIsStale) {
  ASSERT_EQ(profile({"--kernels", "C,L"}, "2").status, 0);
  EXPECT_THAT(refusal(queue({"--profiles", "profiles.jsonl"})),
              testing::AllOf(HasSubstr("profiles.jsonl: the profile of C is stale: blocks"),
                             HasSubstr("wattune profile measures")));
  // A kernel that the file does not name is measured.
  ASSERT_EQ(profile({"--kernels", "M", "--overwrite"}).status, 0);
  EXPECT_EQ(queue({"--profiles", "profiles.jsonl"}).status, 0);
}

TEST_F(Profile, MistakesAreOneLine) {
  EXPECT_THAT(refusal(profile()), HasSubstr("there is no kernel to profile"));
  EXPECT_THAT(refusal(profile({"--kernels", "C", "--repeats", "0"})), HasSubstr("at least 1 is needed"));
  folder_.write("profiles.jsonl", "\n{\"format\":\"wattune-profile\",\"version\":1}\n");
  EXPECT_THAT(refusal(profile({"--kernels", "C"})), HasSubstr("--overwrite"));
  EXPECT_THAT(refusal(queue({"--profiles", "profiles.jsonl"})),
              HasSubstr("profiles.jsonl:2: this line of the file of "
                        "profiles is left out: `identity` is missing"));
  EXPECT_THAT(refusal(queue({"--profiles", "none.jsonl"})), HasSubstr("cannot open none.jsonl"));
  EXPECT_THAT(refusal(profile({"--kernels", "C", "--output", "."})), HasSubstr("this is a folder: `.`"));
  folder_.write("mine.json", "{\"my\":\"document\"}");
  EXPECT_THAT(refusal(profile({"--kernels", "C", "--output", "mine.json", "--overwrite"})),
              HasSubstr("mine.json:1: this is no file of profiles of Wattune: its first line is"));
  EXPECT_EQ(folder_.read("mine.json"), "{\"my\":\"document\"}");
}

TEST_F(Profile, ADamagedLineCostsNoOtherKernelAndIsNotTakenForNothing) {
  ASSERT_EQ(profile({"--kernels", "M,C,L"}).status, 0);
  std::string kept = folder_.read("profiles.jsonl");
  kept.replace(kept.find("\"kernel\":\"M\""), 12, "\"kernel\":\"N\"");
  folder_.write("profiles.jsonl", kept);
  const Finished finished = queue({"--profiles", "profiles.jsonl"});
  EXPECT_EQ(finished.status, 0);
  EXPECT_THAT(finished.err, HasSubstr("profiles.jsonl:1: this line of the file of profiles is left out: its checksum"));
  kept.replace(kept.find("\"kernel\":\"C\""), 12, "\"kernel\":\"D\"");
  folder_.write("profiles.jsonl", kept);
  EXPECT_THAT(refusal(queue({"--profiles", "profiles.jsonl"})), HasSubstr("profiles.jsonl:1: this line"));
}

}  // namespace
}  // namespace wattune::cli_test
