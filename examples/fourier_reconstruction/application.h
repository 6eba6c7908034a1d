// The application's work without any tuning: projections of a phantom, their buffers, and the volume on the device.
//
// Application owns all memory and the stream. Only one thread may use it.
//
//   WATTUNE_ASSIGN(const auto application, Application::make(options));
//   WATTUNE_TRY(application->clear());
//   ...                                                 // insert buffers, finish()
//   WATTUNE_ASSIGN(const Outcome outcome, application->outcome());
#pragma once

#include <memory>
#include <vector>

#include "device.h"
#include "options.h"
#include "phantom.h"
#include "reconstruction.h"
#include "wattune/core/kernel_spec.h"

namespace fourier {

// A batch of samples. `pixels` is only set if the pixels of all batches stay on the device.
struct Batch {
  Samples samples;
  std::unique_ptr<wattune::backend::Buffer> pixels;
  std::unique_ptr<wattune::backend::Buffer> orientations;
};

struct Outcome {
  Likeness likeness;
  double weight = 0.0;  // outer_weight()
};

class Application {
 public:
  static wattune::Result<std::unique_ptr<Application>> make(const Options& options);

  wattune::backend::Device& device() { return attached_->device(); }
  wattune::backend::Stream& stream() { return *stream_; }
  // Returns the spec of benchmarks/fourier_reconstruction for this application's sizes, in the device's language.
  const wattune::KernelSpec& spec() const { return spec_; }
  const std::vector<Batch>& batches() const { return batches_; }
  // Returns the buffer from which the kernel reads the pixels of a batch.
  wattune::backend::Buffer& pixels(std::size_t batch);
  wattune::backend::Buffer& table() { return *table_; }
  wattune::backend::Buffer& grid() { return *grid_; }
  wattune::backend::Buffer& weights() { return *weights_; }

  // Empties the volume.
  wattune::Result<void> clear();
  // Sends the stream's commands to the device. finish() sends them and waits for them.
  wattune::Result<void> submit() { return stream_->submit(); }
  wattune::Result<void> finish();
  wattune::Result<Outcome> outcome();
  wattune::Result<double> weight();

 private:
  explicit Application(const Options& options) : phantom_(options.size, options.seed) {}
  wattune::Result<void> load_spec(const Options& options);
  wattune::Result<void> allocate();
  wattune::Result<void> project(const Options& options);
  wattune::Result<std::unique_ptr<wattune::backend::Buffer>> upload(std::span<const std::byte> data);

  Phantom phantom_;
  wattune::KernelSpec spec_;
  std::unique_ptr<AttachedDevice> attached_;
  std::unique_ptr<wattune::backend::Stream> stream_;
  std::vector<Batch> batches_;
  std::unique_ptr<wattune::backend::Buffer> pixels_, table_, grid_, weights_;
};

}  // namespace fourier
