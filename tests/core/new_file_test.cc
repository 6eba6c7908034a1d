#include "core/new_file.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace wattune {
namespace {

namespace fs = std::filesystem;

class NewFile : public testing::Test {
 protected:
  NewFile() {
    std::string pattern = (fs::temp_directory_path() / "wattune_core_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    std::ofstream(folder_ / "precious") << "precious";
  }
  ~NewFile() override { fs::remove_all(folder_); }

  static std::string contents(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  // The name that write_beside() tries as its n-th.
  static fs::path beside(const fs::path& file, int n) {
    return file.string() + "." + std::to_string(::getpid()) + "." + std::to_string(n) + ".tmp";
  }

  fs::path folder_;
};

TEST_F(NewFile, HoldsWhatIsWritten) {
  const std::string text("zero \0 and a line\n", 18);
  ASSERT_TRUE(write_new_file(folder_ / "new", text));
  EXPECT_EQ(contents(folder_ / "new"), text);
}

TEST_F(NewFile, LeavesAloneWhatHasItsName) {
  const Result<void> refused = write_new_file(folder_ / "precious", "other");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::already_exists);
  EXPECT_EQ(refused.error().message(), "cannot write " + (folder_ / "precious").string() + ": File exists");
  EXPECT_EQ(contents(folder_ / "precious"), "precious");
}

TEST_F(NewFile, FollowsNoPlantedLink) {
  fs::create_symlink(folder_ / "precious", folder_ / "to_a_file");
  fs::create_symlink(folder_ / "nowhere", folder_ / "to_nothing");
  for (const char* link : {"to_a_file", "to_nothing"}) {
    const Result<void> refused = write_new_file(folder_ / link, "other");
    ASSERT_FALSE(refused) << link;
    EXPECT_EQ(refused.error().code(), ErrorCode::already_exists) << link;
  }
  EXPECT_EQ(contents(folder_ / "precious"), "precious");
  EXPECT_FALSE(fs::exists(folder_ / "nowhere"));
}

TEST_F(NewFile, BesideAnotherTakesAFreeName) {
  fs::create_symlink(folder_ / "precious", beside(folder_ / "result", 0));
  std::ofstream(beside(folder_ / "result", 1)) << "of a killed process";
  const Result<fs::path> name = write_beside(folder_ / "result", "text");
  ASSERT_TRUE(name) << name.error().to_string();
  EXPECT_EQ(*name, beside(folder_ / "result", 2));
  EXPECT_EQ(contents(*name), "text");
  EXPECT_EQ(contents(folder_ / "precious"), "precious");
}

TEST_F(NewFile, SpeaksOfTheFileThatItIsWrittenFor) {
  const fs::path file = folder_ / "missing" / "result";
  const Result<fs::path> refused = write_beside(file, "text");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(), "cannot write " + file.string() + ": No such file or directory");
  EXPECT_EQ(refused.error().code(), ErrorCode::not_found);
}

}  // namespace
}  // namespace wattune
