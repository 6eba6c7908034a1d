// SetUpCosts: the energy of what comes before a run, restoring and flushing, which is that of the bytes and not of the
// code: each is measured once in a session.
//
//   options.set_up = costs.find({clocks.applied(), session.restored()}, window);
#pragma once

#include <optional>
#include <vector>

#include "wattune/backend/clock_control.h"
#include "wattune/power/energy.h"

namespace wattune::tune {

class SetUpCosts {
 public:
  // What it depends on. How caches are flushed is the session's.
  struct Key {
    std::optional<backend::BoardSetting> setting;
    std::vector<std::size_t> restored;  // bytes of each buffer

    bool operator==(const Key&) const = default;
  };

  // Measured in a window of this length.
  void keep(Key key, Nanoseconds window, const power::Cost& cost);
  // None: it was not measured, or in shorter windows only.
  std::optional<power::Cost> find(const Key& key, Nanoseconds window) const;

 private:
  struct Known {
    Key key;
    Nanoseconds window;
    power::Cost cost;
  };
  std::vector<Known> known_;
};

}  // namespace wattune::tune
