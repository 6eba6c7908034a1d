// An application that keeps a GPU busy, for measuring the delays of its launches. It has a CUDA context and a stream of
// its own. One thread launches a kernel back to back, with at most four launches in flight.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dynamic/loading/loader.h"
#include "raw_cuda.h"
#include "wattune/backend/attach.h"

namespace wattune::perf {

inline constexpr Nanoseconds kLimit = nanoseconds_from_seconds(60);

// Compiled kernels that all CUDA contexts load.
struct Images {
  std::vector<backend::Image> work;                          // different images of one kernel each
  backend::Image eight;                                      // one image of eight kernels, in namespaces v0 to v7
  std::vector<std::pair<int, backend::Image>> with_private;  // kernels with so many KiB per thread
};
Result<Images> compile_all(backend::Device& device);

// A kernel of a program with a prepared launch.
struct Work {
  std::unique_ptr<backend::Program> program;
  std::unique_ptr<backend::Kernel> kernel;
  std::unique_ptr<backend::PreparedLaunch> launch;
};
Result<Work> make_work(backend::Device& device, backend::Stream& stream, const backend::Image& image, float rounds,
                       std::size_t groups);

inline constexpr std::size_t kGroups = 132 * 4;
// Returns the argument `rounds` with which the kernel of `image` takes `ms` milliseconds, by the device's clock.
Result<float> rounds_for(backend::Device& device, backend::Stream& stream, const backend::Image& image, double ms);

// A choice of what the launching thread does between its launches: it never pauses, or every 50 ms it waits for its
// stream. Then it rests for 1 ms, or tells a loader that it may use the gap.
enum class Pauses { never, rests, tells };

class BusyApplication {
 public:
  // The times in ms: launch calls by the host's clock, kernels by the device's clock.
  struct Seen {
    std::vector<double> calls;
    std::vector<double> kernels;
    double per_second = 0.0;  // kernels
  };

  explicit BusyApplication(int ordinal);
  BusyApplication(const BusyApplication&) = delete;
  BusyApplication& operator=(const BusyApplication&) = delete;
  ~BusyApplication();

  // Attaches the library to the context and prepares the kernel, which takes `kernel_ms`.
  Result<void> prepare(const Images& images, double kernel_ms);
  backend::Device& device() { return *device_; }
  backend::Stream& stream() { return *adopted_; }
  dynamic::CallStream handle() const { return reinterpret_cast<CUstream_st*>(stream_); }

  Result<Seen> run(double seconds, Pauses pauses, dynamic::Loader* loader = nullptr);
  // Sends as many launches as may be in flight. drain() waits for all of them.
  Result<void> fill();
  Result<void> drain();

 private:
  Result<void> launch(Seen& seen, dynamic::Loader* loader);
  Result<void> take_first(Seen& seen);
  Result<void> rest(Seen& seen, dynamic::Loader* told);

  test::CUcontext context_ = nullptr;
  test::CUstream stream_ = nullptr;
  std::unique_ptr<backend::Device> device_;
  std::unique_ptr<backend::Stream> adopted_;
  Work work_;
  Nanoseconds kernel_;
  std::deque<std::unique_ptr<backend::Event>> in_flight_;
};

}  // namespace wattune::perf
