// Clocks that are borrowed through a guardian, on the stand-in's board.
#include "power/interface/clocks.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>

#include "checksums.h"
#include "power/board_journal.h"
#include "power/stand_in_board.h"
#include "source_dir.h"

namespace wattune::inline v0_1::power {
namespace {

using backend::BoardSetting;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const BoardSetting kSetting{.graphics = Megahertz(1200), .memory = Megahertz(1593), .power_limit = Watts(300)};

class ClockLeases : public ::testing::Test {
 protected:
  void SetUp() override { fakes::fake_board() = {}; }
  void TearDown() override {
    for (const char* name : {"ARCHITECTURE", "LOG", "MIG", "PROCESSES", "SET"})
      unsetenv(("WATTUNE_FAKE_NVML_" + std::string(name)).c_str());
    std::filesystem::remove_all(kStandIn.state());
  }

  static std::unique_ptr<ClockLease> borrow(const BorrowOptions& options = {}) {
    return borrow_clocks(kBoard, options).value();
  }
  static Error refusal(const BorrowOptions& options = {}) { return borrow_clocks(kBoard, options).error(); }

  // Leaves the state of a guardian that was killed after it had locked the graphics clock and lowered the limit.
  static void leave_debt(const ProcessIdentity& tuner, const std::string& boot = boot_id()) {
    fakes::fake_board().graphics_lock = 1200;
    fakes::fake_board().limit_mw = 300'000;
    BoardJournal journal = BoardJournal::lock(kStandIn.state(), kUuid, tuner).value();
    const backend::nvml::BoardDebt debt{.graphics_lock = true, .limit_mw = fakes::FakeBoard::kUsualLimit};
    ASSERT_TRUE(journal.write({kUuid, kBoard, boot, tuner, debt}));
  }
  static std::string text_of(const std::filesystem::path& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  // Returns the identity of no process: the one with this number began at another time.
  static ProcessIdentity dead() { return {getpid(), 1}; }
};

TEST_F(ClockLeases, AreSeenByOthersAsLongAsSomethingIsSet) {
  const auto lease = borrow();
  EXPECT_FALSE(held_setting(kBoard));
  ASSERT_TRUE(lease->set(kSetting));
  EXPECT_EQ(held_setting(kBoard), kSetting);
  ASSERT_TRUE(lease->restore());
  EXPECT_FALSE(held_setting(kBoard));
}

TEST_F(ClockLeases, SetThroughTheGuardianAndReadHere) {
  const auto lease = borrow();
  EXPECT_EQ(fakes::fake_board().sets, 0u);
  ASSERT_TRUE(lease->set(kSetting));
  EXPECT_EQ(lease->current().value(), kSetting);
  ASSERT_TRUE(lease->restore());
  expect_board_is_back();
}

TEST_F(ClockLeases, EndWithTheBoardGivenBack) {
  auto lease = borrow();
  ASSERT_TRUE(lease->set(kSetting));
  EXPECT_TRUE(std::filesystem::exists(kStandIn.journal()));
  lease.reset();
  expect_board_is_back();
  EXPECT_THAT(children_of(getpid()), IsEmpty());
}

TEST_F(ClockLeases, RefuseAClockThatTheBoardDoesNotHave) {
  const auto lease = borrow();
  const Error error = lease->set({.graphics = Megahertz(1411)}).error();
  EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
  EXPECT_THAT(error.to_string(), HasSubstr("no graphics clock of 1411 MHz"));
  EXPECT_THAT(lease->set({.graphics = Megahertz(1410), .memory = Megahertz(1593)}).error().to_string(),
              HasSubstr("no graphics clock of 1410 MHz with 1593 MHz of memory"));
  EXPECT_EQ(fakes::fake_board().sets, 0u);
}

TEST_F(ClockLeases, OfOneBoardGoToOneTuner) {
  const auto first = borrow();
  const Error error = refusal({.take_over = true});
  EXPECT_EQ(error.code(), ErrorCode::busy);
  EXPECT_THAT(error.to_string(), HasSubstr("the clocks of the board " + kUuid + " are in the hands of process " +
                                           std::to_string(getpid())));
  ASSERT_TRUE(first->set(kSetting));
  EXPECT_EQ(restore_stale().at(0).restored.error().code(), ErrorCode::busy);  // in use, not stale
  EXPECT_EQ(first->current().value(), kSetting);
}

TEST_F(ClockLeases, EndWhenNothingIsHeardOfTheTuner) {
  const auto lease = borrow({.lease = nanoseconds_from_ms(30)});
  ASSERT_TRUE(lease->set(kSetting));
  await_guardian();
  expect_board_is_back();
  EXPECT_THAT(lease->set(kSetting).error().to_string(),
              HasSubstr("the guardian has given the clocks back: nothing was heard of the process for 0.03 s"));
  expect_board_is_back();
}

// The borrower waits for a compiler for more than two leases. Each is renewed four times.
TEST_F(ClockLeases, AreRenewedForABorrowerThatIsPatient) {
  const auto lease = borrow({.lease = nanoseconds_from_seconds(1), .patience = nanoseconds_from_seconds(3600)});
  ASSERT_TRUE(lease->set(kSetting));
  usleep(2'400'000);
  EXPECT_EQ(lease->current().value(), kSetting);
  EXPECT_TRUE(lease->renew());
}

// Two minutes after a tuner was stopped, the board is free again, whatever the tuner was waiting for.
TEST_F(ClockLeases, LastTwoMinutes) { EXPECT_EQ(BorrowOptions().lease, nanoseconds_from_seconds(120)); }

// A stopped guardian cannot do anything, but the lease is over as soon as it can.
TEST_F(ClockLeases, AGuardianThatWasStoppedBeyondTheLeaseGivesTheBoardBackWhenItGoesOn) {
  const auto lease = borrow({.lease = nanoseconds_from_ms(50)});
  const pid_t guardian = children_of(getpid()).at(0);
  ASSERT_TRUE(lease->set(kSetting));
  kill(guardian, SIGSTOP);
  usleep(100'000);
  EXPECT_EQ(fakes::fake_board().graphics_lock, 1200u);
  // A guardian could restore the board from the journal if this one were killed now.
  EXPECT_TRUE(std::filesystem::exists(kStandIn.journal()));
  kill(guardian, SIGCONT);
  await_guardian();
  expect_board_is_back();
  EXPECT_THAT(lease->set(kSetting).error().to_string(), HasSubstr("nothing was heard of the process"));
}

TEST_F(ClockLeases, AGuardianThatIsKilledWhileItIsStoppedIsFollowedByAnother) {
  auto lease = borrow();
  const pid_t guardian = children_of(getpid()).at(0);
  ASSERT_TRUE(lease->set(kSetting));
  kill(guardian, SIGSTOP);
  kill(guardian, SIGKILL);
  await_guardian();
  EXPECT_EQ(fakes::fake_board().graphics_lock, 1200u);
  lease.reset();
  expect_board_is_back();
}

// If the debt cannot be written down, nothing may be set: a folder stands where the journal belongs.
TEST_F(ClockLeases, WriteTheJournalBeforeTheySetAnything) {
  const auto log = kStandIn.path / "calls";
  setenv("WATTUNE_FAKE_NVML_LOG", log.c_str(), 1);
  const auto sets_anything = [&] { return text_of(log).find("nvmlDeviceSet") != std::string::npos; };
  const auto lease = borrow();
  std::filesystem::create_directories(kStandIn.journal() / "in the way");
  EXPECT_FALSE(lease->set(kSetting));
  EXPECT_FALSE(sets_anything());
  EXPECT_EQ(fakes::fake_board().sets, 0u);
  std::filesystem::remove_all(kStandIn.journal());
}

// Pascal, 4, is the last architecture that cannot lock its clocks.
TEST_F(ClockLeases, OfABoardWithoutLocksSetApplicationClocks) {
  setenv("WATTUNE_FAKE_NVML_ARCHITECTURE", "4", 1);
  auto lease = borrow();
  ASSERT_TRUE(lease->set(kSetting));
  EXPECT_EQ(fakes::fake_board().graphics_lock, 0u);
  EXPECT_EQ(fakes::fake_board().graphics_application, 1200u);
  EXPECT_EQ(fakes::fake_board().memory_application, 1593u);
  EXPECT_EQ(lease->current().value(), kSetting);
  lease.reset();
  EXPECT_EQ(fakes::fake_board().graphics_application, 0u);
  EXPECT_EQ(fakes::fake_board().memory_application, 0u);
  expect_board_is_back();
}

TEST_F(ClockLeases, ApplicationClocksThatSomebodyChoseAreRespectedAndComeBack) {
  setenv("WATTUNE_FAKE_NVML_ARCHITECTURE", "4", 1);
  fakes::fake_board().graphics_application = 1005;
  fakes::fake_board().memory_application = 2619;
  EXPECT_THAT(refusal().to_string(), HasSubstr("1005"));
  auto lease = borrow({.take_over = true});
  ASSERT_TRUE(lease->set({.graphics = Megahertz(1200)}));
  EXPECT_EQ(fakes::fake_board().graphics_application, 1200u);
  EXPECT_EQ(fakes::fake_board().memory_application, 2619u);
  lease.reset();
  EXPECT_EQ(fakes::fake_board().graphics_application, 1005u);
  EXPECT_EQ(fakes::fake_board().memory_application, 2619u);
}

TEST_F(ClockLeases, ApplicationClocksOfADeadTunerAreRestoredByTheNext) {
  setenv("WATTUNE_FAKE_NVML_ARCHITECTURE", "4", 1);
  auto lease = borrow();
  ASSERT_TRUE(lease->set(kSetting));
  kill(children_of(getpid()).at(0), SIGKILL);
  await_guardian();
  EXPECT_EQ(fakes::fake_board().graphics_application, 1200u);
  lease.reset();
  EXPECT_EQ(fakes::fake_board().graphics_application, 0u);
  expect_board_is_back();
}

TEST_F(ClockLeases, OutliveTheSignalsOfATerminalAndEndWithSigterm) {
  const auto lease = borrow();
  const pid_t guardian = children_of(getpid()).at(0);
  EXPECT_EQ(getsid(guardian), guardian);
  for (const int each : {SIGINT, SIGQUIT, SIGHUP, SIGTSTP}) kill(guardian, each);
  ASSERT_TRUE(lease->set(kSetting));
  kill(guardian, SIGTERM);
  await_guardian();
  expect_board_is_back();
  EXPECT_THAT(lease->renew(), ::testing::ResultOf([](const auto& r) { return r.has_value(); }, true));  // too early
  EXPECT_THAT(lease->set(kSetting).error().to_string(), HasSubstr("it was told to end"));
}

TEST_F(ClockLeases, WhoseGuardianIsKilledAreGivenBackByTheNext) {
  auto lease = borrow();
  ASSERT_TRUE(lease->set(kSetting));
  kill(children_of(getpid()).at(0), SIGKILL);
  await_guardian();
  EXPECT_EQ(fakes::fake_board().graphics_lock, 1200u);
  EXPECT_THAT(lease->set(kSetting).error().to_string(), HasSubstr("is gone"));
  lease.reset();
  expect_board_is_back();
}

TEST_F(ClockLeases, FindAStaleJournalPaid) {
  leave_debt(dead());
  const auto lease = borrow();
  EXPECT_THAT(lease->notes(), ElementsAre(HasSubstr(kUuid + " has the settings back that process")));
  expect_board_is_back();
}

// The number of the dead tuner may now be that of another process.
TEST_F(ClockLeases, OfALivingTunerAreNotTaken) {
  leave_debt(identity_of(getppid()).value());
  const Error error = refusal();
  EXPECT_EQ(error.code(), ErrorCode::busy);
  EXPECT_THAT(error.to_string(), HasSubstr("process " + std::to_string(getppid()) + " set the clocks"));
  EXPECT_EQ(fakes::fake_board().graphics_lock, 1200u);
}

// Sandboxes and virtual machines have boot ids of their own, while the board stays as it was set.
TEST_F(ClockLeases, OfAnotherStartOfTheMachineAreGivenBackToo) {
  leave_debt(dead(), "another start");
  const auto lease = borrow();
  EXPECT_THAT(lease->notes(), ElementsAre(HasSubstr(kUuid + " has the settings back that process")));
  expect_board_is_back();
}

// The number and the start of a process mean nothing after another start: this process's parent set nothing.
TEST_F(ClockLeases, OfAnotherStartHaveNoLivingTuner) {
  leave_debt(identity_of(getppid()).value(), "another start");
  EXPECT_TRUE(restore_stale().at(0).restored);
  expect_board_is_back();
}

TEST_F(ClockLeases, AStateFolderOfOthersIsNotObeyed) {
  leave_debt(dead());
  for (const mode_t rights : {0777, 0775, 0757, 01777}) {
    chmod(kStandIn.state().c_str(), rights);
    EXPECT_THAT(restore_stale().at(0).restored.error().to_string(), HasSubstr("can be written by others")) << rights;
    EXPECT_THAT(refusal().to_string(), HasSubstr("can be written by others")) << rights;
  }
  chmod(kStandIn.state().c_str(), 0755);
  if (chown(kStandIn.state().c_str(), 12345, 12345) == 0) {
    EXPECT_THAT(restore_stale().at(0).restored.error().to_string(), HasSubstr("belongs to user 12345"));
    ASSERT_EQ(chown(kStandIn.state().c_str(), geteuid(), getegid()), 0);
  }
  EXPECT_EQ(fakes::fake_board().graphics_lock, 1200u) << "nothing was set by what is not believed";
  EXPECT_TRUE(restore_stale().at(0).restored);
  expect_board_is_back();
}

TEST_F(ClockLeases, AStateFolderThatIsNoneIsALine) {
  std::ofstream(kStandIn.state()) << "";
  EXPECT_FALSE(restore_stale().at(0).restored);
  std::filesystem::remove(kStandIn.state());
  EXPECT_THAT(restore_stale(), IsEmpty());
}

// Runs in a child without rights, because root can read everything.
TEST_F(ClockLeases, AStateFolderThatCannotBeReadIsALine) {
  leave_debt(dead());
  chmod(kStandIn.state().c_str(), 0);
  const pid_t child = fork();
  if (child == 0) {
    if (geteuid() == 0 && (chown(kStandIn.state().c_str(), 12345, 12345) != 0 || setuid(12345) != 0)) _exit(2);
    const std::vector<StaleBoard> stale = restore_stale();
    const bool told = stale.size() == 1 && !stale[0].restored &&
                      stale[0].restored.error().to_string().find("Permission denied") != std::string::npos;
    _exit(told ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  ASSERT_EQ(chown(kStandIn.state().c_str(), geteuid(), getegid()), 0);
  chmod(kStandIn.state().c_str(), 0755);
  EXPECT_TRUE(restore_stale().at(0).restored);
}

TEST_F(ClockLeases, MakeTheirFolderSoThatNobodyElseWritesThere) {
  const mode_t before = umask(0);
  { const auto lease = borrow(); }
  umask(before);
  struct stat made {};
  ASSERT_EQ(stat(kStandIn.state().c_str(), &made), 0);
  EXPECT_EQ(made.st_mode & 07777, 0755u);
}

TEST_F(ClockLeases, APipeForALockIsALineAndNoWait) {
  std::filesystem::create_directories(kStandIn.state());
  ASSERT_EQ(mkfifo((kStandIn.state() / (kUuid + ".lock")).c_str(), 0600), 0);
  EXPECT_THAT(refusal().to_string(), HasSubstr("is a pipe, where a file is needed"));
}

TEST_F(ClockLeases, ABoardThatIsElsewhereNowIsTold) {
  leave_debt(dead());
  std::filesystem::rename(kStandIn.journal(), kStandIn.state() / "GPU-0.journal");
  const std::string text = text_of(kStandIn.state() / "GPU-0.journal");
  std::string other = text;
  other.replace(other.find(kUuid), kUuid.size(), "GPU-0");
  std::ofstream(kStandIn.state() / "GPU-0.journal") << with_checksums(other);
  EXPECT_THAT(restore_stale().at(0).restored.error().to_string(),
              HasSubstr(std::string("it is no longer at ") + kBoard));
}

TEST_F(ClockLeases, ARestoreThatFailsIsToldAndOwedStill) {
  leave_debt(dead());
  setenv("WATTUNE_FAKE_NVML_SET", "999", 1);
  const std::vector<StaleBoard> stale = restore_stale();
  ASSERT_EQ(stale.size(), 1u);
  EXPECT_THAT(stale[0].restored.error().to_string(), HasSubstr("resetting the graphics clock: error 999"));
  EXPECT_TRUE(std::filesystem::exists(kStandIn.journal()));
  unsetenv("WATTUNE_FAKE_NVML_SET");
  EXPECT_TRUE(restore_stale(kUuid).at(0).restored);
  expect_board_is_back();
  EXPECT_THAT(restore_stale(), IsEmpty());
}

TEST_F(ClockLeases, OfAnotherBoardAreLeftToIt) {
  leave_debt(dead());
  EXPECT_THAT(restore_stale("0000:41:00.0"), IsEmpty());
  EXPECT_EQ(restore_stale(kBoard).size(), 1u);
}

TEST_F(ClockLeases, ADamagedJournalSaysWhatToDo) {
  std::filesystem::create_directories(kStandIn.state());
  std::ofstream(kStandIn.journal()) << "{";
  EXPECT_THAT(refusal().to_string(), HasSubstr("nvidia-smi -rgc"));
  EXPECT_THAT(restore_stale().at(0).restored.error().to_string(), HasSubstr(kUuid + ".journal cannot be read"));
}

// The states are a guardian's, with one text replaced, and with a correct new checksum if wanted.
TEST_F(ClockLeases, AStateThatCannotBeTrueIsNotObeyed) {
  leave_debt(dead());
  const std::string whole = text_of(kStandIn.journal());
  const auto changed = [&](const std::string& from, const std::string& to, bool is_sealed) {
    std::string text = whole;
    text.replace(text.find(from), from.size(), to);
    std::ofstream(kStandIn.journal()) << (is_sealed ? with_checksums(text) : text);
    return restore_stale().at(0).restored.error().to_string();
  };
  EXPECT_THAT(changed("\"graphics_lock\":true", "\"graphics_lock\":false", false), HasSubstr("its checksum is wrong"));
  EXPECT_THAT(changed("\"graphics_lock\":true", "\"graphics_lock\":1", true),
              HasSubstr("`graphics_lock` must be true"));
  EXPECT_THAT(changed("700000", "-1", true), HasSubstr("`power_limit_mw` must be a whole number from 1 to"));
  EXPECT_THAT(changed("\"pid\":", "\"pid\":4294967296,\"was\":", true), HasSubstr("`pid` must be a whole number"));
  EXPECT_THAT(changed(kUuid, "GPU-0", true), HasSubstr("not that of the file's name"));
  EXPECT_THAT(changed("wattune_power", "wattune_power_of", true), HasSubstr("is no power state of Wattune"));
  EXPECT_THAT(changed(":2,", ":3,", true), HasSubstr("this Wattune reads up to 2"));
  EXPECT_EQ(fakes::fake_board().graphics_lock, 1200u) << "nothing was set by what is not believed";
}

TEST_F(ClockLeases, AStateOfAnOlderWattuneIsObeyedAndSaidToBeUnsealed) {
  const std::string old = text_of(WATTUNE_SOURCE_DIR + std::string("/tests/older/power.journal"));
  leave_debt(dead());
  std::string of_this_start = old;
  of_this_start.replace(of_this_start.find("an earlier start"), 16, boot_id());
  std::ofstream(kStandIn.journal()) << of_this_start;
  const StaleBoard restored = restore_stale().at(0);
  EXPECT_TRUE(restored.restored);
  EXPECT_THAT(restored.notes,
              ElementsAre(HasSubstr("is unsealed"), HasSubstr("has the settings back that process 4711 had changed")));
  expect_board_is_back();

  std::filesystem::create_directories(kStandIn.state());
  std::ofstream(kStandIn.journal()) << old;
  EXPECT_THAT(restore_stale().at(0).notes, Contains(HasSubstr("has the settings back that process 4711 had changed")));
}

TEST_F(ClockLeases, AStateWithoutAChecksumKeepsItsBytesWhenAnotherTakesItsPlace) {
  const std::string old = text_of(WATTUNE_SOURCE_DIR + std::string("/tests/older/power.journal"));
  BoardJournal journal = BoardJournal::lock(kStandIn.state(), kUuid, dead()).value();
  std::ofstream(kStandIn.journal()) << old;
  JournalEntry entry = journal.read().value().value();
  EXPECT_TRUE(entry.unsealed);
  ASSERT_TRUE(journal.write(entry));
  EXPECT_EQ(text_of(kStandIn.journal().string() + ".unsealed"), old);
  EXPECT_FALSE(journal.read().value().value().unsealed);
}

TEST_F(ClockLeases, APipeInTheStateFolderIsALineAndNoWait) {
  std::filesystem::create_directories(kStandIn.state());
  ASSERT_EQ(mkfifo(kStandIn.journal().c_str(), 0600), 0);
  EXPECT_THAT(restore_stale().at(0).restored.error().to_string(), HasSubstr("is a pipe, where a file is needed"));
}

TEST_F(ClockLeases, AForeignLimitIsRespected) {
  fakes::fake_board().limit_mw = 450'000;
  const Error error = refusal();
  EXPECT_THAT(error.to_string(), HasSubstr("somebody has set the power limit of the board to 450 W, from 700 W"));
  EXPECT_THAT(error.to_string(), HasSubstr("taking the board over"));
  auto lease = borrow({.take_over = true});
  ASSERT_TRUE(lease->set(kSetting));
  lease.reset();
  EXPECT_EQ(fakes::fake_board().limit(), 450'000u);  // the value before, not the default
}

TEST_F(ClockLeases, OthersThatComputeAreRespected) {
  setenv("WATTUNE_FAKE_NVML_PROCESSES", "1", 1);
  const Error error = refusal();
  EXPECT_EQ(error.code(), ErrorCode::busy);
  EXPECT_THAT(error.to_string(), HasSubstr("process 1 computes on the board, too"));
  EXPECT_TRUE(borrow_clocks(kBoard, {.take_over = true}));
}

// A container hides processes: an empty list means nothing if one's own context must be on it.
TEST_F(ClockLeases, AListThatLacksOneselfIsNotBelieved) {
  setenv("WATTUNE_FAKE_NVML_PROCESSES", "hidden", 1);
  EXPECT_THAT(refusal({.has_context = true}).to_string(), HasSubstr("it cannot be told whether other processes"));
  EXPECT_TRUE(borrow_clocks(kBoard, {.has_context = false}));
}

TEST_F(ClockLeases, MigIsRefused) {
  setenv("WATTUNE_FAKE_NVML_MIG", "1", 1);
  EXPECT_THAT(refusal().to_string(), HasSubstr("MIG is on"));
}

TEST_F(ClockLeases, NeedAFolderForTheirState) {
  std::ofstream(kStandIn.state()) << "a file";
  EXPECT_THAT(refusal().to_string(), HasSubstr("WATTUNE_STATE_DIR"));
}

TEST_F(ClockLeases, NeedTheirProgram) {
  EXPECT_THAT(refusal({.guardian = "/no/such/program"}).to_string(),
              HasSubstr("the guardian of the clocks cannot be started: /no/such/program: No such file"));
}

}  // namespace
}  // namespace wattune::power
