// The log of the program: its destination and its level.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/run_program.h"

namespace wattune::cli_test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class Log : public testing::Test {
 protected:
  Finished devices(const std::string& environment, const std::string& options) {
    return run_shell(folder_, environment + " '" + program_path().string() + "' devices --json " + options);
  }

  TempFolder folder_;
};

TEST_F(Log, IsOffUnlessItIsAskedFor) { EXPECT_THAT(devices("", "").err, Not(HasSubstr("worker"))); }

TEST_F(Log, GoesToStandardErrorAlone) {
  const Finished finished = devices("", "-vv");
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_TRUE(finished.json().is_object());
  EXPECT_THAT(finished.err, ContainsRegex("[0-9]] .debug. worker [0-9]+: started .*wattune-worker"));
  EXPECT_THAT(finished.err, ContainsRegex(".debug. worker [0-9]+: ended with status 0"));
}

TEST_F(Log, IsNamedByTheEnvironmentWhereNoOptionIsGiven) {
  EXPECT_THAT(devices("WATTUNE_LOG=debug", "").err, HasSubstr(": started "));
  EXPECT_THAT(devices("WATTUNE_LOG=debug", "-v").err, Not(HasSubstr(": started ")));
  const Finished finished = devices("WATTUNE_LOG=loud", "");
  EXPECT_EQ(finished.status, 2);
  EXPECT_THAT(finished.err, HasSubstr("WATTUNE_LOG names no level: `loud`"));
}

TEST_F(Log, HoldsWhatWorkersSay) {
  if (!has_device()) GTEST_SKIP() << "no device here";
  write_add_spec(folder_, 1);
  const Finished finished = run_wattune(folder_, {"run", "add.toml", "-vv"});
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_THAT(finished.err, ContainsRegex(".debug. worker [0-9]+: opened "));
  EXPECT_THAT(finished.err, ContainsRegex(".debug. worker [0-9]+: compiling add took [0-9.]+ ms"));
  EXPECT_THAT(finished.out + finished.err, Not(HasSubstr("wattune-log")));
}

}  // namespace
}  // namespace wattune::cli_test
