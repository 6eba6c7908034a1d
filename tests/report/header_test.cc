#include <gmock/gmock.h>

#include <cstdlib>

#include "folder_test.h"
#include "report/results_builder.h"
#include "wattune/core/version.h"
#include "wattune/report/report.h"

namespace wattune::inline v0_1::report {
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

constexpr char kApplication[] = R"(
#include "best.h"
#include "best.h" /* the guard allows this */
#include <string.h>
int main(void) {
  type number = -1;
  return !(block_size_x == 32 && 1 - scale == 1.5 && 1 - offset == 4 && padding && number > 0 &&
           strcmp(label, "say \"hi\"") == 0);
}
)";

// A folder with the header and programs that include it.
class HeaderTest : public test::FolderTest {
 protected:
  // True if an application with the header compiles, and ends with status 0.
  bool runs(const std::string& header, const char* compiler, const char* suffix, const std::string& options,
            const std::string& application = kApplication) {
    test::write_contents(path("best.h"), header);
    test::write_contents(path(std::string("app") + suffix), application);
    const std::string command = std::string("cd ") + path("").string() + " && " + compiler + " " + options +
                                " -Wall -Wextra -Werror -o app app" + suffix + " 2> log && ./app";
    return std::system(command.c_str()) == 0;
  }
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

ResultSet results_of_size(const std::string& device, const std::string& size, int block_size, double nanoseconds) {
  ResultSet results = ResultsBuilder({{.name = "block", .values = {16, 32, 64}},
                                      {.name = "scale", .values = {0.5}},
                                      {.name = "type", .values = {"unsigned int"}}})
                          .time({block_size, 0.5, "unsigned int"}, nanoseconds);
  results.info.device.name = device;
  results.info.problem_size = size;
  return results;
}

std::string header_of_sizes() {
  return header_of({results_of_size("A100", "1024x1024", 16, 1e6), results_of_size("A100", "4096x4096", 32, 2e6),
                    results_of_size("MI250X", "4096x4096", 64, 3e6)});
}

TEST_F(HeaderTest, MacrosChooseDeviceAndSize) {
  if (std::system("command -v cc > /dev/null && command -v c++ > /dev/null") != 0) GTEST_SKIP() << "no C compiler";
  const auto has_block = [&](int block, const std::string& macros) {
    const std::string application =
        "#include \"best.h\"\nint main(void) { type n = 0; return block != " + std::to_string(block) + " || n; }\n";
    return runs(header_of_sizes(), "cc", ".c", "-std=c99 -pedantic " + macros, application) &&
           runs(header_of_sizes(), "c++", ".cc", macros, application);
  };
  EXPECT_TRUE(has_block(16, "-DWATTUNE_DEVICE_A100 -DWATTUNE_SIZE_1024X1024"));
  EXPECT_TRUE(has_block(32, "-DWATTUNE_DEVICE_A100 -DWATTUNE_SIZE_4096X4096"));
  EXPECT_TRUE(has_block(64, "-DWATTUNE_DEVICE_MI250X -DWATTUNE_SIZE_4096X4096"));
  EXPECT_FALSE(has_block(64, "-DWATTUNE_DEVICE_MI250X -DWATTUNE_SIZE_1024X1024"));
  EXPECT_FALSE(has_block(32, "-DWATTUNE_DEVICE_A100"));
  EXPECT_FALSE(has_block(32, "-D__OPENCL_VERSION__=120"));
}

constexpr char kLookups[] = R"(
#include "best.h"
#include "best.h"
#include <string.h>
int main(void) {
  const wattune_add_configuration* small = wattune_add_find("A100", 900, 1100);
  const wattune_add_configuration* wide = wattune_add_find("A100", 1e6, 2048);
  return !(small->parameters.block == 16 && small->parameters.scale == 0.5 &&
           strcmp(small->parameters.type, "unsigned int") == 0 &&
           strcmp(small->defines, "#define block 16\n#define scale 0.5\n#define type unsigned int\n") == 0 &&
           wide->parameters.block == 32 && wide->problem_size[0] == 4096 &&
           wattune_add_find("MI250X", 1, 1)->parameters.block == 64 && !wattune_add_find("A10", 1, 1) &&
           !wattune_add_find("A1000", 1, 1));
}
)";

