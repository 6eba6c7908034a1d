#include "schedule/session/own_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include "core/interface/suggest.h"
#include "wattune/backend/attach.h"

namespace wattune::inline v0_1::schedule {

namespace {

using backend::OwnArgument;

Error does_not_fit(const std::string& argument, const std::string& why) {
  return Error(ErrorCode::invalid_argument, fmt::format("argument `{}` {}", argument, why));
}

Result<void> check_own_type(const std::string& name, const OwnArgument& given, ElementType type) {
  if (!given.type() || *given.type() == type) return {};
  return does_not_fit(name, fmt::format("is of {}, and the spec has {}", c_name(*given.type()), c_name(type)));
}

bool is_output(const Argument& argument) {
  const auto* vector = std::get_if<VectorArgument>(&argument.kind);
  return vector != nullptr && vector->access != ArgumentAccess::read_only;
}

// Puts the arguments of an application into a copy of a kernel, one after another.
class Replacement {
 public:
  Replacement(backend::Device& device, const KernelSpec& spec, const LoadedKernel& kernel)
      : device_(device), spec_(spec), copy_(std::make_shared<LoadedKernel>(kernel)) {}

  Result<void> take(const std::string& name, const OwnArgument& given) {
    const auto found = std::ranges::find(spec_.arguments, name, &Argument::name);
    if (found == spec_.arguments.end()) return no_such(name);
    const auto place = static_cast<std::size_t>(found - spec_.arguments.begin());
    if (const auto* vector = std::get_if<VectorArgument>(&found->kind)) return take_memory(place, *vector, given);
    if (const auto* scalar = std::get_if<ScalarArgument>(&found->kind)) {
      WATTUNE_TRY(check_own_type(name, given, scalar->type));
      return take_value(place, size_in_bytes(scalar->type), given);
    }
    if (const auto* structure = std::get_if<StructArgument>(&found->kind))
      return take_value(place, layout_of(*structure).bytes, given);
    return does_not_fit(name, "is neither memory nor a value");
  }

  Result<OwnData> finish() {
    for (std::size_t place = 0; place < spec_.arguments.size(); ++place) {
      const Argument& argument = spec_.arguments[place];
      if (is_output(argument) && copy_->buffers[place] != nullptr && !anew_.contains(place))
        return does_not_fit(argument.name, "is written, and the work has no memory for it")
            .hint("give memory for each buffer that the kernel writes");
    }
    replace_arguments(*copy_, [this](backend::LaunchArgument& argument, const std::optional<std::size_t>& source) {
      if (!source) return;
      if (const auto found = anew_.find(*source); found != anew_.end()) argument = found->second;
    });
    return OwnData{std::move(copy_), std::move(uses_)};
  }

 private:
  Error no_such(const std::string& name) const {
    std::vector<std::string> names;
    for (const Argument& argument : spec_.arguments) names.push_back(argument.name);
    return Error(ErrorCode::not_found, "the kernel has no such argument").about(name).hint(suggest(name, names));
  }

  Result<void> take_value(std::size_t place, std::size_t bytes, const OwnArgument& given) {
    const std::string& name = spec_.arguments[place].name;
    if (given.is_memory()) return does_not_fit(name, "is memory, and the spec has a value");
    if (given.bytes().size() != bytes)
      return does_not_fit(name, fmt::format("has {} bytes, and the spec has {}", given.bytes().size(), bytes));
    anew_[place] = backend::ScalarBytes{{given.bytes().begin(), given.bytes().end()}};
    return {};
  }

  Result<void> take_memory(std::size_t place, const VectorArgument& vector, const OwnArgument& given) {
    const std::string& name = spec_.arguments[place].name;
    if (!given.is_memory()) return does_not_fit(name, "is a value, and the spec has memory");
    if (vector.image || vector.place == BufferPlace::constant)
      return does_not_fit(name, "is an image or a constant, which a work cannot bring along");
    if (vector.fields.empty()) WATTUNE_TRY(check_own_type(name, given, vector.type));
    const std::size_t bytes = copy_->buffers[place]->bytes();
    const backend::Buffer* buffer = given.buffer();
    if (buffer == nullptr) {
      auto adopted = adopt(given, bytes);
      if (!adopted) return std::move(adopted).error().with_context("argument `" + name + "`");
      copy_->buffers[place] = *std::move(adopted);
      buffer = copy_->buffers[place].get();
    }
    if (buffer->bytes() < bytes)
      return does_not_fit(name, fmt::format("has {} bytes, and the kernel takes {}", buffer->bytes(), bytes));
    anew_[place] = buffer;
    uses_.push_back({name, backend::range_of(*buffer), vector.access != ArgumentAccess::read_only});
    return {};
  }

  // Adopts memory of the application. Memory that CUDA allocated may be larger than the part that is adopted.
  Result<std::unique_ptr<backend::Buffer>> adopt(const OwnArgument& given, std::size_t bytes) {
    if (given.memory() == 0) return Error(ErrorCode::invalid_argument, "the pointer is null");
    if (device_.info().backend == "opencl") {
      if (given.type())
        return Error(ErrorCode::invalid_argument, "memory of OpenCL is passed as a cl_mem, not as a pointer");
      return backend::adopt_buffer(device_, reinterpret_cast<_cl_mem*>(given.memory()));
    }
    WATTUNE_ASSIGN(const std::size_t there, backend::memory_bytes(device_, given.memory(), bytes));
    return backend::adopt_buffer(device_, given.memory(), std::min(there, bytes));
  }

  backend::Device& device_;
  const KernelSpec& spec_;
  std::shared_ptr<LoadedKernel> copy_;
  std::map<std::size_t, backend::LaunchArgument> anew_;  // new arguments, by position of the argument in the spec
  std::vector<MemoryUse> uses_;
};

}  // namespace

Result<OwnData> own_data(backend::Device& device, const KernelSpec& spec, const LoadedKernel& kernel,
                         const OwnArguments& arguments) {
  Replacement replacement(device, spec, kernel);
  for (const auto& [name, given] : arguments) WATTUNE_TRY(replacement.take(name, given));
  return replacement.finish();
}

std::optional<std::pair<MemoryUse, MemoryUse>> conflict_of(const std::vector<MemoryUse>& uses,
                                                           const std::vector<MemoryUse>& others) {
  for (const MemoryUse& use : uses)
    for (const MemoryUse& other : others)
      if ((use.is_written || other.is_written) && backend::overlap(use.range, other.range))
        return std::pair(use, other);
  return std::nullopt;
}

}  // namespace wattune::schedule
