// The stand-in's board in a file that guardians share, beside the folder of their state, for tests of its clocks.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "backend/interface/descriptor.h"
#include "fakes/cuda/fake_board.h"
#include "programs.h"

namespace wattune::inline v0_1::power {

inline constexpr const char* kBoard = "0000:3B:00.0";
inline const std::string kUuid = "GPU-57a4d000-0000-4000-8000-00000000003b";

// The folder of this process and all that it starts. It is made before anything loads NVML, and removed at the end.
struct StandInFolder {
  StandInFolder() {
    char name[] = "/tmp/wattune-clocks-XXXXXX";
    path = mkdtemp(name);
    setenv("WATTUNE_LIBNVML", test::program("wattune-fake-libnvml.so").c_str(), 1);
    setenv("WATTUNE_FAKE_BOARD", (path / "board").c_str(), 1);
    setenv("WATTUNE_STATE_DIR", (path / "state").c_str(), 1);
  }
  ~StandInFolder() { std::filesystem::remove_all(path); }
  StandInFolder(const StandInFolder&) = delete;
  StandInFolder& operator=(const StandInFolder&) = delete;

  std::filesystem::path state() const { return path / "state"; }
  std::filesystem::path journal() const { return state() / (kUuid + ".journal"); }

  std::filesystem::path path;
};

inline const StandInFolder kStandIn;

// Waits until no guardian has the board.
inline void await_guardian() {
  std::filesystem::create_directories(kStandIn.state());
  const auto file = kStandIn.state() / (kUuid + ".lock");
  const backend::Descriptor lock(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  ASSERT_EQ(flock(lock.get(), LOCK_EX), 0);
}

// Expects that nothing is set and nothing is owed.
inline void expect_board_is_back() {
  EXPECT_EQ(fakes::fake_board().graphics_lock, 0u);
  EXPECT_EQ(fakes::fake_board().memory_lock, 0u);
  EXPECT_EQ(fakes::fake_board().limit(), fakes::FakeBoard::kUsualLimit);
  EXPECT_FALSE(std::filesystem::exists(kStandIn.journal()));
}

inline std::vector<pid_t> children_of(pid_t process) {
  std::ifstream list("/proc/" + std::to_string(process) + "/task/" + std::to_string(process) + "/children");
  std::vector<pid_t> children;
  for (pid_t child = 0; list >> child;) children.push_back(child);
  return children;
}

}  // namespace wattune::power
