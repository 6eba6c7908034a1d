#include "lab/perf/busy_application.h"

#include <fmt/format.h>

#include <cstring>
#include <thread>

#include "core/stopwatch.h"
#include "wattune/backend/registry.h"

namespace wattune::perf {

namespace {

using test::raw_cuda;
using test::succeed;

constexpr Nanoseconds kRestEvery = nanoseconds_from_ms(50);
constexpr Nanoseconds kRest = nanoseconds_from_ms(1);
constexpr std::size_t kInFlight = 4;
constexpr int kImages = 16;

// The source of the application's kernel. Tests run a stand-in for it on a fake GPU; the stand-in multiplies n elements
// by the second argument, so n is 0.
constexpr char kWork[] = R"(extern "C" __global__ void scale(float* x, float rounds, int n) {
  float y = threadIdx.x;
  for (int i = 0; i < static_cast<int>(rounds); ++i) y = y * 1.0001f + VARIANT * 1e-9f;
  if (y == n + 0.5f) x[0] = y;
}
)";
constexpr char kPrivate[] = R"(extern "C" __global__ void scale(float* x, float rounds, int n) {
  volatile float room[BYTES / 4];
  room[(threadIdx.x + n) % (BYTES / 4)] = rounds;
  if (room[n] == 0.5f) x[0] = room[n + 1];
}
)";

std::string eight_in_namespaces() {
  std::string text;
  for (int i = 0; i < 8; ++i) {
    std::string work(kWork);
    work.erase(0, std::strlen("extern \"C\" "));
    text += fmt::format("#define VARIANT {0}\nnamespace v{0} {{\n{1}}}\n#undef VARIANT\n", i, work);
  }
  return text;
}

KernelSource source_of(std::string text, std::string function) {
  KernelSource source{.language = Language::cuda, .function = std::move(function)};
  source.text = std::move(text);
  return source;
}

template <typename T>
backend::ScalarBytes scalar(T value) {
  backend::ScalarBytes scalar{std::vector<std::byte>(sizeof value)};
  std::memcpy(scalar.bytes.data(), &value, sizeof value);
  return scalar;
}

}  // namespace

Result<Images> compile_all(backend::Device& device) {
  const auto compile = [&](const KernelSource& source, const backend::Macro& macro) -> Result<backend::Image> {
    WATTUNE_ASSIGN(const backend::CompileTarget target, device.compile_target(source));
    return backend::compile_image(target, source, std::array{macro}, kLimit);
  };
  Images images;
  for (int i = 0; i < kImages; ++i) {
    WATTUNE_ASSIGN(backend::Image image, compile(source_of(kWork, "scale"), {"VARIANT", std::to_string(i)}));
    images.work.push_back(std::move(image));
  }
  KernelSource eight = source_of(eight_in_namespaces(), "v0::scale");
  for (int i = 1; i < 8; ++i) eight.other_functions.push_back(fmt::format("v{}::scale", i));
  WATTUNE_ASSIGN(images.eight, compile(eight, {"EIGHT", "1"}));
  for (const int kib : {1, 16, 128}) {
    WATTUNE_ASSIGN(backend::Image image, compile(source_of(kPrivate, "scale"), {"BYTES", std::to_string(kib * 1024)}));
    images.with_private.emplace_back(kib, std::move(image));
  }
  return images;
}

Result<Work> make_work(backend::Device& device, backend::Stream& stream, const backend::Image& image, float rounds,
                       std::size_t groups) {
  Work work;
  WATTUNE_ASSIGN(work.program, device.load(image, {}, kLimit));
  WATTUNE_ASSIGN(work.kernel, work.program->kernel("scale"));
  const std::vector<backend::LaunchArgument> arguments{static_cast<const backend::Buffer*>(nullptr), scalar(rounds),
                                                       scalar(0)};
  const backend::Geometry3 geometry{.groups = {groups, 1, 1}, .group_size = {groups > 1 ? 256U : 32U, 1, 1}};
  WATTUNE_ASSIGN(work.launch, stream.prepare(*work.kernel, geometry, arguments));
  return work;
}

