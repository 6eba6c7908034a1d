// SetUpCosts: the energy of the set-up before a run, which restores buffers and flushes caches. The energy depends on
// the number of bytes and not on the code, so each cost is measured once in a session.
//
//   options.set_up = costs.find({clocks.applied(), session.restored()}, window);
#pragma once

#include <optional>
#include <vector>

#include "wattune/backend/clock_control.h"
#include "wattune/power/energy.h"

namespace wattune::inline v0_1::tune {

class SetUpCosts {
 public:
  // The quantities on which a cost depends. (Caches are flushed in the same way in the whole session.)
  struct Key {
    std::optional<backend::BoardSetting> setting;
    std::vector<std::size_t> restored;  // bytes of each restored buffer

    bool operator==(const Key&) const = default;
  };

  // Keeps a cost that was measured in a window of this length.
  void keep(Key key, Nanoseconds window, const power::Cost& cost);
  // Returns the cost; nullopt if it was never measured, or only in shorter windows.
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
