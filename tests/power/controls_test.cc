// Settings that may be changed, found without changing any.
#include "power/interface/controls.h"

#include <gmock/gmock.h>

#include <sstream>

#include "power/process_identity.h"
#include "power/stand_in_board.h"

namespace wattune::inline v0_1::power {
namespace {

bool administrator(const std::string& status, const std::string& uid_map) {
  std::istringstream status_lines(status);
  std::istringstream uid_lines(uid_map);
  return is_administrator(status_lines, uid_lines);
}

constexpr const char* kAllUsers = "         0          0 4294967295\n";

// CAP_SYS_ADMIN is bit 21: 0x200000.
TEST(Administrator, HasSysAdminInTheFirstNamespaceOfUsers) {
  EXPECT_TRUE(administrator("Name:\ta\nCapPrm:\t0\nCapEff:\t000001ffffffffff\nCapBnd:\t0\n", kAllUsers));
  EXPECT_TRUE(administrator("CapEff:\t0000000000200000\n", kAllUsers));
  EXPECT_FALSE(administrator("CapEff:\t0000000000000000\n", kAllUsers));
  // Root in a container that was started with default options.
  EXPECT_FALSE(administrator("Uid:\t0\t0\t0\t0\nCapEff:\t00000000a80425fb\n", kAllUsers));
  EXPECT_FALSE(administrator("CapEff:\t000001ffffffffff\n", "0 1000 1\n"));
  EXPECT_FALSE(administrator("", ""));
}

TEST(Controls, AreThoseOfTheBoardAndFoundWithoutSetting) {
  const unsigned sets = fakes::fake_board().sets;
  const std::vector<Control> controls = find_controls(kBoard).value();
  ASSERT_EQ(controls.size(), 4u);
  EXPECT_TRUE(controls[0].usable());
  EXPECT_TRUE(controls[1].usable());
  EXPECT_TRUE(controls[3].usable());
  EXPECT_STREQ(to_string(controls[3].kind), "power limit");
  EXPECT_TRUE(check_permission(kBoard, {.graphics = Megahertz(1200), .power_limit = Watts(300)}));
  EXPECT_EQ(fakes::fake_board().sets, sets);
}

TEST(Controls, OfAnUnknownBoardAreAnError) {
  EXPECT_THAT(find_controls("0000:01:00.0").error().to_string(), ::testing::HasSubstr("it does not know the device"));
}

TEST(Processes, AreToldApartByTheirStart) {
  const ProcessIdentity self = identity_of(getpid()).value();
  EXPECT_TRUE(lives(self));
  EXPECT_FALSE(lives({self.pid, self.start + 1}));
  EXPECT_TRUE(descends_from(getpid(), getppid()));
  EXPECT_FALSE(descends_from(getppid(), getpid()));
}

}  // namespace
}  // namespace wattune::power
