#include "cli/inspect/restore_boards.h"

#include <gtest/gtest.h>

namespace wattune::cli {
namespace {

TEST(RestoreBoards, SaysWhatWasDoneAndWhatWasNot) {
  const power::StaleBoard done{"GPU-1", {"GPU-1 has the settings back that process 7 had changed"}, {}};
  const power::StaleBoard used{"GPU-2", {}, Error(ErrorCode::busy, "in the hands of process 8")};
  EXPECT_EQ(restore_text({done, used}),
            "GPU-1 has the settings back that process 7 had changed\nGPU-2: in the hands of process 8\n");
}

TEST(RestoreBoards, SaysThatNothingWasToDo) {
  EXPECT_EQ(restore_text({}), "no board has settings that a dead process left\n");
}

}  // namespace
}  // namespace wattune::cli
