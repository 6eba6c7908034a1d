#include "core/new_file.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>

#include "folder_test.h"

namespace wattune {
namespace {

namespace fs = std::filesystem;

class NewFile : public test::FolderTest {
 protected:
  NewFile() { test::write_contents(path("precious"), "precious"); }

  // Returns the name that write_beside() tries at its n-th attempt.
  static fs::path beside(const fs::path& file, int n) {
    return file.string() + "." + std::to_string(::getpid()) + "." + std::to_string(n) + ".tmp";
  }
};

TEST_F(NewFile, HoldsWhatIsWritten) {
  const std::string text("zero \0 and a line\n", 18);
  ASSERT_TRUE(write_new_file(path("new"), text));
  EXPECT_EQ(test::contents_of(path("new")), text);
}

TEST_F(NewFile, LeavesAloneWhatHasItsName) {
  const Result<void> refused = write_new_file(path("precious"), "other");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::already_exists);
  EXPECT_EQ(refused.error().message(), "cannot write " + path("precious").string() + ": File exists");
  EXPECT_EQ(test::contents_of(path("precious")), "precious");
}

TEST_F(NewFile, FollowsNoPlantedLink) {
  fs::create_symlink(path("precious"), path("to_a_file"));
  fs::create_symlink(path("nowhere"), path("to_nothing"));
  for (const char* link : {"to_a_file", "to_nothing"}) {
    const Result<void> refused = write_new_file(path(link), "other");
    ASSERT_FALSE(refused) << link;
    EXPECT_EQ(refused.error().code(), ErrorCode::already_exists) << link;
  }
  EXPECT_EQ(test::contents_of(path("precious")), "precious");
  EXPECT_FALSE(fs::exists(path("nowhere")));
}

TEST_F(NewFile, BesideAnotherTakesAFreeName) {
  fs::create_symlink(path("precious"), beside(path("result"), 0));
  std::ofstream(beside(path("result"), 1)) << "of a killed process";
  const Result<fs::path> name = write_beside(path("result"), "text");
  ASSERT_TRUE(name) << name.error().to_string();
  EXPECT_EQ(*name, beside(path("result"), 2));
  EXPECT_EQ(test::contents_of(*name), "text");
  EXPECT_EQ(test::contents_of(path("precious")), "precious");
}

TEST_F(NewFile, SpeaksOfTheFileThatItIsWrittenFor) {
  const fs::path file = path("missing") / "result";
  const Result<fs::path> refused = write_beside(file, "text");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(), "cannot write " + file.string() + ": No such file or directory");
  EXPECT_EQ(refused.error().code(), ErrorCode::not_found);
}

}  // namespace
}  // namespace wattune
