// Inserter: one call of the application, by a kernel that tunes itself: a buffer of samples goes to the device and into
// the volume.
//
// Two of them: a composition, as paper 001's manipulator (5.3.1), whose host code uploads the samples and launches once
// or once for each of them; and the kernel alone, whose spec has these launches, so that it can be screened.
#pragma once

#include <memory>
#include <vector>

#include "application.h"
#include "wattune/dynamic/tuner.h"

namespace fourier {

class Inserter {
 public:
  virtual ~Inserter() = default;
  // Sends the work to the application's stream.
  virtual wattune::Result<void> insert(std::size_t batch) = 0;
  // The application waits now in any case.
  virtual void gap() = 0;
  virtual wattune::dynamic::Report report() const = 0;
  // How long each configuration's first call took once it was compiled and loaded, where such calls run to their end.
  virtual const std::vector<wattune::Nanoseconds>& explored() const = 0;
};

// `configuration` alone, by the one of the two that the options' mode tunes.
wattune::Result<std::unique_ptr<Inserter>> make_oracle(Application& application, const Options& options,
                                                       const wattune::Configuration& configuration);
// Random search: each call takes a configuration that is new, until there were as many as the options say.
wattune::Result<std::unique_ptr<Inserter>> make_explorer(Application& application, const Options& options);
// The policy's own search within the budget.
wattune::Result<std::unique_ptr<Inserter>> make_searcher(Application& application, const Options& options);

}  // namespace fourier
