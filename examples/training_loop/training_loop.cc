// The loop of training_loop.py in C++: the same kernel, sizes and sequence of calls, with the same output.
//
//   training_loop SPEC [STEPS [automatic|best]]
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "wattune/backend/attach.h"
#include "wattune/dynamic/tuner.h"
#include "wattune/spec/spec.h"

namespace {

using wattune::Result;
namespace backend = wattune::backend;
namespace dynamic = wattune::dynamic;

constexpr int kChunk = 50;  // steps between two waits for the device, as for a loss that is read
constexpr wattune::Nanoseconds kLimit = wattune::nanoseconds_from_seconds(60);
constexpr std::pair<int, int> kSizes[] = {{4096, 1024}, {8192, 768}, {2048, 4096}};

struct Layer {
  int rows, columns;
  std::unique_ptr<backend::Buffer> x, weight, bias, y;
};

Result<std::unique_ptr<backend::Buffer>> numbers(backend::Device& device, backend::Stream& stream, std::size_t count) {
  std::vector<float> values(count);
  unsigned state = 1;
  for (float& value : values) value = static_cast<float>((state = state * 1664525u + 1013904223u) >> 8) * 0x1p-23f - 1;
  WATTUNE_ASSIGN(auto buffer, device.create_buffer(count * sizeof(float)));
  WATTUNE_TRY(stream.write(*buffer, std::as_bytes(std::span(values))));
  WATTUNE_TRY(stream.finish(kLimit));
  return buffer;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? 0.0 : values[values.size() / 2];
}

Result<void> run(const std::string& file, int steps, dynamic::Mode mode) {
  WATTUNE_ASSIGN(wattune::KernelSpec spec, wattune::spec::load(file));
  WATTUNE_ASSIGN(const auto device, backend::open_cuda_in_primary_context("cuda:0"));
  WATTUNE_TRY(use_language(spec, device->info().languages));
  WATTUNE_ASSIGN(const auto stream, device->create_stream());
  std::vector<Layer> layers;
  for (const auto& [rows, columns] : kSizes) {
    const std::size_t elements = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
    Layer layer{.rows = rows, .columns = columns};
    WATTUNE_ASSIGN(layer.x, numbers(*device, *stream, elements));
    WATTUNE_ASSIGN(layer.weight, numbers(*device, *stream, static_cast<std::size_t>(columns)));
    WATTUNE_ASSIGN(layer.bias, numbers(*device, *stream, static_cast<std::size_t>(columns)));
    WATTUNE_ASSIGN(layer.y, numbers(*device, *stream, elements));
    layers.push_back(std::move(layer));
  }
  WATTUNE_ASSIGN(const auto tuner, dynamic::Tuner::attach(*device));
  WATTUNE_ASSIGN(const auto layer_norm, tuner->kernel(spec, {.policy = {.mode = mode}}));
  std::vector<double> chunks;
  for (int chunk = 0; chunk < steps / kChunk; ++chunk) {
    const auto begun = std::chrono::steady_clock::now();
    for (int step = 0; step < kChunk; ++step)
      for (const Layer& layer : layers)
        WATTUNE_TRY((*layer_norm)(*stream, *layer.x, *layer.weight, *layer.bias, *layer.y, layer.rows, layer.columns));
    WATTUNE_TRY(stream->finish(kLimit));
    chunks.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count() / kChunk);
  }
  const std::size_t fifth = (chunks.size() + 4) / 5;
  const auto first = static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, chunks.size() / 50));
  std::printf(R"({"seconds per step": %.9f, "seconds per step at first": %.9f, "report": %s})"
              "\n",
              median({chunks.end() - static_cast<std::ptrdiff_t>(fifth), chunks.end()}),
              median({chunks.begin(), chunks.begin() + first}), report_json(tuner->report()).c_str());
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const std::string file = argc > 1 ? argv[1] : "examples/training_loop/layer_norm.toml";
  const int steps = std::max(kChunk, argc > 2 ? std::atoi(argv[2]) : 20'000);
  const bool best = argc > 3 && std::string(argv[3]) == "best";
  const Result<void> done = run(file, steps, best ? dynamic::Mode::best : dynamic::Mode::automatic);
  if (done) return 0;
  std::fprintf(stderr, "%s\n", done.error().to_string().c_str());
  return 1;
}
