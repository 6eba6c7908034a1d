#include "application.h"

#include "wattune/spec/spec.h"

namespace fourier {
namespace {

using namespace wattune;

constexpr Nanoseconds kLimit = nanoseconds_from_seconds(120);

// Returns the kernel's table of the Kaiser-Bessel blob, computed by the series of the Bessel function I0. Entry i is
// the value at the distance r for which 1 - r^2 / 1.9^2 = i / 4095.
std::vector<float> blob_table() {
  std::vector<float> table(4096);
  for (std::size_t i = 0; i < table.size(); ++i) {
    const double height = static_cast<double>(i) / static_cast<double>(table.size() - 1);
    double sum = 1.0;
    for (int k = 30; k > 0; --k) sum = 1.0 + sum * height * 56.25 / (k * k);
    table[i] = static_cast<float>(sum / 339649.373);
  }
  return table;
}

}  // namespace

Result<std::unique_ptr<Application>> Application::make(const Options& options) {
  std::unique_ptr<Application> application(new Application(options));
  WATTUNE_ASSIGN(application->attached_, attach(options.device));
  WATTUNE_ASSIGN(application->stream_, application->device().create_stream());
  WATTUNE_TRY(application->load_spec(options));
  WATTUNE_TRY(application->allocate());
  WATTUNE_TRY(application->project(options));
  return application;
}

// Loads the spec. Outputs are compared with those of the default configuration, because a reference on the host would
// take longer than the whole application. The tests of the kernel use such a reference.
Result<void> Application::load_spec(const Options& options) {
  WATTUNE_ASSIGN(spec_, spec::load(options.spec, spec::SourcePolicy::required,
                                   {{"size", options.size}, {"samples", options.samples}}));
  WATTUNE_TRY(use_language(spec_, device().info().languages));
  spec_.reference = ReferenceKernel{.source = spec_.source, .geometry = spec_.steps.front().geometry, .arguments = {}};
  return {};
}

Result<void> Application::allocate() {
  const std::size_t side = static_cast<std::size_t>(phantom_.size()) + 1;
  const std::size_t voxels = side * side * side;
  const std::vector<float> table = blob_table();
  WATTUNE_ASSIGN(table_, upload(std::as_bytes(std::span(table))));
  WATTUNE_ASSIGN(grid_, device().create_buffer(voxels * sizeof(std::complex<float>)));
  WATTUNE_ASSIGN(weights_, device().create_buffer(voxels * sizeof(float)));
  return {};
}

Result<void> Application::project(const Options& options) {
  Random random(options.seed);
  for (int i = 0; i < options.buffers; ++i) {
    Batch& batch = batches_.emplace_back(phantom_.project(options.samples, random));
    const auto pixels = std::as_bytes(std::span(batch.samples.pixels));
    WATTUNE_ASSIGN(batch.orientations, upload(std::as_bytes(std::span(batch.samples.orientations))));
    if (options.resident) {
      WATTUNE_ASSIGN(batch.pixels, upload(pixels));
    } else if (!pixels_) {
      WATTUNE_ASSIGN(pixels_, upload(pixels));
    }
  }
  return {};
}

Result<std::unique_ptr<backend::Buffer>> Application::upload(std::span<const std::byte> data) {
  WATTUNE_ASSIGN(auto buffer, device().create_buffer(data.size()));
  WATTUNE_TRY(stream_->write(*buffer, data));
  WATTUNE_TRY(finish());
  return buffer;
}

backend::Buffer& Application::pixels(std::size_t batch) {
  return batches_[batch].pixels ? *batches_[batch].pixels : *pixels_;
}

Result<void> Application::clear() {
  WATTUNE_TRY(stream_->fill(*grid_, std::byte{0}));
  WATTUNE_TRY(stream_->fill(*weights_, std::byte{0}));
  return finish();
}

Result<void> Application::finish() { return stream_->finish(kLimit); }

Result<Outcome> Application::outcome() {
  std::vector<std::complex<float>> grid(grid_->bytes() / sizeof(std::complex<float>));
  std::vector<float> weights(grid.size());
  WATTUNE_TRY(stream_->read(*grid_, std::as_writable_bytes(std::span(grid))));
  WATTUNE_TRY(stream_->read(*weights_, std::as_writable_bytes(std::span(weights))));
  WATTUNE_TRY(finish());
  const Reconstruction reconstruction(phantom_.size(), grid, weights);
  return Outcome{reconstruction.compare(phantom_), outer_weight(phantom_.size(), weights)};
}

Result<double> Application::weight() {
  std::vector<float> weights(weights_->bytes() / sizeof(float));
  WATTUNE_TRY(stream_->read(*weights_, std::as_writable_bytes(std::span(weights))));
  WATTUNE_TRY(finish());
  return outer_weight(phantom_.size(), weights);
}

}  // namespace fourier
