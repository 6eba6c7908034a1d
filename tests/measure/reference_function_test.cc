#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "measure/isolated_call.h"
#include "wattune/measure/arguments.h"

namespace wattune::measure {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A folder whose name a shell would stumble over.
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

HostArgument floats(const std::vector<float>& values) {
  HostArgument argument;
  argument.bytes.resize(values.size() * sizeof(float));
  std::memcpy(argument.bytes.data(), values.data(), argument.bytes.size());
  argument.length = values.size();
  return argument;
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

TEST_F(ReferenceFunctionTest, ChangesItsArgumentsInPlace) {
  std::vector<HostArgument> arguments{floats({1, 2, 3}), floats({10})};
  const auto done = run_reference_function(source(kScale), arguments);
  ASSERT_TRUE(done) << done.error().to_string();
  EXPECT_EQ(arguments[0].bytes, floats({10, 20, 30}).bytes);
}

TEST_F(ReferenceFunctionTest, LeavesNothingBehind) {
  std::vector<HostArgument> arguments{floats({1}), floats({1})};
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
  std::vector<HostArgument> arguments{floats({1})};
  const auto aborted =
      run_reference_function(source("#include <cstdlib>\nextern \"C\" void reference() { std::abort(); }"), arguments);
  ASSERT_FALSE(aborted);
  EXPECT_EQ(aborted.error().code(), ErrorCode::invalid_argument);
  EXPECT_THAT(aborted.error().message(), HasSubstr("the reference crashed: Aborted"));

  const auto exited =
      run_reference_function(source("#include <unistd.h>\nextern \"C\" void reference() { _exit(7); }"), arguments);
  ASSERT_FALSE(exited);
  EXPECT_THAT(exited.error().message(), HasSubstr("the reference ended the process with status 7"));
}

TEST(IsolatedCall, AReferenceThatExitsHasNotReturned) {
  std::vector<HostArgument> arguments;
  const auto exited = call_isolated([](void* const*, const std::size_t*) { std::_Exit(0); }, arguments);
  ASSERT_FALSE(exited);
  EXPECT_EQ(exited.error().message(), "the reference ended the process with status 0");
}

TEST(IsolatedCall, IsEndedAtTheLimit) {
  std::vector<HostArgument> arguments;
  const auto forever = [](void* const*, const std::size_t*) {
    for (;;) pause();
  };
  EXPECT_EQ(call_isolated(forever, arguments, nanoseconds_from_ms(20)).error().code(), ErrorCode::timeout);
}

// The caller's handler must not run in the child.
TEST(IsolatedCall, IsEndedByCtrlC) {
  const auto handler = signal(SIGINT, [](int) {});
  std::vector<HostArgument> arguments;
  const auto interrupted = call_isolated([](void* const*, const std::size_t*) { raise(SIGINT); }, arguments);
  signal(SIGINT, handler);
  EXPECT_EQ(interrupted.error().code(), ErrorCode::cancelled);
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
