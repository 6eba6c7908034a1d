// CompositionContext: the Context of a composition's function in one call.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "dynamic/calls/variant.h"
#include "dynamic/composition/composition_fit.h"
#include "wattune/dynamic/composition.h"

namespace wattune::inline v0_1::dynamic {

class CompositionContext : public Context {
 public:
  // Takes the parts of a call. The caller must hold the workspace for the length of the call. Transfers in stream 0 are
  // added to `transfers`, unless that is nullptr.
  CompositionContext(const Composition& composition, CompositionFit& fit, Workspace& workspace,
                     const Configuration& configuration, std::span<const CallArgument> arguments,
                     std::vector<MarkedSpan>* transfers)
      : composition_(composition),
        fit_(fit),
        workspace_(workspace),
        configuration_(configuration),
        arguments_(arguments),
        transfers_(transfers) {}

  std::size_t launches() const { return launches_; }

  const Configuration& configuration() const override { return configuration_; }
  std::int64_t integer(std::string_view parameter) const override;
  double real(std::string_view parameter) const override;
  bool flag(std::string_view parameter) const override;
  std::string text(std::string_view parameter) const override;
  std::int64_t size(std::string_view name) const override;

  Result<void> launch(std::string_view kernel, const LaunchChange& change) override;
  Result<backend::Geometry3> geometry(std::string_view kernel) const override;

  Result<CallArgument> argument(std::string_view name) const override;
  Result<CallArgument> resize(std::string_view name, std::size_t bytes) override;
  Result<void> swap(std::string_view a, std::string_view b) override;
  Result<void> set(std::string_view name, const CallArgument& scalar) override;

  Result<void> write(std::string_view name, std::span<const std::byte> data, std::size_t stream) override;
  Result<void> read(std::string_view name, std::span<std::byte> data, std::size_t stream) override;
  Result<void> copy(std::string_view from, std::string_view to, std::size_t stream) override;
  Result<void> fill(std::string_view name, std::byte value, std::size_t stream) override;
  Result<void> order(std::size_t earlier, std::size_t later) override { return workspace_.order(earlier, later); }
  Result<void> synchronize(std::optional<std::size_t> stream) override { return workspace_.finish(stream); }

 private:
  // Returns the name to which the memory of `name` belonged before the swaps of this call.
  std::string holder(std::string_view name) const;
  Result<CallArgument> value_for(std::size_t kernel, const PassedArgument& passed, const tune::Launch& launch,
                                 const LaunchChange& change);
  Result<CallArgument> memory_for(const std::string& name, const tune::PlannedArgument& planned);
  // Returns the first `bytes` of the memory of this name, or all of the memory without a number.
  Result<backend::Buffer*> bytes_of(std::string_view name, std::optional<std::size_t> bytes);
  Result<backend::Buffer*> whole(const std::string& name, std::size_t bytes);
  std::optional<std::size_t> planned_bytes(const std::string& name) const;
  Error unknown(std::string_view name) const;
  // Sends a transfer between host and device into a stream.
  template <typename Send>
  Result<void> transfer(std::size_t stream, const Send& send);

  const Composition& composition_;
  CompositionFit& fit_;
  Workspace& workspace_;
  const Configuration& configuration_;
  const std::span<const CallArgument> arguments_;
  std::vector<MarkedSpan>* const transfers_;
  std::map<std::string, std::string, std::less<>> swapped_;
  std::map<std::string, CallArgument, std::less<>> scalars_;
  std::size_t launches_ = 0;
};

}  // namespace wattune::dynamic
