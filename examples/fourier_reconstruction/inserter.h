// Inserters perform one call of the application with a kernel that tunes itself: a batch of samples is uploaded to the
// device and inserted into the volume.
//
// There are two kinds. One is a composition, like Petrovic's manipulator (5.3.1): its host code uploads the samples,
// and launches the kernel once for all samples or once for each. The other kind is the kernel alone. Its spec describes
// the same launches, so that its configurations can be screened.
#pragma once

#include <memory>
#include <vector>

#include "application.h"
#include "wattune/dynamic/tuner.h"

namespace fourier {

class Inserter {
 public:
  virtual ~Inserter() = default;
  // Sends the work of one call to the application's stream.
  virtual wattune::Result<void> insert(std::size_t batch) = 0;
  // Tells the tuner that the application is about to wait anyway, so that tuning may use this time.
  virtual void gap() = 0;
  virtual wattune::dynamic::Report report() const = 0;
  // Returns how long the first call with each configuration took, without compiling and loading. It is empty if the
  // first calls are not waited for.
  virtual const std::vector<wattune::Nanoseconds>& explored() const = 0;
};

// Makes an inserter that only runs `configuration`. It is a composition if the mode in the options tunes a composition.
wattune::Result<std::unique_ptr<Inserter>> make_oracle(Application& application, const Options& options,
                                                       const wattune::Configuration& configuration);
// Makes an inserter that searches at random. Each call tries another configuration, until as many are tried as the
// options say.
wattune::Result<std::unique_ptr<Inserter>> make_explorer(Application& application, const Options& options);
// Makes an inserter that searches by the tuner's own policy within the budget.
wattune::Result<std::unique_ptr<Inserter>> make_searcher(Application& application, const Options& options);

}  // namespace fourier
