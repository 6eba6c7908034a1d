// Unit: what the variants of a composition share: its kernels, its function, and as one kernel, whose arguments are the
// call's, what decides which configuration runs. Immutable but for its workspaces; any thread.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "dynamic/signature.h"
#include "dynamic/streams.h"
#include "dynamic/workspace.h"
#include "wattune/backend/device.h"
#include "wattune/dynamic/composition.h"

namespace wattune::dynamic {

struct UnitKernel {
  KernelSpec spec;      // with the parameters, constraints and sizes of the composition
  Signature signature;  // every scalar is passed: its value is the context's to decide
};

class Unit {
 public:
  // invalid_argument: no function, no kernel, two of one name; not_found: an argument that no kernel has; errors of the
  // specs, and of compiling the kernel that marks places in streams.
  static Result<std::shared_ptr<Unit>> make(CompositionSpec composition, backend::Device& device, Streams& streams,
                                            Nanoseconds compile_limit);

  const CompositionSpec& composition() const { return composition_; }
  const KernelSpec& spec() const { return spec_; }
  const Signature& signature() const { return signature_; }
  const std::vector<UnitKernel>& kernels() const { return kernels_; }
  // not_found, naming the nearest.
  Result<std::size_t> find_kernel(std::string_view name) const;
  // The position of an argument of the call.
  std::optional<std::size_t> passed(std::string_view name) const;
  backend::Device& device() const { return device_; }
  // Of the calls in this stream. It lives as long as this, or until the stream is forgotten.
  Result<Workspace*> workspace(const CallStream& stream);
  void forget(const Lane& lane);

 private:
  Unit(CompositionSpec composition, KernelSpec spec, Signature signature, std::vector<UnitKernel> kernels,
       backend::Device& device, Streams& streams)
      : composition_(std::move(composition)),
        spec_(std::move(spec)),
        signature_(std::move(signature)),
        kernels_(std::move(kernels)),
        device_(device),
        streams_(streams) {}

  const CompositionSpec composition_;
  const KernelSpec spec_;
  const Signature signature_;
  const std::vector<UnitKernel> kernels_;
  backend::Device& device_;
  Streams& streams_;
  std::unique_ptr<Marker> marker_;
  std::mutex adding_;
  std::map<const Lane*, std::unique_ptr<Workspace>> workspaces_;
};

}  // namespace wattune::dynamic
