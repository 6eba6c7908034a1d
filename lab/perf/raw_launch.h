// Launches by bare calls of the CUDA driver, and functions that time blocks of launches and compare their times.
#pragma once

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "backend/cuda/cu_api.h"
#include "measure/interface/median_interval.h"
#include "wattune/backend/image.h"

namespace wattune::perf {

using backend::cuda::CuApi;

inline constexpr int kLaunches = 200;  // in a block; a stream takes about a thousand before the host must wait

using LaunchKernel = int (*)(backend::cuda::CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                             unsigned, backend::cuda::CUstream, void**, void**);

inline Result<void*> driver_launch() {
  const char* const chosen = std::getenv("WATTUNE_LIBCUDA");
  void* const library = dlopen(chosen != nullptr ? chosen : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  void* const symbol = library != nullptr ? dlsym(library, "cuLaunchKernel") : nullptr;
  if (symbol == nullptr) return Error(ErrorCode::unavailable, "the driver has no cuLaunchKernel");
  return symbol;
}

inline Result<void> check(backend::cuda::CUresult code, std::string_view doing) {
  if (code == backend::cuda::CUDA_SUCCESS) return {};
  return Error(ErrorCode::unavailable, fmt::format("{} failed with {}", doing, code));
}

// The only kernel of an image, launched by bare calls. It has a context of its own that stays current, and takes a
// pointer, a float and an int.
class Raw {
 public:
  static Result<Raw> make(int ordinal, const backend::Image& image) {
    Raw raw;
    WATTUNE_ASSIGN(raw.cu_, backend::cuda::cu_api());
    WATTUNE_ASSIGN(void* const launch, driver_launch());
    raw.launch_ = reinterpret_cast<LaunchKernel>(launch);
    backend::cuda::CUdevice device = 0;
    WATTUNE_TRY(check(raw.cu_->cuDeviceGet(&device, ordinal), "cuDeviceGet"));
    backend::cuda::CUcontext context = nullptr;
    WATTUNE_TRY(check(raw.cu_->cuCtxCreate(&context, 0, device), "cuCtxCreate"));
    WATTUNE_TRY(check(raw.cu_->cuStreamCreate(&raw.stream_, 0), "cuStreamCreate"));
    char log[64] = {};
    backend::cuda::CUjit_option options[] = {
        backend::cuda::CU_JIT_INFO_LOG_BUFFER, backend::cuda::CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
        backend::cuda::CU_JIT_ERROR_LOG_BUFFER, backend::cuda::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* const bytes = reinterpret_cast<void*>(sizeof log / 2);
    void* values[] = {log, bytes, log + sizeof log / 2, bytes};
    backend::cuda::CUmodule module = nullptr;
    WATTUNE_TRY(check(raw.cu_->cuModuleLoadDataEx(&module, image.code.c_str(), 4, options, values), "loading"));
    WATTUNE_TRY(check(raw.cu_->cuModuleEnumerateFunctions(&raw.function_, 1, module), "cuModuleEnumerateFunctions"));
    return raw;
  }

  backend::cuda::CUstream stream() const { return stream_; }
  void set_memory(backend::cuda::CUdeviceptr x, int n) {
    x_ = x;
    n_ = n;
  }
  int send() {
    void* parameters[] = {&x_, &factor_, &n_};
    return launch_(function_, 1, 1, 1, 32, 1, 1, 0, stream_, parameters, nullptr);
  }
  // Performs all calls that a timed launch makes, except the launch itself.
  void time_nothing() const {
    backend::cuda::CUevent events[2] = {};
    float milliseconds = 0.0F;
    for (auto& event : events) cu_->cuEventCreate(&event, 0);
    for (const auto event : events) cu_->cuEventRecord(event, stream_);
    cu_->cuEventQuery(events[1]);
    cu_->cuEventElapsedTime(&milliseconds, events[0], events[1]);
    for (const auto event : events) cu_->cuEventDestroy(event);
  }
  void finish() const {
    while (cu_->cuStreamQuery(stream_) == backend::cuda::CUDA_ERROR_NOT_READY) {
    }
  }

 private:
  const CuApi* cu_ = nullptr;
  LaunchKernel launch_ = nullptr;
  backend::cuda::CUstream stream_ = nullptr;
  backend::cuda::CUfunction function_ = nullptr;
  backend::cuda::CUdeviceptr x_ = 0;
  float factor_ = 2.0F;
  int n_ = 0;
};

// Returns the mean time of one call of `send` in a block of kLaunches calls, in nanoseconds.
template <typename Send>
double time_block(const Send& send) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kLaunches; ++i) send();
  const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - start;
  return elapsed.count() / kLaunches;
}

inline measure::MedianInterval summary(std::vector<double> values) {
  std::ranges::sort(values);
  return measure::median_interval(values, 0.95);
}

inline void report(const std::string& what, const std::vector<double>& values, const std::vector<double>& raw) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < values.size(); ++i) differences.push_back(values[i] - raw[i]);
  const measure::MedianInterval added = summary(differences);
  fmt::print("{:<44} {:>9.1f} {:>9.1f}   {:.1f} to {:.1f}\n", what, summary(values).median, added.median, added.low,
             added.high);
}

// Runs the `ways` in turn, `rounds` times. Returns the times of each. The order rotates, so that the after-effects of a
// block hit all ways alike.
inline std::vector<std::vector<double>> alternate(std::span<const std::function<double()>> ways, std::size_t rounds) {
  std::vector<std::vector<double>> times(ways.size());
  for (std::size_t i = 0; i < rounds; ++i)
    for (std::size_t turn = 0; turn < ways.size(); ++turn) {
      const std::size_t which = (i + turn) % ways.size();
      times[which].push_back(ways[which]());
    }
  return times;
}

}  // namespace wattune::perf
