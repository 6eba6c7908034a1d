#include "backend/polling.h"

#include <algorithm>
#include <thread>

namespace wattune::backend {

Nanoseconds Polling::elapsed() const {
  return Nanoseconds(std::chrono::duration<double, std::nano>(Clock::now() - start_).count());
}

void Polling::pause() const {
  constexpr std::chrono::microseconds kSpin{50};
  constexpr std::chrono::microseconds kLongest{1000};
  const Clock::duration waited = Clock::now() - start_;
  if (waited >= kSpin) std::this_thread::sleep_for(std::min<Clock::duration>(waited / 8, kLongest));
}

}  // namespace wattune::backend
