// Ends a tuner badly at random points: the board is restored every time. WATTUNE_CRASH_SEED seeds the points, 1 by
// default; WATTUNE_CRASH_POINTS is their number, 20 by default.
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <array>
#include <string>

#include "power/interface/clocks.h"
#include "power/stand_in_board.h"
#include "wattune/core/random.h"

namespace wattune::inline v0_1::power {
namespace {

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

// The program `wattune-borrower` while it runs.
class Borrower {
 public:
  Borrower(std::uint64_t seed, std::uint64_t sets, int lease_ms, const std::string& ending) {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    steps_ = backend::Descriptor(ends[0]);
    const backend::Descriptor theirs(ends[1]);
    std::array<std::string, 5> words{test::program("wattune-borrower").string(), std::to_string(seed),
                                     std::to_string(sets), std::to_string(lease_ms), ending};
    char* arguments[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(), words[4].data(), nullptr};
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, theirs.get(), STDOUT_FILENO);
    EXPECT_EQ(posix_spawn(&pid_, arguments[0], &files, nullptr, arguments, environ), 0);
    posix_spawn_file_actions_destroy(&files);
  }
  Borrower(const Borrower&) = delete;
  Borrower& operator=(const Borrower&) = delete;
  ~Borrower() { end(); }

  pid_t pid() const { return pid_; }
  // Waits until it has announced so many steps, or ended.
  void await(std::uint64_t steps) const {
    char step = 0;
    while (steps > 0 && read(steps_.get(), &step, 1) == 1) --steps;
  }
  void reap() {
    if (pid_ > 0) waitpid(std::exchange(pid_, -1), nullptr, 0);
  }
  void end() {
    if (pid_ > 0) kill(pid_, SIGKILL);
    reap();
  }

 private:
  pid_t pid_ = -1;
  backend::Descriptor steps_;
};

struct CrashPoint {
  std::uint64_t seed;
  Random random{seed};
  std::uint64_t sets = random.below(6);
  // A step among borrowing, the settings and the ending.
  std::uint64_t step = 1 + random.below(sets + 2);
  useconds_t delay_us = static_cast<useconds_t>(random.below(3000));
};

void end_by_itself(const CrashPoint& point, const std::string& ending) {
  Borrower borrower(point.seed, point.sets, 60'000, ending);
  borrower.reap();
}

void kill_tuner(const CrashPoint& point) {
  Borrower borrower(point.seed, point.sets, 60'000, "wait");
  borrower.await(point.step);
  usleep(point.delay_us);
  borrower.end();
}

// Lets the tuner live on without a sign of life.
void hang(const CrashPoint& point) {
  Borrower borrower(point.seed, point.sets, 20, "hang");
  borrower.await(point.sets + 2);
  await_guardian();
  expect_board_is_back();
}

// Kills both in either order; the board is restored at the next start.
void kill_both(CrashPoint& point) {
  Borrower borrower(point.seed, point.sets, 60'000, "wait");
  borrower.await(point.step);
  usleep(point.delay_us);
  const bool guardian_first = point.random.below(2) == 0;
  const std::vector<pid_t> guardians = children_of(borrower.pid());
  if (!guardian_first) borrower.end();
  for (const pid_t guardian : guardians) kill(guardian, SIGKILL);
  borrower.end();
  await_guardian();
  if (point.random.below(2) == 0) {
    for (const StaleBoard& stale : restore_stale()) EXPECT_TRUE(stale.restored) << stale.restored.error().to_string();
  } else {
    EXPECT_TRUE(borrow_clocks(kBoard));
  }
}

void kill_guardian(const CrashPoint& point) {
  Borrower borrower(point.seed, point.sets, 60'000, "return");
  borrower.await(point.step);
  usleep(point.delay_us);
  for (const pid_t guardian : children_of(borrower.pid())) kill(guardian, SIGKILL);
  borrower.reap();
}

void crash_at(CrashPoint& point) {
  switch (point.random.below(7)) {
    case 0: return end_by_itself(point, "return");
    case 1: return end_by_itself(point, "exit");
    case 2: return end_by_itself(point, "abort");
    case 3: return kill_tuner(point);
    case 4: return hang(point);
    case 5: return kill_both(point);
    default: return kill_guardian(point);
  }
}

TEST(Crashes, OfATunerAndItsGuardianLeaveTheBoardAsItWas) {
  const std::uint64_t first = from_environment("WATTUNE_CRASH_SEED", 1);
  const std::uint64_t points = from_environment("WATTUNE_CRASH_POINTS", 20);
  for (std::uint64_t seed = first; seed < first + points; ++seed) {
    SCOPED_TRACE("WATTUNE_CRASH_POINTS=1 WATTUNE_CRASH_SEED=" + std::to_string(seed));
    CrashPoint point{seed};
    crash_at(point);
    await_guardian();
    expect_board_is_back();
    if (HasFailure()) return;
  }
  EXPECT_GT(fakes::fake_board().sets, 0u);
}

// The tuner would wait for an hour, but a stopped process does not renew its lease. Its steps are borrowing, settings,
// ending.
TEST(Crashes, AStoppedTunerGivesTheBoardBackWithItsLease) {
  constexpr std::uint64_t kSets = 3;
  Borrower borrower(1, kSets, 300, "keep");
  borrower.await(kSets + 2);
  kill(borrower.pid(), SIGSTOP);
  await_guardian();
  expect_board_is_back();
}

}  // namespace
}  // namespace wattune::power
