#include "wattune/dynamic/tuner.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "core/stopwatch.h"
#include "wattune/backend/attach.h"

namespace wattune::inline v0_1::dynamic {

namespace {

constexpr Nanoseconds kFirstSleep = Nanoseconds(2e3);
constexpr Nanoseconds kLongestSleep = Nanoseconds(200e3);

}  // namespace

Result<std::unique_ptr<Marker>> Marker::make(backend::Device& device, Nanoseconds limit) {
  KernelSpec spec;
  spec.source = {.language = Language::opencl, .function = "wattune_mark", .text = "kernel void wattune_mark() {}\n"};
  spec.alternatives = {{.language = Language::cuda,
                        .function = "wattune_mark",
                        .text = "extern \"C\" __global__ void wattune_mark() {}\n"}};
  WATTUNE_TRY(use_language(spec, device.info().languages));
  WATTUNE_ASSIGN(const std::unique_ptr<backend::Program> program, device.build(spec.source, {}, limit));
  backend::keep_loaded(*program);  // since compositions set marks in streams that an application captures
  WATTUNE_ASSIGN(std::unique_ptr<backend::Kernel> kernel, program->kernel(spec.source.function));
  return std::unique_ptr<Marker>(new Marker(std::move(kernel)));
}

Result<std::unique_ptr<backend::Event>> Marker::mark(backend::Stream& stream) const {
  return stream.launch(*kernel_, {}, {});
}

Result<void> wait(const backend::Event& mark, Nanoseconds limit) {
  const Stopwatch waited;
  for (Nanoseconds pause = kFirstSleep;; pause = std::min(2.0 * pause, kLongestSleep)) {
    WATTUNE_ASSIGN(const bool ready, mark.ready());
    if (ready) return {};
    if (waited.elapsed() > limit) return Error(ErrorCode::timeout, "the mark was not reached in time");
    std::this_thread::sleep_for(std::chrono::duration<double, std::nano>(pause.value()));
  }
}

}  // namespace wattune::dynamic