TEST_F(HeaderTest, ARunningProgramFindsTheNearestSize) {
  if (std::system("command -v cc > /dev/null && command -v c++ > /dev/null") != 0) GTEST_SKIP() << "no C compiler";
  EXPECT_TRUE(runs(header_of_sizes(), "cc", ".c", "-std=c99 -pedantic", kLookups));
  EXPECT_TRUE(runs(header_of_sizes(), "c++", ".cc", "-std=c++11", kLookups));
  EXPECT_TRUE(runs(header_of_sizes(), "c++", ".cc", "-std=c++20", kLookups));
  EXPECT_TRUE(
      runs(header_of_sizes(), "c++", ".cc", "-std=c++14",
           "#include \"best.h\"\nstatic_assert(wattune_add_find(\"A100\", 8e3, 8e3)->parameters.block == 32, \"\");"
           "\nint main() {}\n"));
}

TEST(Header, WithoutExtentsHasNoLookup) {
  const std::string header =
      header_of({results_of_size("A100", "small", 16, 1e6), results_of_size("A100", "4096", 32, 2e6)});
  EXPECT_THAT(header, HasSubstr("#elif defined(WATTUNE_SIZE_4096)"));
  EXPECT_THAT(header, HasSubstr("#else\n#error \"define one of: WATTUNE_SIZE_SMALL, WATTUNE_SIZE_4096\"\n"));
  EXPECT_THAT(header, testing::Not(HasSubstr("wattune_add_find")));
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

TEST(Header, RefusesNamesThatBecomeOneMacro) {
  ResultSet one = one_parameter().time({1}, 5);
  ResultSet other = one;
  one.info.device.name = "RTX 3080";
  other.info.device.name = "RTX-3080";
  EXPECT_EQ(write_header({one, other}).error().to_string(),
            "two devices have the same macro in a header, WATTUNE_DEVICE_RTX_3080: `RTX 3080` and `RTX-3080` (export "
            "each apart)");
  other.info.device.name = one.info.device.name;
  one.info.problem_size = "64 x 64";
  other.info.problem_size = "64, x, 64";
  EXPECT_THAT(write_header({one, other}).error().to_string(),
              testing::HasSubstr("two problem sizes have the same macro in a header, WATTUNE_SIZE_64_X_64"));
  ResultSet twice = ResultsBuilder({{.name = "a-b", .values = {1}}, {.name = "a_b", .values = {2}}}).time({1, 2}, 5);
  EXPECT_THAT(write_header({twice}).error().to_string(),
              testing::HasSubstr("two parameters have the same macro in a header, a_b: `a-b` and `a_b`"));
}

TEST(Header, RefusesToMixKernels) {
  ResultSet other = results_on("A4000", 1e6);
  other.info.kernel_name = "multiply";
  EXPECT_EQ(write_header({results_on("A100", 1e6), other}).error().to_string(),
            "the results are of different kernels: add and multiply");
  ResultSet fewer = one_parameter().time({1}, 5);
  EXPECT_EQ(write_header({results_on("A100", 1e6), fewer}).error().code(), ErrorCode::mismatch);
}

TEST(Header, RefusesToMixObjectivesOfOneDeviceAndSizesWithNone) {
  ResultSet small = results_on("A100", 1e6);
  small.info.problem_size = "1024";
  ResultSet large = results_on("A100", 2e6);
  large.info.problem_size = "4096";
  const ResultSet any = results_on("A100", 3e6);
  EXPECT_EQ(header_of({small, any}), header_of({any, small}));
  EXPECT_EQ(write_header({any, small, large}).error().to_string(),
            "results for A100 are of several problem sizes, and one tells none (export each apart)");
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

TEST(Header, SaysThatTheDefaultIsTheBest) {
  const ResultSet results = one_parameter()
                                .default_values({2})
                                .time({2}, 272)
                                .in_final(FinalPlace::winner, 270)
                                .time({4}, 271)
                                .in_final(FinalPlace::tied, 265, PairedGain{1.0, 0.98, 1.01});
  EXPECT_THAT(header_of({results}), HasSubstr("measured on 2026-01-31; it is the default, no other proved better. */\n"
                                              "#define x 2\n"));
}

TEST(Header, SaysWhatWasReplayed) {
  ResultSet results = results_on("A100", 1e6);
  results.info.device.kind = DeviceKind::simulated;
  EXPECT_THAT(header_of({results}), testing::HasSubstr("/* A100: 1.000 ms, replayed on 2026-01-31. */"));
}

}  // namespace
}  // namespace wattune::report
