#include "store/interface/locked_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cstdarg>
#include <functional>
#include <optional>
#include <sstream>

#include "store/file_lock.h"
#include "store/sample_results.h"

namespace wattune::inline v0_1::store {
namespace {

using testing::HasSubstr;

// An action of another process between opening and locking a file.
std::function<void()> before_locking;

}  // namespace
}  // namespace wattune::store

// Replaces the function of the C library in this program.
extern "C" int fcntl(int descriptor, int command, ...) {
  std::va_list arguments;
  va_start(arguments, command);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  if (command == F_OFD_SETLK && wattune::store::before_locking)
    std::exchange(wattune::store::before_locking, nullptr)();
  return static_cast<int>(::syscall(SYS_fcntl, descriptor, command, argument));
}

namespace wattune::inline v0_1::store {
namespace {

class LockedFileTest : public FolderTest {
 protected:
  const std::filesystem::path file_ = path("run.journal");
};

// Otherwise it would go on writing to a file without a name, or to one that was set aside.
TEST_F(LockedFileTest, LocksTheFileThatHasTheNameWhenItIsLocked) {
  write_contents(file_, "old");
  before_locking = [this] { std::filesystem::rename(file_, path("old")); };
  auto locked = LockedFile::open(file_);
  ASSERT_TRUE(locked) << locked.error().to_string();
  ASSERT_FALSE(before_locking);
  EXPECT_TRUE(locked->check_intact());
  ASSERT_TRUE(locked->append("new"));
  EXPECT_EQ(contents_of(file_), "new");
  EXPECT_EQ(contents_of(path("old")), "old");
}

// The lock is released between the first try and the second.
TEST_F(LockedFileTest, WaitsForTheLockWhenTold) {
  std::optional<LockedFile> held(LockedFile::open(file_).value());
  EXPECT_EQ(LockedFile::open(file_).error().code(), ErrorCode::busy);
  before_locking = [&held] { before_locking = [&held] { held.reset(); }; };
  EXPECT_TRUE(LockedFile::open(file_, std::chrono::hours(1)));
  EXPECT_FALSE(held);
}

TEST_F(LockedFileTest, ReadersMayReadWhatIsLocked) {
  auto locked = LockedFile::open(file_);
  ASSERT_TRUE(locked && locked->append("text"));
  const int reader = ::open(file_.c_str(), O_RDONLY | O_CLOEXEC);
  struct flock whole {};
  whole.l_type = F_RDLCK;
  whole.l_whence = SEEK_SET;
  whole.l_len = 4;
  EXPECT_EQ(::fcntl(reader, F_OFD_SETLK, &whole), 0);
  ::close(reader);
}

std::string doubt_with(const std::string& type, const std::string& options) {
  std::istringstream mountinfo(
      "22 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw\n36 22 0:47 / /data rw,noatime shared:7 master:2 - " +
      type + " host:/export " + options + "\n");
  return doubt_about_locks(mountinfo, ::makedev(0, 47));
}

TEST(LockDoubt, IsAboutMountsThatKeepLocksOnOneHost) {
  EXPECT_EQ(doubt_with("nfs", "rw,vers=3,nolock,local_lock=all"),
            "its file system (nfs) keeps locks on this host only: let no other process write it");
  EXPECT_THAT(doubt_with("nfs4", "rw,vers=4.2,local_lock=posix"), HasSubstr("(nfs4) keeps locks on this host only"));
  EXPECT_THAT(doubt_with("lustre", "rw,localflock,lazystatfs"), HasSubstr("(lustre) keeps locks on this host only"));
  EXPECT_THAT(doubt_with("fuse.sshfs", "rw,user_id=0"), HasSubstr("(fuse.sshfs) may keep locks on this host only"));
  EXPECT_THAT(doubt_with("beegfs", "rw"), HasSubstr("(beegfs) may keep locks on this host only"));
}

TEST(LockDoubt, IsNoneWhereLocksReachEverybody) {
  EXPECT_EQ(doubt_with("nfs4", "rw,vers=4.2,local_lock=none"), "");
  EXPECT_EQ(doubt_with("nfs", "rw,vers=3,local_lock=flock"), "");
  EXPECT_EQ(doubt_with("lustre", "rw,flock,lazystatfs"), "");
  EXPECT_EQ(doubt_with("ceph", "rw"), "");
  std::istringstream other("36 22 0:46 / /data rw - nfs host:/export rw,nolock\n");
  EXPECT_EQ(doubt_about_locks(other, ::makedev(0, 47)), "");
}

}  // namespace
}  // namespace wattune::store
