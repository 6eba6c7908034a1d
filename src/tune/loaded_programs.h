// LoadedPrograms: the programs of the last few code configurations, for specs in which several configurations share
// one: those that differ in launch parameters and clocks alone.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

#include "wattune/backend/device.h"

namespace wattune::tune {

class LoadedPrograms {
 public:
  using Macros = std::vector<backend::Macro>;
  using Program = std::shared_ptr<backend::Program>;

  // nullptr: there is none.
  Program find(const Macros& macros) const {
    const auto found = std::ranges::find(programs_, macros, &Loaded::macros);
    return found == programs_.end() ? nullptr : found->program;
  }

  // The oldest gives way.
  void keep(const Macros& macros, Program program) {
    if (programs_.size() == kMost) programs_.pop_front();
    programs_.push_back({macros, std::move(program)});
  }

  // Before a reset of the device.
  void drop() { programs_.clear(); }

 private:
  // A search that walks through clocks meets few kernels at a time, and the device has their static data.
  static constexpr std::size_t kMost = 8;

  struct Loaded {
    Macros macros;
    Program program;
  };

  std::deque<Loaded> programs_;
};

}  // namespace wattune::tune
