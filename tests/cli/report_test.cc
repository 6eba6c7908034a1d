// `wattune report`: one HTML file, of results that need no device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/run_program.h"

namespace wattune::cli_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kRecordedCache = R"({"device_name": "Some GPU", "kernel_name": "add", "problem_size": 1000,
"tune_params_keys": ["block"], "tune_params": {"block": [64, 128, 256]}, "objective": "time",
"cache": {
"64": {"block": 64, "time": 2.0, "times": [2.0, 2.1, 1.9]},
"128": {"block": 128, "time": 1.0, "times": [1.0, 1.0]},
"256": {"block": 256, "time": "RuntimeFailedConfig"}}}
)";

class ReportCommand : public testing::Test {
 protected:
  void SetUp() override { folder_.write("cache.json", kRecordedCache); }
  TempFolder folder_;
};

TEST_F(ReportCommand, WritesAPageThatNamesTheBestAndTheNextCommand) {
  const Finished finished = run_wattune(folder_, {"report", "cache.json", "--output", "page.html"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(finished.out + finished.err, "");
  EXPECT_THAT(
      folder_.read("page.html"),
      AllOf(HasSubstr("<title>add on Some GPU</title>"), HasSubstr("<b>128</b>"),
            HasSubstr("wattune export cache.json --format header --output add_tuned.h"), HasSubstr("runtime, 1 time")));
}

TEST_F(ReportCommand, ReplacesAFileOnlyIfTold) {
  folder_.write("page.html", "mine");
  const Finished refused = run_wattune(folder_, {"report", "cache.json", "-o", "page.html"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.err, "wattune: error: the file exists: `page.html` (--overwrite replaces it)\n");
  EXPECT_EQ(folder_.read("page.html"), "mine");
  EXPECT_EQ(run_wattune(folder_, {"report", "cache.json", "-o", "page.html", "--overwrite"}).status, 0);
  EXPECT_THAT(folder_.read("page.html"), HasSubstr("</html>"));
}

TEST_F(ReportCommand, PutsSeveralFilesSideBySide) {
  std::string other = kRecordedCache;
  other.replace(other.find("Some GPU"), 8, "Other GPU");
  folder_.write("other.json", other);
  ASSERT_EQ(run_wattune(folder_, {"report", "cache.json", "other.json", "-o", "both.html"}).status, 0);
  EXPECT_THAT(folder_.read("both.html"),
              AllOf(HasSubstr("2 runs side by side"), HasSubstr("The best of Other GPU takes")));
}

// A mistake in one file leaves nothing behind.
TEST_F(ReportCommand, WritesNothingIfAFileCannotBeRead) {
  folder_.write("bad.json", "{\"cache\": 3}");
  const Finished finished = run_wattune(folder_, {"report", "cache.json", "bad.json", "-o", "page.html"});
  EXPECT_EQ(finished.status, 2);
  EXPECT_THAT(finished.err, HasSubstr("bad.json"));
  EXPECT_FALSE(folder_.has("page.html"));
}

}  // namespace
}  // namespace wattune::cli_test
