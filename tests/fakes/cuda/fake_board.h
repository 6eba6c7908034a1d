// The boards behind the stand-ins for libcuda and NVML: the clocks that NVML sets decide how long libcuda's kernels
// take.
//
// A run has several processes, each with stand-ins of its own. So the boards lie in the file that WATTUNE_FAKE_BOARD
// names, which has zeros before the first run; its first FakeBoard is that of device 0. Without the variable each
// process has boards of its own.
// Kernels take their usual time at 1755 MHz, and proportionally longer at a lower clock. Under load the board draws 50
// W + 0.15 W/MHz, and a power limit lowers the clock until it draws no more. A profile (fakes/nvml/profile.h) replaces
// these numbers by the physics of an existing board.
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
  static constexpr unsigned kFullClock = 1755;      // MHz; also that of an idle board that nobody set
  static constexpr unsigned kMemoryClock = 2619;    // MHz
  static constexpr unsigned kUsualLimit = 700'000;  // mW
  static constexpr unsigned kProcesses = 16;

  // The locked clocks and the power limit; 0 if they are not set.
  unsigned graphics_lock;
  unsigned memory_lock;
  unsigned limit_mw;
  // The number of NVML's calls that set something, and of those that reset or restored it.
  unsigned sets;
  unsigned resets;
  // The application clocks; 0 if they are not set.
  unsigned graphics_application;
  unsigned memory_application;
  unsigned foreign_clock;     // which no reset removes
  int processes[kProcesses];  // that have a CUDA context on it; 0 for none
  double launched_ms;         // total time of kernels on it

  // Returns the requested graphics clock; `otherwise` if there is none.
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
  // Returns the factor by which kernels take longer than at full clock.
  double slowdown() const { return kFullClock / clock_under_load(); }

 private:
  static unsigned first_of(unsigned a, unsigned b, unsigned c) { return a != 0 ? a : b != 0 ? b : c; }
};

inline constexpr unsigned kFakeBoards = 8;

struct FakeBoards {
  FakeBoard boards[kFakeBoards];
  bool used;
  double passed_ns;  // of virtual time, if the stand-in for NVML uses it
};

// Applies what others have done before the first use.
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

// Maps the file, enlarged to this size; nullptr if that fails.
inline void* shared_memory(const char* file, std::size_t bytes) {
  const int descriptor = open(file, O_RDWR | O_CREAT, 0600);
  void* memory = MAP_FAILED;
  if (descriptor >= 0 && ftruncate(descriptor, static_cast<off_t>(bytes)) == 0)
    memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (descriptor >= 0) close(descriptor);
  return memory == MAP_FAILED ? nullptr : memory;
}

// Returns the boards of this process, or of all processes that share the file.
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

// Returns the board of a device, by CUDA's number.
inline FakeBoard& fake_board(unsigned device = 0) { return fake_boards().boards[device % kFakeBoards]; }

}  // namespace wattune::fakes
