#include "backend/polling.h"

#include <algorithm>
#include <thread>

namespace wattune::backend {

void Polling::pause() const {
  constexpr Nanoseconds kSpin{50e3};
  constexpr Nanoseconds kLongest{1e6};
  if (const Nanoseconds waited = elapsed(); waited >= kSpin)
    std::this_thread::sleep_for(std::chrono::duration<double, std::nano>(std::min(waited / 8.0, kLongest).value()));
}

}  // namespace wattune::backend
