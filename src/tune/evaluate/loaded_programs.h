// LoadedPrograms: a cache of the programs that were loaded last. It is for specs in which configurations that differ
// only in launch parameters or clocks share a program.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>

#include "wattune/backend/compile_pool.h"
#include "wattune/backend/device.h"

namespace wattune::inline v0_1::tune {

class LoadedPrograms {
 public:
  using Program = std::shared_ptr<backend::Program>;

  // Returns the program of this code; nullptr if there is none.
  Program find(const backend::ImageRequest& code) const {
    const auto found = std::ranges::find(programs_, code, &Loaded::code);
    return found == programs_.end() ? nullptr : found->program;
  }

  // Keeps a program; the oldest is dropped if there are too many.
  void keep(const backend::ImageRequest& code, Program program) {
    if (programs_.size() == kMostPrograms) programs_.pop_front();
    programs_.push_back({code, std::move(program)});
  }

  // Drops all programs. Call it before a reset of the device.
  void drop() { programs_.clear(); }

 private:
  // The largest number of programs that are kept. A search that varies clocks needs few programs at a time, and each
  // one keeps its static data on the device.
  static constexpr std::size_t kMostPrograms = 8;

  struct Loaded {
    backend::ImageRequest code;
    Program program;
  };

  std::deque<Loaded> programs_;
};

}  // namespace wattune::tune
