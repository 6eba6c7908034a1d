// One call of the application, by a kernel that tunes itself: a buffer of samples is uploaded to the device and
// inserted into the volume.
//
// There are two inserters. One is a composition, like Petrovic's manipulator (5.3.1): its host code uploads the
// samples, and launches once or once for each sample. The other is the kernel alone, whose spec has these launches, so
// that it can be screened.
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
  // Tells the tuner that the application waits now in any case.
  virtual void gap() = 0;
  virtual wattune::dynamic::Report report() const = 0;
  // Returns the time of each configuration's first call once it was compiled and loaded, if such calls run to their
  // end.
  virtual const std::vector<wattune::Nanoseconds>& explored() const = 0;
};

// Makes an inserter that runs `configuration` alone. It is of the kind that the options' mode tunes.
wattune::Result<std::unique_ptr<Inserter>> make_oracle(Application& application, const Options& options,
                                                       const wattune::Configuration& configuration);
// Makes a random search. Each call takes a new configuration, until the number in the options is reached.
wattune::Result<std::unique_ptr<Inserter>> make_explorer(Application& application, const Options& options);
// Makes an inserter with the policy's own search within the budget.
wattune::Result<std::unique_ptr<Inserter>> make_searcher(Application& application, const Options& options);

}  // namespace fourier
