// The boards behind the stand-ins for libcuda and NVML: what NVML sets decides how long libcuda's kernels take.
//
// A run has several processes, each with stand-ins of its own, so that the boards lie in the file that
// WATTUNE_FAKE_BOARD names, of zeros before the first run; the first FakeBoard is that of device 0. Without it each
// process has boards of its own.
// Kernels take their time at 1755 MHz; below that clock they take so much longer. Under load the board draws
// 50 W + 0.15 W/MHz, and a power limit lowers the clock to where it draws no more. A profile (fakes/nvml/profile.h)
// puts the physics of a board that exists in the place of these numbers.
//
// Environment variables set what others have done to the boards before:
//   WATTUNE_FAKE_BOARD_CLOCK=1005   somebody holds the graphics clock at no more than this
//   WATTUNE_FAKE_BOARD_LIMIT=300000 somebody left this limit, in mW
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
  static constexpr unsigned kProcesses = 16;

  // 0: not set.
  unsigned graphics_lock;
  unsigned memory_lock;
  unsigned limit_mw;
  // How often NVML set something, and reset or restored it.
  unsigned sets;
  unsigned resets;
  // 0: not set.
  unsigned graphics_application;
  unsigned memory_application;
  unsigned foreign_clock;     // which no reset takes away
  int processes[kProcesses];  // that have a CUDA context on it; 0: none
  double launched_ms;         // what kernels took on it, since ever

  // What it was asked to run at; `otherwise` where nobody asked.
  unsigned graphics(unsigned otherwise = kFullClock) const {
    const unsigned asked = first_of(graphics_lock, graphics_application, otherwise);
    return foreign_clock != 0 ? std::min(asked, foreign_clock) : asked;
  }
  unsigned memory(unsigned otherwise = kMemoryClock) const {
    return first_of(memory_lock, memory_application, otherwise);
  }
  unsigned limit(unsigned otherwise = kUsualLimit) const { return limit_mw != 0 ? limit_mw : otherwise; }
  double clock_under_load() const {
    const double fits = (limit() / 1e3 - 50.0) / 0.15;
    return std::min<double>(graphics(), fits);
  }
  // Times the duration at full clock.
  double slowdown() const { return kFullClock / clock_under_load(); }

 private:
  static unsigned first_of(unsigned a, unsigned b, unsigned c) { return a != 0 ? a : b != 0 ? b : c; }
};

inline constexpr unsigned kFakeBoards = 8;

struct FakeBoards {
  FakeBoard boards[kFakeBoards];
  bool used;
  double passed_ns;  // of virtual time, where the stand-in for NVML has it
};

// What others did before the first use.
inline void begin_use(FakeBoards& all) {
  if (all.used) return;
  all.used = true;
  const auto number = [](const char* name) {
    const char* const text = std::getenv(name);
    return text != nullptr ? static_cast<unsigned>(std::atoi(text)) : 0u;
  };
  for (FakeBoard& board : all.boards) {
    board.foreign_clock = number("WATTUNE_FAKE_BOARD_CLOCK");
    board.limit_mw = number("WATTUNE_FAKE_BOARD_LIMIT");
  }
}

// Maps the file, made as large as this; nullptr: it cannot be.
inline void* shared_memory(const char* file, std::size_t bytes) {
  const int descriptor = open(file, O_RDWR | O_CREAT, 0600);
  void* memory = MAP_FAILED;
  if (descriptor >= 0 && ftruncate(descriptor, static_cast<off_t>(bytes)) == 0)
    memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (descriptor >= 0) close(descriptor);
  return memory == MAP_FAILED ? nullptr : memory;
}

// Of this process, or of all that share the file.
inline FakeBoards& fake_boards() {
  static FakeBoards* const boards = [] {
    static FakeBoards own{};
    const char* const file = std::getenv("WATTUNE_FAKE_BOARD");
    void* const shared = file != nullptr ? shared_memory(file, sizeof(FakeBoards)) : nullptr;
    FakeBoards* const all = shared != nullptr ? static_cast<FakeBoards*>(shared) : &own;
    begin_use(*all);
    return all;
  }();
  return *boards;
}

// That of a device, by CUDA's number.
inline FakeBoard& fake_board(unsigned device = 0) { return fake_boards().boards[device % kFakeBoards]; }

}  // namespace wattune::fakes
