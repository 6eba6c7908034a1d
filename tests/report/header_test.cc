#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "report/results_builder.h"
#include "wattune/core/version.h"
#include "wattune/report/report.h"

namespace wattune::report {
namespace {

using testing::HasSubstr;

ResultSet results_on(const std::string& device, double nanoseconds) {
  ResultSet results = ResultsBuilder({{.name = "block_size_x", .values = {16, 32}},
                                      {.name = "scale", .values = {-0.5, 2.0}},
                                      {.name = "offset", .values = {-3, 0}},
                                      {.name = "padding", .values = {true, false}},
                                      {.name = "type", .values = {"unsigned\nint"}},
                                      {.name = "label", .values = {"\"say \\\"hi\\\"\""}}})
                          .time({16, 2.0, 0, false, "unsigned\nint", "\"say \\\"hi\\\"\""}, nanoseconds * 2)
                          .time({32, -0.5, -3, true, "unsigned\nint", "\"say \\\"hi\\\"\""}, nanoseconds);
  results.info.device.name = device;
  return results;
}

std::string header_of(const std::vector<ResultSet>& results) {
  const auto header = write_header(results);
  EXPECT_TRUE(header) << header.error().to_string();
  return header ? *header : std::string();
}

// A folder with the header and programs that include it.
class HeaderTest : public testing::Test {
 protected:
  HeaderTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "wattune_header_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~HeaderTest() override { std::filesystem::remove_all(folder_); }

