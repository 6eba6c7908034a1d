// The profile of the stand-ins: the board of module `simulate` behind them. WATTUNE_FAKE_NVML_PROFILE names it
// ("A100"); without it, the constants of fake_board.h are used.
#pragma once

#include <cmath>
#include <cstdlib>

#include "fakes/cuda/fake_board.h"
#include "simulate/interface/board_model.h"

namespace wattune::fakes {

// Returns the board's model; nullptr if none is named.
inline const simulate::BoardModel* profile() {
  static const simulate::BoardModel* const model = []() -> const simulate::BoardModel* {
    const char* const name = std::getenv("WATTUNE_FAKE_NVML_PROFILE");
    if (name == nullptr) return nullptr;
    const simulate::BoardModel* const found = simulate::find_board_model(name);
    if (found == nullptr) std::abort();  // a test that names no board tests nothing
    return found;
  }();
  return model;
}

// Returns whole MHz, rounded down as NVML does.
inline unsigned whole_mhz(Megahertz clock) { return static_cast<unsigned>(std::floor(clock.value())); }

// Returns the load that kernels put on the board of a profile: core activity 1, or WATTUNE_FAKE_NVML_ACTIVITY.
inline simulate::Activity kernel_activity() {
  const char* const text = std::getenv("WATTUNE_FAKE_NVML_ACTIVITY");
  return {.core = text != nullptr ? std::atof(text) : 1.0};
}

// Returns the clocks and the limit that the board is asked for.
inline simulate::Operation asked_of(const FakeBoard& board, const simulate::BoardModel& model) {
  const unsigned asked = board.graphics(whole_mhz(model.clocks.back()));
  return {.graphics = simulate::nearest_clock(model.clocks, Megahertz(asked)),
          .memory = Megahertz(board.memory(whole_mhz(model.memory_clocks.front()))),
          .limit = Watts(board.limit(static_cast<unsigned>(model.limits.usual.value() * 1e3)) / 1e3)};
}

// Returns how much longer than at full clock kernels take now; with a profile, at 50 °C.
inline double slowdown(const FakeBoard& board) {
  const simulate::BoardModel* const model = profile();
  if (model == nullptr) return board.slowdown();
  const Megahertz clock = simulate::clock_under_load(*model, asked_of(board, *model), kernel_activity(), Celsius(50.0));
  return model->clocks.back() / clock;
}

}  // namespace wattune::fakes
