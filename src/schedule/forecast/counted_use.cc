#include "schedule/interface/counted_use.h"

#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "backend/interface/launch_check.h"
#include "backend/interface/part.h"
#include "schedule/interface/kernel_use.h"
#include "schedule/interface/timing_class.h"
#include "simulate/interface/ptx_module.h"
#include "slice/interface/ptx_tree.h"

namespace wattune::inline v0_1::schedule {

namespace {

Error cannot_count(const LoadedKernel& kernel, const std::string& why) {
  return Error(ErrorCode::unavailable, fmt::format("the instructions of {} cannot be counted: {}", kernel.name, why));
}

// Reads parts of a kernel's buffers from the device, up to a limit of bytes in total.
class BufferReader {
 public:
  BufferReader(backend::Device& device, const LoadedKernel& kernel, const CountOptions& options)
      : device_(device), kernel_(kernel), options_(options) {}

  Result<void> read(const backend::Buffer& buffer, std::uint64_t offset, std::span<std::byte> into) {
    bytes_ += into.size();
    if (bytes_ > options_.most_bytes)
      return cannot_count(kernel_, fmt::format("some of its blocks access more than {} bytes", options_.most_bytes));
    if (stream_ == nullptr) {
      WATTUNE_ASSIGN(stream_, device_.create_stream());
    }
    WATTUNE_ASSIGN(const auto part, backend::part_of(buffer, offset, into.size()));
    WATTUNE_TRY(stream_->read(*part, into));
    return stream_->finish(options_.limit);
  }

 private:
  backend::Device& device_;
  const LoadedKernel& kernel_;
  const CountOptions& options_;
  std::unique_ptr<backend::Stream> stream_;
  std::uint64_t bytes_ = 0;
};

// Reads pages of a buffer from the device when the interpreter touches them.
class BufferPages : public simulate::PageSource {
 public:
  // Writes the first error of reading to `failure`, which must outlive this object.
  BufferPages(const backend::Buffer& buffer, BufferReader& reader, std::optional<Error>& failure)
      : buffer_(buffer), reader_(reader), failure_(failure) {}

  bool read(std::uint64_t offset, std::span<std::byte> into) override {
    auto done = reader_.read(buffer_, offset, into);
    if (done) return true;
    if (!failure_) failure_ = std::move(done).error();
    return false;
  }

 private:
  const backend::Buffer& buffer_;
  BufferReader& reader_;
  std::optional<Error>& failure_;
};

// A copy on the host of the memory of a kernel, with arguments that point into it. Pages of the kernel's buffers are
// read when they are touched.
class HostCopy {
 public:
  HostCopy(backend::Device& device, const LoadedKernel& kernel, const CountOptions& options)
      : kernel_(kernel), reader_(device, kernel, options) {}

  Result<void> make(const simulate::PtxModule& module, const simulate::PtxKernel& code) {
    parameters.resize(code.parameter_bytes);
    std::size_t next = 0;
    for (const backend::LaunchArgument& argument : kernel_.arguments) {
      if (const auto* constant = std::get_if<backend::ConstantBuffer>(&argument)) {
        WATTUNE_TRY(copy_constant(module, *constant));
      } else if (!std::holds_alternative<backend::LocalBytes>(argument)) {
        if (next == code.parameters.size())
          return cannot_count(kernel_, "its PTX has fewer parameters than the spec has arguments");
        WATTUNE_TRY(copy_argument(argument, code.parameters[next++]));
      }
    }
    return {};
  }

  simulate::VirtualMemory memory;
  std::vector<std::byte> parameters;
  std::optional<Error> failure = {};  // first error in reading a page

 private:
  Result<void> copy_argument(const backend::LaunchArgument& argument, const simulate::PtxParameter& parameter) {
    if (const auto* scalar = std::get_if<backend::ScalarBytes>(&argument)) return place(scalar->bytes, parameter);
    const auto* const buffer = std::get_if<const backend::Buffer*>(&argument);
    if (buffer == nullptr || (*buffer != nullptr && (*buffer)->has_pixels()))
      return cannot_count(kernel_, "it reads images, which the interpreter does not");
    const std::uint64_t address = *buffer == nullptr ? 0 : place_buffer(**buffer, parameter.name);
    return place(std::as_bytes(std::span(&address, 1)), parameter);
  }

  Result<void> place(std::span<const std::byte> bytes, const simulate::PtxParameter& parameter) {
    if (bytes.size() != parameter.bytes)
      return cannot_count(kernel_, fmt::format("parameter `{}` of its PTX has {} bytes, and the argument has {}",
                                               parameter.name, parameter.bytes, bytes.size()));
    std::memcpy(parameters.data() + parameter.offset, bytes.data(), bytes.size());
    return {};
  }

  std::uint64_t place_buffer(const backend::Buffer& buffer, const std::string& name) {
    return memory.allocate(buffer.bytes(), name, std::make_shared<BufferPages>(buffer, reader_, failure));
  }

  Result<void> copy_constant(const simulate::PtxModule& module, const backend::ConstantBuffer& constant) {
    const auto symbol = module.symbol(constant.symbol);
    if (!symbol || constant.buffer == nullptr || symbol->bytes < constant.buffer->bytes())
      return cannot_count(kernel_, "its PTX has no room for the constant " + constant.symbol);
    const std::size_t bytes = constant.buffer->bytes();
    return reader_.read(*constant.buffer, 0, memory.extent(symbol->address).bytes.first(bytes));
  }

  const LoadedKernel& kernel_;
  BufferReader reader_;
};

}  // namespace

Result<simulate::BlockCosts> count_block(backend::Device& device, const LoadedKernel& kernel,
                                         const CountOptions& options) {
  if (!kernel.then.empty()) return cannot_count(kernel, "it consists of several launches");
  if (kernel.code->ptx.empty()) return cannot_count(kernel, "its PTX is not known");
  WATTUNE_ASSIGN(const slice::PtxTree tree, slice::parse_ptx(kernel.code->ptx, kernel.name));
  HostCopy copy(device, kernel, options);
  WATTUNE_ASSIGN(const auto module, simulate::PtxModule::load(tree, copy.memory));
  WATTUNE_ASSIGN(const simulate::PtxKernel* code, module.kernel(kernel.code->symbol));
  WATTUNE_TRY(copy.make(module, *code));
  simulate::BlockSampleOptions sample = options.sample;
  sample.dynamic_shared_bytes = backend::local_bytes_of(kernel.arguments);
  auto costs =
      simulate::count_block(module, kernel.code->symbol, kernel.geometry, copy.parameters, copy.memory, sample);
  if (copy.failure) return *std::move(copy.failure);
  return costs;
}

std::optional<double> packing_bound(const KernelTraits& first, const KernelTraits& second) {
  if (refutes_counts(first) || refutes_counts(second)) return std::nullopt;
  const model::SoloRun both[] = {{Nanoseconds(1), known_use(first)}, {Nanoseconds(1), known_use(second)}};
  if (both[0].use.empty() || both[1].use.empty()) return std::nullopt;
  return model::packing_bound(both);
}

}  // namespace wattune::schedule