  // Whether an application with the header compiles, and ends with status 0.
  bool runs(const std::string& header, const char* compiler, const char* suffix, const std::string& options) {
    std::ofstream(folder_ / "best.h") << header;
    std::ofstream(folder_ / (std::string("app") + suffix)) << R"(
#include "best.h"
#include "best.h" /* the guard allows this */
#include <string.h>
int main(void) {
  type number = -1;
  return !(block_size_x == 32 && 1 - scale == 1.5 && 1 - offset == 4 && padding && number > 0 &&
           strcmp(label, "say \"hi\"") == 0);
}
)";
    const std::string command = std::string("cd ") + folder_.string() + " && " + compiler + " " + options +
                                " -Wall -Wextra -Werror -o app app" + suffix + " 2> log && ./app";
    return std::system(command.c_str()) == 0;
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(HeaderTest, CompilesIntoAnApplication) {
  if (std::system("command -v cc > /dev/null && command -v c++ > /dev/null") != 0) GTEST_SKIP() << "no C compiler";
  const std::string one = header_of({results_on("A100", 1e6)});
  EXPECT_TRUE(runs(one, "cc", ".c", "-std=c99 -pedantic"));
  EXPECT_TRUE(runs(one, "c++", ".cc", "-std=c++20"));
  const std::string two = header_of({results_on("A100", 1e6), results_on("MI250X (gfx90a)", 2e6)});
  EXPECT_FALSE(runs(two, "cc", ".c", "-std=c99")) << "several devices and none chosen";
  EXPECT_TRUE(runs(two, "cc", ".c", "-std=c99 -DWATTUNE_DEVICE_MI250X_GFX90A"));
  EXPECT_TRUE(runs(two, "c++", ".cc", "-DWATTUNE_DEVICE_A100"));
}

TEST(Header, HasOneSetPerDevice) {
  const std::string header = header_of({results_on("A100", 1e6), results_on("A4000 */", 2e6)});
  EXPECT_EQ(header, std::string("/* The best configuration of add on each device, found by Wattune ") + kVersion +
                        ".\n"
                        " * Choose a device with -D and the name of its macro. */\n"
                        "#ifndef WATTUNE_ADD_H\n"
                        "#define WATTUNE_ADD_H\n"
                        "\n"
                        "#if defined(WATTUNE_DEVICE_A100)\n"
                        "/* A100: 1.000 ms, measured on 2026-01-31. */\n"
                        "#define block_size_x 32\n"
                        "#define scale (-0.5)\n"
                        "#define offset (-3)\n"
                        "#define padding 1\n"
                        "#define type unsigned int\n"
                        "#define label \"say \\\"hi\\\"\"\n"
                        "#elif defined(WATTUNE_DEVICE_A4000)\n"
                        "/* A4000 *|: 2.000 ms, measured on 2026-01-31. */\n"
                        "#define block_size_x 32\n"
                        "#define scale (-0.5)\n"
                        "#define offset (-3)\n"
                        "#define padding 1\n"
                        "#define type unsigned int\n"
                        "#define label \"say \\\"hi\\\"\"\n"
                        "#else\n"
                        "#error \"define one of: WATTUNE_DEVICE_A100, WATTUNE_DEVICE_A4000\"\n"
                        "#endif\n"
                        "\n"
                        "#endif /* WATTUNE_ADD_H */\n");
}

TEST(Header, TakesTheFastestOfOneDevice) {
  const std::string fast = header_of({results_on("A100", 1e6)});
  EXPECT_EQ(header_of({results_on("A100", 3e6), results_on("A100", 1e6)}), fast);
  EXPECT_EQ(header_of({results_on("A100", 1e6), results_on("A100", 3e6)}), fast);
}

TEST(Header, LeavesOutDevicesWithoutACorrectConfiguration) {
  ResultSet failed = results_on("A4000", 1e6);
  for (Trial& trial : failed.trials) trial.observation = {.status = Status::runtime, .message = "no"};
  EXPECT_EQ(header_of({results_on("A100", 1e6), failed}), header_of({results_on("A100", 1e6)}));
  EXPECT_EQ(write_header({failed}).error().code(), ErrorCode::not_found);
  EXPECT_EQ(write_header({}).error().code(), ErrorCode::not_found);
}

TEST(Header, RefusesToMixKernels) {
  ResultSet other = results_on("A4000", 1e6);
  other.info.kernel_name = "multiply";
  EXPECT_EQ(write_header({results_on("A100", 1e6), other}).error().to_string(),
            "the results are of different kernels: add and multiply");
  ResultSet fewer = one_parameter().time({1}, 5);
  EXPECT_EQ(write_header({results_on("A100", 1e6), fewer}).error().code(), ErrorCode::mismatch);
}

TEST(Header, RefusesToMixSizesAndObjectivesOfOneDevice) {
  ResultSet small = results_on("A100", 1e6);
  small.info.problem_size = "1024";
  ResultSet large = results_on("A100", 2e6);
  large.info.problem_size = "4096";
  EXPECT_EQ(write_header({small, large}).error().to_string(),
            "results for A100 are of different problem sizes: 1024 and 4096 (export each apart)");
  large.info.device.name = "A4000";
  EXPECT_TRUE(write_header({small, large}));
  ResultSet energy = small;
  energy.info.objectives = {{"energy", false}};
  EXPECT_EQ(write_header({small, energy}).error().to_string(),
            "results for A100 are of different objectives: least time and least energy (export each apart)");
}

TEST(Header, RefusesTextsThatReachBeyondTheirDefinition) {
  for (const char* text : {"1 /* ", "float\\"}) {
    const Parameter type{.name = "type", .values = {text}};
    const ResultSet results = ResultsBuilder({type}).time({text}, 5);
    EXPECT_THAT(write_header({results}).error().to_string(), HasSubstr("a header cannot hold this value of `type`: `"));
  }
  const Parameter type{.name = "type", .values = {"unsigned\nint"}};
  const ResultSet lines = ResultsBuilder({type}).time({"unsigned\nint"}, 5);
  EXPECT_THAT(header_of({lines}), HasSubstr("#define type unsigned int\n"));
}

TEST(Header, NamesAnUnknownDevice) {
  EXPECT_THAT(header_of({results_on("", 1e6)}), HasSubstr("/* unknown device: 1.000 ms"));
  EXPECT_THAT(header_of({results_on("", 1e6)}), HasSubstr("WATTUNE_DEVICE_UNKNOWN"));
}

TEST(Header, SaysWhatWasReplayed) {
  ResultSet results = results_on("A100", 1e6);
  results.info.device.kind = DeviceKind::simulated;
  EXPECT_THAT(header_of({results}), testing::HasSubstr("/* A100: 1.000 ms, replayed on 2026-01-31. */"));
}

}  // namespace
}  // namespace wattune::report
