#include "schedule/interface/counted_use.h"

#include <fmt/format.h>

#include <cstring>
#include <span>
#include <vector>

#include "backend/interface/launch_check.h"
#include "simulate/interface/ptx_module.h"
#include "slice/interface/ptx_tree.h"

namespace wattune::inline v0_1::schedule {

namespace {

constexpr double kComplementary = 1.5;

Error cannot_count(const LoadedKernel& kernel, const std::string& why) {
  return Error(ErrorCode::unavailable, fmt::format("what {} uses cannot be counted: {}", kernel.name, why));
}

// A copy of a kernel's buffers on the host, with arguments that point into it.
class HostCopy {
 public:
  HostCopy(backend::Device& device, const LoadedKernel& kernel, const CountOptions& options)
      : device_(device), kernel_(kernel), options_(options) {}

  Result<void> make(const simulate::PtxModule& module, const simulate::PtxKernel& code) {
    parameters.resize(code.parameter_bytes);
    std::size_t next = 0;
    for (const backend::LaunchArgument& argument : kernel_.arguments) {
      if (const auto* constant = std::get_if<backend::ConstantBuffer>(&argument)) {
        WATTUNE_TRY(copy_constant(module, *constant));
      } else if (!std::holds_alternative<backend::LocalBytes>(argument)) {
        if (next == code.parameters.size()) return cannot_count(kernel_, "it has fewer parameters than arguments");
        WATTUNE_TRY(copy_argument(argument, code.parameters[next++]));
      }
    }
    return {};
  }

  simulate::VirtualMemory memory;
  std::vector<std::byte> parameters;

 private:
  Result<void> copy_argument(const backend::LaunchArgument& argument, const simulate::PtxParameter& parameter) {
    if (const auto* scalar = std::get_if<backend::ScalarBytes>(&argument)) return place(scalar->bytes, parameter);
    const auto* const buffer = std::get_if<const backend::Buffer*>(&argument);
    if (buffer == nullptr || (*buffer != nullptr && (*buffer)->has_pixels()))
      return cannot_count(kernel_, "it samples pixels");
    std::uint64_t address = 0;
    if (*buffer != nullptr) {
      WATTUNE_ASSIGN(address, copy_buffer(**buffer, parameter.name));
    }
    return place(std::as_bytes(std::span(&address, 1)), parameter);
  }

  Result<void> place(std::span<const std::byte> bytes, const simulate::PtxParameter& parameter) {
    if (bytes.size() != parameter.bytes)
      return cannot_count(
          kernel_, fmt::format("`{}` has {} bytes, its argument {}", parameter.name, parameter.bytes, bytes.size()));
    std::memcpy(parameters.data() + parameter.offset, bytes.data(), bytes.size());
    return {};
  }

  Result<std::uint64_t> copy_buffer(const backend::Buffer& buffer, const std::string& name) {
    bytes_ += buffer.bytes();
    if (bytes_ > options_.most_bytes)
      return cannot_count(kernel_, fmt::format("its buffers have more than {} bytes", options_.most_bytes));
    const std::uint64_t address = memory.allocate(buffer.bytes(), name);
    WATTUNE_TRY(read(buffer, memory.extent(address).bytes));
    return address;
  }

  Result<void> copy_constant(const simulate::PtxModule& module, const backend::ConstantBuffer& constant) {
    const auto symbol = module.symbol(constant.symbol);
    if (!symbol || constant.buffer == nullptr || symbol->bytes < constant.buffer->bytes())
      return cannot_count(kernel_, "its text has no room for " + constant.symbol);
    return read(*constant.buffer, memory.extent(symbol->address).bytes.first(constant.buffer->bytes()));
  }

  Result<void> read(const backend::Buffer& buffer, std::span<std::byte> into) {
    WATTUNE_ASSIGN(const auto stream, device_.create_stream());
    WATTUNE_TRY(stream->read(buffer, into));
    return stream->finish(options_.limit);
  }

  backend::Device& device_;
  const LoadedKernel& kernel_;
  const CountOptions& options_;
  std::size_t bytes_ = 0;
};

}  // namespace

Result<simulate::BlockCosts> count_block(backend::Device& device, const LoadedKernel& kernel,
                                         const CountOptions& options) {
  if (kernel.code->ptx.empty()) return cannot_count(kernel, "no PTX of it is known");
  WATTUNE_ASSIGN(const slice::PtxTree tree, slice::parse_ptx(kernel.code->ptx, kernel.name));
  HostCopy copy(device, kernel, options);
  WATTUNE_ASSIGN(const auto module, simulate::PtxModule::load(tree, copy.memory));
  WATTUNE_ASSIGN(const simulate::PtxKernel* code, module.kernel(kernel.code->symbol));
  WATTUNE_TRY(copy.make(module, *code));
  simulate::BlockSampleOptions sample = options.sample;
  sample.dynamic_shared_bytes = backend::local_bytes_of(kernel.arguments);
  return simulate::count_block(module, kernel.code->symbol, kernel.geometry, copy.parameters, copy.memory, sample);
}

std::optional<double> packing_bound(const KernelTraits& first, const KernelTraits& second) {
  if (first.use.empty() || second.use.empty()) return std::nullopt;
  const model::SoloRun both[] = {{Nanoseconds(1), first.use}, {Nanoseconds(1), second.use}};
  return model::packing_bound(both);
}

bool is_complementary(std::optional<double> packing_bound) { return packing_bound >= kComplementary; }

}  // namespace wattune::schedule
