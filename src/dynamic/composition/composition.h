// Composition: the parts that all variants of a composition share. They are its kernels, its function, and a spec that
// describes the composition as one kernel with the call's arguments. All parts except the workspaces are immutable. Any
// thread may use the object.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "dynamic/calls/signature.h"
#include "dynamic/calls/streams.h"
#include "dynamic/composition/workspace.h"
#include "wattune/backend/device.h"
#include "wattune/dynamic/composition.h"

namespace wattune::inline v0_1::dynamic {

struct CompositionKernel {
  KernelSpec spec;      // spec with the parameters, constraints and sizes of the composition
  Signature signature;  // all scalars are passed, since the context decides their values
};

class Composition {
 public:
  // Makes the composition. Fails with invalid_argument if there is no function, no kernel, or two kernels of one name,
  // and with not_found if no kernel has an argument. Fails with the errors of the specs, and of compiling the kernel
  // whose empty launches are marks.
  static Result<std::shared_ptr<Composition>> make(CompositionSpec description, backend::Device& device,
                                                   Streams& streams, Nanoseconds compile_limit);

  const CompositionSpec& description() const { return description_; }
  const KernelSpec& spec() const { return spec_; }
  const Signature& signature() const { return signature_; }
  const std::vector<CompositionKernel>& kernels() const { return kernels_; }
  // Returns the position of a kernel. Fails with not_found, with a hint that suggests the nearest name.
  Result<std::size_t> find_kernel(std::string_view name) const;
  // Returns the position of this name among the arguments of a call. Returns nullopt if the call has no argument of
  // that name.
  std::optional<std::size_t> passed(std::string_view name) const;
  backend::Device& device() const { return device_; }
  // Returns the workspace for calls in this stream. The workspace lives as long as this object, or until the stream is
  // forgotten.
  Result<Workspace*> workspace(const CallStream& stream);
  void forget(const Lane& lane);

 private:
  Composition(CompositionSpec description, KernelSpec spec, Signature signature, std::vector<CompositionKernel> kernels,
              backend::Device& device, Streams& streams)
      : description_(std::move(description)),
        spec_(std::move(spec)),
        signature_(std::move(signature)),
        kernels_(std::move(kernels)),
        device_(device),
        streams_(streams) {}

  const CompositionSpec description_;
  const KernelSpec spec_;
  const Signature signature_;
  const std::vector<CompositionKernel> kernels_;
  backend::Device& device_;
  Streams& streams_;
  std::unique_ptr<Marker> marker_;
  std::mutex adding_;
  std::map<const Lane*, std::unique_ptr<Workspace>> workspaces_;
};

}  // namespace wattune::dynamic
