// Fit: the launches of a configuration for calls of certain sizes, laid out for each stream into which they are sent.
// Any thread may call the functions, but only one thread at a time for each stream.
#pragma once

#include <memory>
#include <mutex>
#include <span>

#include "dynamic/calls/lasting_table.h"
#include "dynamic/calls/layout.h"
#include "dynamic/calls/problem.h"
#include "dynamic/screening/memory_check.h"

namespace wattune::inline v0_1::dynamic {

class Fit {
 public:
  // Makes the launches of the problem at these sizes. Fails with launch_failed if the device lacks a resource that they
  // need.
  static Result<std::unique_ptr<Fit>> make(std::shared_ptr<const Problem> problem, const CallSizes& sizes,
                                           const Signature& signature, const Configuration& configuration,
                                           backend::Program& program, backend::Device& device);
  // Makes a Fit with launches other than those of the problem's plan.
  static Result<std::unique_ptr<Fit>> make(std::shared_ptr<const Problem> problem, const CallSizes& sizes,
                                           const Signature& signature, tune::Launch launch, backend::Program& program,
                                           backend::Device& device);

  const CallSizes& sizes() const { return sizes_; }
  std::size_t private_bytes() const { return private_bytes_; }
  std::size_t launches() const;
  Result<void> check_memory(std::span<const CallArgument> arguments) { return memory_.check(arguments, device_); }
  backend::MemoryMark memory_mark() const { return memory_.mark(); }
  // Returns the launches for this stream. They are laid out at the first call in it. The lane, which stands for the
  // stream, must be locked.
  Result<Layout*> layout_in(Lane& lane, std::span<const CallArgument> arguments);
  // The next functions do the same as the functions of the same names in Layout. The lane must be locked.

  Result<void> send(Lane& lane, std::span<const CallArgument> arguments);
  Result<std::vector<std::unique_ptr<backend::Event>>> send_timed(Lane& lane, std::span<const CallArgument> arguments);
  // The next functions do the same as Variant::call_in() and Variant::replace(). The lane must be locked.

  std::vector<CallArgument> call_in(const backend::GraphLaunch& launch) const;
  Result<void> replace(Lane& lane, std::span<const CallArgument> arguments, const backend::GraphLaunch& launch,
                       CUgraphExec_st* executable);

 private:
  bool is_one_launch() const;
  Fit(std::shared_ptr<const Problem> problem, const CallSizes& sizes, const Signature& signature, tune::Launch launch,
      backend::Device& device);
  Result<void> find_kernels(backend::Program& program);

  const std::shared_ptr<const Problem> problem_;
  const CallSizes sizes_;
  LaunchParts parts_;
  MemoryCheck memory_;
  backend::Device& device_;
  std::size_t private_bytes_ = 0;
  std::mutex adding_;
  LastingTable<Layout, 16> layouts_;
};

}  // namespace wattune::dynamic
