// Runs many independent calls on all processors.
#pragma once

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace wattune::inline v0_1::score {

// Calls work(i) once for each i below `count`, on `threads` threads (0 for one on each processor). `work` must not
// throw.
template <typename Work>
void for_each_parallel(std::size_t count, unsigned threads, const Work& work) {
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  std::atomic<std::size_t> next = 0;
  const auto serve = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::jthread> helpers;
  for (std::size_t i = 1; i < std::min<std::size_t>(threads, count); ++i) helpers.emplace_back(serve);
  serve();
}

}  // namespace wattune::score
