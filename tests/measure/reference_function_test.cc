#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "measure/interface/arguments.h"

namespace wattune::inline v0_1::measure {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::Not;

// A folder whose name would confuse a shell.
class ReferenceFunctionTest : public ::testing::Test {
 protected:
  ReferenceFunctionTest() {
    std::filesystem::create_directories(folder_);
    setenv("TMPDIR", folder_.c_str(), 1);  // other tests run beside this one
  }
  ~ReferenceFunctionTest() override {
    setenv("TMPDIR", outer_.c_str(), 1);
    std::filesystem::remove_all(folder_);
  }

  ReferenceFunction source(const std::string& text) {
    const std::filesystem::path file = folder_ / "reference.cc";
    std::ofstream(file) << text;
    return {file, "reference"};
  }

  const std::filesystem::path outer_ = std::filesystem::temp_directory_path();
  const std::filesystem::path folder_ = outer_ / fmt::format("wattune test; $(false) {}", getpid());
};

std::span<const std::byte> bytes_of(const std::vector<float>& values) { return std::as_bytes(std::span(values)); }

// Makes an argument of these values, which must outlive it.
HostArgument floats(const std::vector<float>& values) {
  return {.name = "x",
          .bytes = values.size() * sizeof(float),
          .length = values.size(),
          .writable = true,
          .contents = bytes_of(values),
          .wanted = true};
}

bool has_left_over_folders() {
  return std::ranges::any_of(std::filesystem::directory_iterator(std::filesystem::temp_directory_path()),
                             [](const auto& entry) { return entry.is_directory(); });
}

constexpr char kScale[] = R"(
#include <cstddef>
extern "C" void reference(void* const* arguments, const std::size_t* lengths) {
  auto* x = static_cast<float*>(arguments[0]);
  const float factor = *static_cast<const float*>(arguments[1]);
  for (std::size_t i = 0; i < lengths[0]; ++i) x[i] *= factor;
})";

TEST_F(ReferenceFunctionTest, LeavesItsResults) {
  const std::vector<float> x{1, 2, 3};
  const std::vector<float> factor{10};
  std::vector<HostArgument> arguments{floats(x), floats(factor)};
  const auto done = run_reference_function(source(kScale), arguments);
  ASSERT_TRUE(done) << done.error().to_string();
  EXPECT_THAT(arguments[0].result, ElementsAreArray(bytes_of({10, 20, 30})));
  EXPECT_THAT(arguments[1].result, ElementsAreArray(bytes_of(factor)));
}

TEST_F(ReferenceFunctionTest, LeavesNothingBehind) {
  const std::vector<float> one{1};
  std::vector<HostArgument> arguments{floats(one), floats(one)};
  ASSERT_TRUE(run_reference_function(source(kScale), arguments));
  EXPECT_FALSE(run_reference_function(source("nonsense"), arguments));
  EXPECT_FALSE(has_left_over_folders());
}

TEST_F(ReferenceFunctionTest, ACompileErrorCarriesTheCompilersWords) {
  std::vector<HostArgument> arguments;
  const auto done = run_reference_function(source("int reference(;"), arguments);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code(), ErrorCode::compile_failed);
  EXPECT_THAT(done.error().message(), HasSubstr("reference.cc:1:15: error"));
  EXPECT_THAT(done.error().message(), Not(HasSubstr("\n")));
}

TEST_F(ReferenceFunctionTest, AMissingFunctionIsNamed) {
  std::vector<HostArgument> arguments;
  const auto done = run_reference_function(source("void reference() {}"), arguments);  // a C++ name
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code(), ErrorCode::not_found);
  EXPECT_THAT(done.error().to_string(), HasSubstr("`reference` (declare it extern \"C\")"));
}

TEST_F(ReferenceFunctionTest, AnExceptionIsAnError) {
  std::vector<HostArgument> arguments;
  const auto done = run_reference_function(
      source("#include <stdexcept>\nextern \"C\" void reference() { throw std::runtime_error(\"no idea\"); }"),
      arguments);
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message(), HasSubstr("no idea"));
}

TEST_F(ReferenceFunctionTest, ACrashEndsOnlyTheReference) {
  std::vector<HostArgument> arguments;
  const auto aborted =
      run_reference_function(source("#include <cstdlib>\nextern \"C\" void reference() { std::abort(); }"), arguments);
  ASSERT_FALSE(aborted);
  EXPECT_EQ(aborted.error().code(), ErrorCode::invalid_argument);
  EXPECT_THAT(aborted.error().message(), HasSubstr("the reference crashed: Aborted"));

  const auto exited =
      run_reference_function(source("#include <unistd.h>\nextern \"C\" void reference() { _exit(7); }"), arguments);
  ASSERT_FALSE(exited);
  EXPECT_THAT(exited.error().message(), HasSubstr("the reference ended its process with status 7"));
}

TEST_F(ReferenceFunctionTest, AMissingFileIsNamed) {
  std::vector<HostArgument> arguments;
  const auto done = run_reference_function({folder_ / "absent.cc", "reference"}, arguments);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code(), ErrorCode::not_found);
  EXPECT_THAT(done.error().to_string(), HasSubstr("absent.cc"));
}

}  // namespace
}  // namespace wattune::measure
