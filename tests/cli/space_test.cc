// `wattune space` as users run it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/run_program.h"

namespace wattune::cli_test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

std::string spec_of(const std::string& parameters, const std::string& constraints = "") {
  return "[kernel]\nfile = \"missing.cl\"\nfunction = \"f\"\narguments = []\n"
         "[launch]\nglobal = 64\nlocal = 64\n"
         "[parameters]\n" +
         parameters + "[search]\nconstraints = [" + constraints + "]\n";
}

// A space of 4 * 3 = 12 pairs. a * b <= 8 excludes three of them: (4, 3), (8, 2) and (8, 3).
constexpr const char* kParameters = "a = [1, 2, 4, 8]\nb = { values = [1, 2, 3], default = 2 }\n";
constexpr const char* kConstraint = "\"a * b <= 8\"";

TEST(SpaceCommand, CountsWithoutTheKernelFile) {
  const TempFolder folder;
  folder.write("s.toml", spec_of(kParameters, kConstraint));
  const Finished finished = run_wattune(folder, {"space", "s.toml"});
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("9 of 12 configurations are valid (75 %)"));
  EXPECT_THAT(finished.out, HasSubstr("25 %     a * b <= 8"));
  EXPECT_THAT(finished.out, HasSubstr("default   a=1, b=2"));
}

TEST(SpaceCommand, ShowsHowOftenEachValueIsValid) {
  const TempFolder folder;
  folder.write("s.toml", spec_of("a = [1, 2, 4, 8]\nonly = [7]\n"));
  const Finished finished = run_wattune(folder, {"space", "s.toml"});
  EXPECT_THAT(finished.out, ContainsRegex("a +1 2 4 8 +25 25 25 25\n"));
  EXPECT_THAT(finished.out, ContainsRegex("only +7 +100\n"));
}

TEST(SpaceCommand, JsonHasEveryPromisedField) {
  const TempFolder folder;
  folder.write("s.toml", spec_of(kParameters, kConstraint));
  const auto json = run_wattune(folder, {"space", "s.toml", "--json", "--sample", "2"}).json();
  EXPECT_EQ(json["valid"], 9);
  EXPECT_EQ(json["cartesian"], 12);
  EXPECT_EQ(json["fraction"], 0.75);
  EXPECT_GT(json["build_ns"], 0);
  EXPECT_GT(json["bytes"], 0);
  EXPECT_TRUE(json["exact"].get<bool>());
  EXPECT_EQ(json["parameters"][1]["name"], "b");
  EXPECT_EQ(json["parameters"][1]["default"], 2);
  EXPECT_EQ(json["parameters"][1]["valid_per_value"], (nlohmann::json{4, 3, 2}));
  EXPECT_EQ(json["constraints"][0]["removes"], 0.25);
  EXPECT_EQ(json["constraints"][0]["line"], 12);
  EXPECT_EQ(json["default"], (nlohmann::json{{"a", 1}, {"b", 2}}));
  EXPECT_EQ(json["sample"].size(), 2u);
  EXPECT_TRUE(json["explanation"].is_null());
}

TEST(SpaceCommand, TakesBooleansAsTomlAndAsPythonWritesThem) {
  const TempFolder folder;
  folder.write("s.toml", spec_of("a = [true, false]\n"));
  for (const char* written : {"a=false", "a=False", "a=0"}) {
    const Finished finished = run_wattune(folder, {"space", "s.toml", "--explain", written});
    EXPECT_EQ(finished.status, 0) << finished.err;
    EXPECT_THAT(finished.out, HasSubstr("a=False"));
  }
}

TEST(SpaceCommand, EqualSeedsShowEqualSamples) {
  const TempFolder folder;
  folder.write("s.toml", spec_of("a = \"range(1000)\"\nb = \"range(1000)\"\n"));
  const auto sample = [&](const char* seed) {
    return run_wattune(folder, {"space", "s.toml", "--json", "--seed", seed}).json()["sample"];
  };
  EXPECT_EQ(sample("3"), sample("3"));
  EXPECT_NE(sample("3"), sample("4"));
}

TEST(SpaceCommand, ExplainsEveryBrokenConstraintWithPositionAndValues) {
  const TempFolder folder;
  folder.write("s.toml", spec_of(kParameters, "\"a * b <= 8\", \"b < 3\""));
  const Finished finished = run_wattune(folder, {"space", "s.toml", "--explain", "a=4,b=3"});
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(finished.out,
            "a=4, b=3\n"
            "is invalid:\n"
            "  s.toml:12:17: a * b <= 8  (with a=4, b=3)\n"
            "  s.toml:12:31: b < 3  (with b=3)\n");
}

