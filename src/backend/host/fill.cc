#include "backend/host/fill.h"

#include <sched.h>

#include <cstring>
#include <system_error>
#include <thread>

namespace wattune::inline v0_1::backend::host {

namespace {

// The size in bytes of a large area: larger than the private caches of a processor.
constexpr std::size_t kParallelFillBytes = std::size_t{16} << 20;

void move_to(int processor) {
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(processor, &only);
  sched_setaffinity(0, sizeof only, &only);
}

void fill(std::span<std::byte> memory, std::byte value) {
  std::memset(memory.data(), std::to_integer<int>(value), memory.size());
}

}  // namespace

std::vector<int> usable_processors() {
  cpu_set_t usable;
  if (sched_getaffinity(0, sizeof usable, &usable) != 0) return {};
  std::vector<int> processors;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor)
    if (CPU_ISSET(processor, &usable)) processors.push_back(processor);
  return processors;
}

void fill_from_all_processors(std::span<std::byte> memory, std::byte value) {
  const std::vector<int> processors = usable_processors();
  if (memory.size() < kParallelFillBytes || processors.size() < 2) return fill(memory, value);
  const std::size_t part = memory.size() / processors.size();
  std::vector<std::jthread> threads;
  for (const int processor : processors) {
    const std::span<std::byte> mine = memory.first(processor == processors.back() ? memory.size() : part);
    memory = memory.subspan(mine.size());
    try {
      threads.emplace_back([=] {
        move_to(processor);
        fill(mine, value);
      });
    } catch (const std::system_error&) {  // the system permits no more threads
      fill(mine, value);
    }
  }
}

}  // namespace wattune::backend::host
