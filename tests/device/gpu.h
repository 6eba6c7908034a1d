// The GPU of these tests: whether there is one, and how much of its memory is in use.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "programs.h"
#include "wait.h"
#include "wattune/backend/worker.h"

namespace wattune::device_test {

// Returns the reason why there is no CUDA device here; empty if there is one.
inline const std::string& reason_for_none() {
  static const std::string reason = [] {
    const auto device =
        backend::open_device_in_worker("cuda:0", {.executable = test::program("wattune-worker").string()});
    return device ? std::string() : device.error().to_string();
  }();
  return reason;
}

// Returns the bytes of the first GPU's memory that all processes together hold, by NVML; nullopt if it does not report
// them.
inline std::optional<unsigned long long> used_memory() {
  struct Memory {
    unsigned long long total = 0, free = 0, used = 0;
  };
  static void* const library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return std::nullopt;
  const auto init = reinterpret_cast<int (*)()>(dlsym(library, "nvmlInit_v2"));
  const auto find = reinterpret_cast<int (*)(unsigned, void**)>(dlsym(library, "nvmlDeviceGetHandleByIndex_v2"));
  const auto read = reinterpret_cast<int (*)(void*, Memory*)>(dlsym(library, "nvmlDeviceGetMemoryInfo"));
  void* device = nullptr;
  Memory memory;
  if (init == nullptr || find == nullptr || read == nullptr || init() != 0 || find(0, &device) != 0 ||
      read(device, &memory) != 0)
    return std::nullopt;
  return memory.used;
}

// A check that no more memory is held at the end than at the beginning. The driver takes a moment to free the memory of
// a process.
class MemoryIsFreeAgain {
 public:
  ~MemoryIsFreeAgain() {
    if (!before_) return;
    constexpr unsigned long long kSlack = 32ULL << 20;  // what the driver itself takes and gives back
    EXPECT_TRUE(test::wait_until([&] { return *used_memory() <= *before_ + kSlack; })) << *used_memory() << " bytes";
  }

 private:
  const std::optional<unsigned long long> before_ = used_memory();
};

}  // namespace wattune::device_test
