// The one way in which tests wait for other threads and processes.
#pragma once

#include <chrono>
#include <thread>

namespace wattune::test {

// Waits until a condition holds, which is asked every millisecond. Returns false if it does not hold within two
// minutes. That limit only ends a test that would hang; it says nothing about how fast anything has to be.
template <typename Condition>
[[nodiscard]] bool wait_until(Condition holds) {
  constexpr std::chrono::minutes kLimit(2);
  const auto deadline = std::chrono::steady_clock::now() + kLimit;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace wattune::test
