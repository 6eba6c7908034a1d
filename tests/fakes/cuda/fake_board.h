// The board behind the stand-ins for libcuda and NVML: what NVML sets decides how long libcuda's kernels take.
//
// A run has several processes, each with stand-ins of its own, so that the board lies in the file that
// WATTUNE_FAKE_BOARD names, of zeros before the first run. Without it each process has a board of its own.
// Kernels take their time at 1755 MHz; below that clock they take so much longer. Under load the board draws
// 50 W + 0.15 W/MHz, and a power limit lowers the clock to where it draws no more.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace wattune::fakes {

struct FakeBoard {
  static constexpr unsigned kFullClock = 1755;      // MHz, of an idle board that nobody set, too
  static constexpr unsigned kMemoryClock = 2619;    // MHz
  static constexpr unsigned kUsualLimit = 700'000;  // mW

  // 0: not set.
  unsigned graphics_lock;
  unsigned memory_lock;
  unsigned limit_mw;
  // How often NVML set something, and reset or restored it.
  unsigned sets;
  unsigned resets;

  unsigned graphics() const { return graphics_lock != 0 ? graphics_lock : kFullClock; }
  unsigned memory() const { return memory_lock != 0 ? memory_lock : kMemoryClock; }
  unsigned limit() const { return limit_mw != 0 ? limit_mw : kUsualLimit; }
  double clock_under_load() const {
    const double fits = (limit() / 1e3 - 50.0) / 0.15;
    return std::min<double>(graphics(), fits);
  }
  // Times the duration at full clock.
  double slowdown() const { return kFullClock / clock_under_load(); }
};

// Of this process, or of all that share the file.
inline FakeBoard& fake_board() {
  static FakeBoard* const board = [] {
    static FakeBoard own{};
    const char* const file = std::getenv("WATTUNE_FAKE_BOARD");
    if (file == nullptr) return &own;
    const int descriptor = open(file, O_RDWR | O_CREAT, 0600);
    void* memory = MAP_FAILED;
    if (descriptor >= 0 && ftruncate(descriptor, sizeof(FakeBoard)) == 0)
      memory = mmap(nullptr, sizeof(FakeBoard), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (descriptor >= 0) close(descriptor);
    return memory == MAP_FAILED ? &own : static_cast<FakeBoard*>(memory);
  }();
  return *board;
}

}  // namespace wattune::fakes
