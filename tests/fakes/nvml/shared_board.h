// SharedBoard: the simulated board of a profile. All processes of a run share it in FILE.physics-DEVICE, beside the
// file that WATTUNE_FAKE_BOARD names. Without that file, each process has its own.
//
// Its time is the host's. With WATTUNE_FAKE_NVML_TIME=virtual, time passes only by wattune_fake_nvml_pass() and by the
// kernels of libcuda's stand-in. Its load is these kernels, or what wattune_fake_nvml_load() set.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "simulate/board_state.h"
#include "simulate/interface/simulated_board.h"

namespace wattune::fakes {

// A lock that one thread of one process holds at a time; the end of a process releases it.
class Exclusive {
 public:
  explicit Exclusive(const std::string& file);
  ~Exclusive();
  Exclusive(const Exclusive&) = delete;
  Exclusive& operator=(const Exclusive&) = delete;

 private:
  std::lock_guard<std::mutex> lock_;
  int descriptor_ = -1;
};

class SharedBoard {
 public:
  SharedBoard(unsigned device, const simulate::BoardModel& model);

  // Asks the board, after all that happened until now.
  template <typename Question>
  auto ask(Question question) {
    const Exclusive exclusive(file_);
    simulate::SimulatedBoard board(model_, physics_->state, device_ + 1);
    obey(board);
    catch_up(board);
    return question(board);
  }

  // Returns when its time began, in microseconds since 1970.
  double begun_us() const;
  // Counts a question for the energy counter, and returns how many all processes have asked.
  long long count_question() { return ++physics_->counter_questions; }

 private:
  struct Physics {
    simulate::BoardState state;
    // The part of fake_board.h that it has already applied.
    unsigned graphics;
    unsigned memory;
    unsigned limit_mw;
    double launched_ms;
    double busy_until;  // ns: end of the launched kernels, on the host's time
    double begun_us;
    long long counter_questions;
  };

  Physics* open() const;
  void obey(simulate::SimulatedBoard& board);
  void catch_up(simulate::SimulatedBoard& board);
  void follow_host(simulate::SimulatedBoard& board, Nanoseconds work);

  const unsigned device_;
  const simulate::BoardModel& model_;
  const std::string file_;
  const std::unique_ptr<Physics> own_;  // used if none is shared
  Physics* const physics_;
};

}  // namespace wattune::fakes
