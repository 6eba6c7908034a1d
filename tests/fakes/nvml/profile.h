// The profile of the stand-ins: which board of module `simulate` stands behind them. WATTUNE_FAKE_NVML_PROFILE names it
// ("A100"); without it, the constants of fake_board.h do.
#pragma once

#include <cmath>
#include <cstdlib>

#include "fakes/cuda/fake_board.h"
#include "wattune/simulate/board_model.h"

namespace wattune::fakes {

// nullptr: none is named.
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

// NVML tells whole MHz, cut off.
inline unsigned whole_mhz(Megahertz clock) { return static_cast<unsigned>(std::floor(clock.value())); }

// What kernels do to the board of a profile, unless WATTUNE_FAKE_NVML_ACTIVITY says otherwise (of the core, 1).
inline simulate::Activity kernel_activity() {
  const char* const text = std::getenv("WATTUNE_FAKE_NVML_ACTIVITY");
  return {.core = text != nullptr ? std::atof(text) : 1.0};
}

// What the board's clocks and limit are asked to be.
inline simulate::Operation asked_of(const FakeBoard& board, const simulate::BoardModel& model) {
  const unsigned asked = board.graphics(whole_mhz(model.clocks.back()));
  return {.graphics = simulate::nearest_clock(model.clocks, Megahertz(asked)),
          .memory = Megahertz(board.memory(whole_mhz(model.memory_clocks.front()))),
          .limit = Watts(board.limit(static_cast<unsigned>(model.limits.usual.value() * 1e3)) / 1e3)};
}

// How much longer than at full clock kernels take now; those of a profile at 50 °C.
inline double slowdown(const FakeBoard& board) {
  const simulate::BoardModel* const model = profile();
  if (model == nullptr) return board.slowdown();
  const Megahertz clock = simulate::clock_under_load(*model, asked_of(board, *model), kernel_activity(), Celsius(50.0));
  return model->clocks.back() / clock;
}

}  // namespace wattune::fakes
