// Runs a tuned kernel in an application. The best configuration of recorded results is compiled and its launch prepared
// once; then it is sent many times. The results come from the file in the arguments (`launch_tuned
// scale.journal.jsonl`), or else from examples/data.
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "wattune/backend/registry.h"
#include "wattune/store/formats.h"
#include "wattune/tune/evaluator.h"

namespace {

using wattune::Result;

constexpr const char* kSource = R"(
__kernel void scale(__global float* x, int n) {
  for (int i = 0; i < PER_ITEM; ++i) {
    const int at = get_group_id(0) * BLOCK * PER_ITEM + i * BLOCK + get_local_id(0);
    if (at < n) x[at] *= 2.0f;
  }
})";

constexpr wattune::Nanoseconds kLimit = wattune::nanoseconds_from_seconds(60);

// Returns the geometry of the launch that tuning measured. The grid and the work-group follow from the same parameters.
wattune::backend::Geometry3 geometry_of(const wattune::Configuration& configuration, std::size_t n) {
  const auto block = static_cast<std::size_t>(configuration.find("BLOCK")->as_integer());
  const auto per_item = static_cast<std::size_t>(configuration.find("PER_ITEM")->as_integer());
  return {.groups = {(n + block * per_item - 1) / (block * per_item), 1, 1}, .group_size = {block, 1, 1}};
}

Result<void> double_ten_times(const std::vector<wattune::Parameter>& parameters,
                              const wattune::Configuration& configuration, std::vector<float>& x) {
  using namespace wattune;
  WATTUNE_ASSIGN(const DeviceInfo info, backend::select_device(backend::discover(), "auto", {Language::opencl}));
  WATTUNE_ASSIGN(const std::unique_ptr<backend::Device> device, backend::open_device(info.selector));
  const KernelSource source{.function = "scale", .file = "scale.cl", .text = kSource};
  WATTUNE_ASSIGN(const auto program, device->build(source, tune::macros_of(parameters, configuration), kLimit));
  WATTUNE_ASSIGN(const auto kernel, program->kernel("scale"));
  WATTUNE_ASSIGN(const auto buffer, device->create_buffer(x.size() * sizeof(float)));
  WATTUNE_ASSIGN(const auto stream, device->create_stream());

  const int n = static_cast<int>(x.size());
  backend::ScalarBytes length{std::vector<std::byte>(sizeof n)};
  std::memcpy(length.bytes.data(), &n, sizeof n);
  const backend::LaunchArgument arguments[] = {buffer.get(), length};

  WATTUNE_TRY(stream->write(*buffer, std::as_bytes(std::span(x))));
  WATTUNE_ASSIGN(const auto launch, stream->prepare(*kernel, geometry_of(configuration, x.size()), arguments));
  for (int i = 0; i < 10; ++i) WATTUNE_TRY(launch->send());
  WATTUNE_TRY(stream->read(*buffer, std::as_writable_bytes(std::span(x))));
  return stream->finish(kLimit);
}

Result<void> run(const char* file) {
  using namespace wattune;
  WATTUNE_ASSIGN(const ResultSet results, store::load_results(file));
  const Trial* best = results.best();
  if (best == nullptr) return Error(ErrorCode::mismatch, "no configuration was correct").about(file);
  std::vector<float> x(100'000, 1.0f);
  WATTUNE_TRY(double_ten_times(results.info.parameters, best->configuration, x));
  for (const float value : x)
    if (value != 1024.0f) return Error(ErrorCode::internal, "a wrong result");
  std::printf("1 doubled ten times is 1024, with %s\n", best->configuration.to_string().c_str());
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const Result<void> result = run(argc > 1 ? argv[1] : WATTUNE_EXAMPLE_DATA "/scale.json");
  if (result) return 0;
  if (result.error().code() == wattune::ErrorCode::unavailable) std::printf("no OpenCL device here\n");
  std::fprintf(stderr, "%s\n", result.error().to_string().c_str());
  return 1;
}