Result<float> rounds_for(backend::Device& device, backend::Stream& stream, const backend::Image& image, double ms) {
  constexpr float kTrial = 1e6F;
  double took = 0.0;
  WATTUNE_ASSIGN(const Work work, make_work(device, stream, image, kTrial, kGroups));
  for (int i = 0; i < 20; ++i) {  // the last one runs when the clock has risen
    WATTUNE_ASSIGN(const auto event, work.launch->send_timed());
    WATTUNE_TRY(stream.submit());
    WATTUNE_TRY(stream.finish(kLimit));
    WATTUNE_ASSIGN(const Nanoseconds time, event->duration());
    took = to_ms(time);
  }
  return static_cast<float>(kTrial * ms / took);
}

BusyApplication::BusyApplication(int ordinal) {
  succeed(raw_cuda().cuCtxCreate(&context_, 0, ordinal));
  succeed(raw_cuda().cuStreamCreate(&stream_, 1));
}

BusyApplication::~BusyApplication() {
  static_cast<void>(drain());
  work_ = {};
  adopted_.reset();
  device_.reset();
  raw_cuda().cuStreamDestroy(stream_);
  raw_cuda().cuCtxDestroy(context_);
}

Result<void> BusyApplication::prepare(const Images& images, double kernel_ms) {
  WATTUNE_ASSIGN(device_, backend::attach_cuda(context_));
  WATTUNE_ASSIGN(adopted_, backend::adopt_stream(*device_, stream_));
  const backend::Image& image = images.work.front();
  WATTUNE_ASSIGN(const float rounds, rounds_for(*device_, *adopted_, image, kernel_ms));
  WATTUNE_ASSIGN(work_, make_work(*device_, *adopted_, image, rounds, kGroups));
  kernel_ = nanoseconds_from_ms(kernel_ms);
  return {};
}

Result<BusyApplication::Seen> BusyApplication::run(double seconds, Pauses pauses, dynamic::Loader* loader) {
  Seen seen;
  const Stopwatch watch;
  Nanoseconds next_rest = kRestEvery;
  while (to_seconds(watch.elapsed()) < seconds) {
    if (pauses != Pauses::never && watch.elapsed() >= next_rest) {
      WATTUNE_TRY(rest(seen, pauses == Pauses::tells ? loader : nullptr));
      next_rest = watch.elapsed() + kRestEvery;
    }
    while (in_flight_.size() >= kInFlight) WATTUNE_TRY(take_first(seen));
    WATTUNE_TRY(launch(seen, loader));
  }
  while (!in_flight_.empty()) WATTUNE_TRY(take_first(seen));
  seen.per_second = static_cast<double>(seen.kernels.size()) / to_seconds(watch.elapsed());
  return seen;
}

Result<void> BusyApplication::fill() {
  Seen nobody_looks;
  while (in_flight_.size() < kInFlight) WATTUNE_TRY(launch(nobody_looks, nullptr));
  return {};
}

Result<void> BusyApplication::drain() {
  Seen nobody_looks;
  while (!in_flight_.empty()) WATTUNE_TRY(take_first(nobody_looks));
  return {};
}

Result<void> BusyApplication::launch(Seen& seen, dynamic::Loader* loader) {
  if (loader != nullptr) loader->note_launch(handle(), kernel_);
  const Stopwatch call;
  WATTUNE_ASSIGN(auto event, work_.launch->send_timed());
  seen.calls.push_back(to_ms(call.elapsed()));
  in_flight_.push_back(std::move(event));
  return {};
}

Result<void> BusyApplication::take_first(Seen& seen) {
  const std::unique_ptr<backend::Event> first = std::move(in_flight_.front());
  in_flight_.pop_front();
  for (bool ready = false; !ready;) {
    WATTUNE_ASSIGN(ready, first->ready());
  }
  WATTUNE_ASSIGN(const Nanoseconds time, first->duration());
  seen.kernels.push_back(to_ms(time));
  return {};
}

Result<void> BusyApplication::rest(Seen& seen, dynamic::Loader* told) {
  while (!in_flight_.empty()) WATTUNE_TRY(take_first(seen));
  const Stopwatch watch;
  if (told != nullptr) told->gap(kRest);
  while (watch.elapsed() < kRest) std::this_thread::sleep_for(std::chrono::microseconds(100));
  return {};
}

}  // namespace wattune::perf