TEST(SpaceCommand, ExplainTakesDefaultsForWhatIsNotNamed) {
  const TempFolder folder;
  folder.write("s.toml", spec_of(kParameters, kConstraint));
  EXPECT_THAT(run_wattune(folder, {"space", "s.toml", "--explain", "a=4"}).out,
              testing::StartsWith("a=4, b=2\nis valid: configuration "));
  const auto json = run_wattune(folder, {"space", "s.toml", "--explain", "a=8", "--json"}).json()["explanation"];
  EXPECT_FALSE(json["valid"].get<bool>());
  EXPECT_EQ(json["broken"][0]["values"], (nlohmann::json{{"a", 8}, {"b", 2}}));
}

TEST(SpaceCommand, ExplainTakesWhatWasPrintedAndIsRepeatable) {
  const TempFolder folder;
  folder.write("s.toml", spec_of(kParameters, kConstraint));
  EXPECT_THAT(run_wattune(folder, {"space", "s.toml", "--explain", "a=4, b=1"}).out, testing::StartsWith("a=4, b=1\n"));
  EXPECT_THAT(run_wattune(folder, {"space", "s.toml", "--explain", "a=4", "--explain", "b=1"}).out,
              testing::StartsWith("a=4, b=1\n"));
}

// 8 * 3 breaks the constraint; the nearest by the number of changed parameters, of the lowest id, is a=1, b=3.
TEST(SpaceCommand, SaysThatTheDefaultIsInvalid) {
  const TempFolder folder;
  folder.write(
      "s.toml",
      spec_of("a = { values = [1, 2, 4, 8], default = 8 }\nb = { values = [1, 2, 3], default = 3 }\n", kConstraint));
  EXPECT_THAT(run_wattune(folder, {"space", "s.toml"}).out,
              HasSubstr("default   a=1, b=3\n"
                        "          the spec's default breaks `a * b <= 8`; the nearest valid configuration takes "
                        "its place\n"));
  folder.write("s.toml", spec_of("a = [8, 1]\nb = [3, 1]\n", kConstraint));
  EXPECT_THAT(run_wattune(folder, {"space", "s.toml"}).out, testing::Not(HasSubstr("the spec's default")));
}

TEST(SpaceCommand, ExplainNamesTheNearestParameterAndValue) {
  const TempFolder folder;
  folder.write("s.toml", spec_of("block_size = [32, 64]\n"));
  EXPECT_EQ(run_wattune(folder, {"space", "s.toml", "--explain", "blok_size=32"}).err,
            "wattune: error: --explain: no such parameter: `blok_size` (did you mean `block_size`?)\n");
  EXPECT_EQ(run_wattune(folder, {"space", "s.toml", "--explain", "block_size=33"}).err,
            "wattune: error: --explain: block_size has no such value: `33` (one of: 32, 64)\n");
}

// 2^100 = 1267650600228229401496703205376 is above 2^64: text, so that readers of JSON do not round it.
TEST(SpaceCommand, CountsAHundredParameters) {
  const TempFolder folder;
  std::string parameters;
  for (int i = 0; i < 100; ++i) parameters += "p" + std::to_string(i) + " = [0, 1]\n";
  folder.write("s.toml", spec_of(parameters));
  const auto json = run_wattune(folder, {"space", "s.toml", "--json"}).json();
  EXPECT_EQ(json["valid"], "1267650600228229401496703205376");
  EXPECT_EQ(json["cartesian"], "1267650600228229401496703205376");
}

// 10^12 is above 2^32 and below 2^53; 10^18 is above 2^53 and exact in the text.
TEST(SpaceCommand, WritesLargeCountsExactly) {
  const TempFolder folder;
  std::string parameters;
  for (int i = 0; i < 6; ++i) parameters += "p" + std::to_string(i) + " = \"range(1000)\"\n";
  folder.write("s.toml", spec_of(parameters, "\"p0 != 1 or p1 != 1\""));
  EXPECT_THAT(run_wattune(folder, {"space", "s.toml", "--json"}).out, HasSubstr("\"valid\": 999999000000000000,"));
}

TEST(SpaceCommand, ReadsT1) {
  const TempFolder folder;
  folder.write("s.json", R"({"ConfigurationSpace": {
    "TuningParameters": [{"Name": "x", "Type": "int", "Values": "[1, 2, 3]"}],
    "Conditions": [{"Parameters": ["x"], "Expression": "x != 2"}]},
    "KernelSpecification": {"Language": "OpenCL", "KernelName": "f", "KernelFile": "f.cl",
      "GlobalSize": {"X": "64"}, "LocalSize": {"X": "1"}}})");
  const Finished finished = run_wattune(folder, {"space", "s.json", "--json"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(finished.json()["valid"], 2);
}

}  // namespace
}  // namespace wattune::cli_test
