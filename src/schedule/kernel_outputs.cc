#include "wattune/schedule/kernel_outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "wattune/measure/output_check.h"

namespace wattune::schedule {

namespace {

constexpr Nanoseconds kTransferLimit = nanoseconds_from_seconds(120);

const VectorArgument* written(const Argument& argument) {
  const auto* vector = std::get_if<VectorArgument>(&argument.kind);
  return vector != nullptr && vector->access != ArgumentAccess::read_only ? vector : nullptr;
}

bool is_read(const Argument& argument) { return written(argument)->access == ArgumentAccess::read_write; }

}  // namespace

Result<KernelOutputs> KernelOutputs::of(backend::Device& device, const KernelSpec& spec,
                                        std::vector<backend::Buffer*> buffers, Sameness sameness,
                                        BufferDigest* digest) {
  KernelOutputs outputs(device, spec.tolerance, sameness, digest);
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i] == nullptr || written(spec.arguments[i]) == nullptr) continue;
    outputs.kept_.push_back({.argument = spec.arguments[i], .buffer = buffers[i]});
    if (!is_read(spec.arguments[i])) continue;
    WATTUNE_ASSIGN(outputs.kept_.back().before, outputs.read(*buffers[i]));
  }
  return outputs;
}

Result<void> KernelOutputs::restore() {
  WATTUNE_ASSIGN(const auto stream, device_->create_stream());
  for (const Kept& kept : kept_)
    WATTUNE_TRY(is_read(kept.argument) ? stream->write(*kept.buffer, kept.before)
                                       : stream->fill(*kept.buffer, measure::kPoison));
  return stream->finish(kTransferLimit);
}

Result<void> KernelOutputs::remember() {
  for (Kept& kept : kept_) {
    WATTUNE_ASSIGN(kept.right, read(*kept.buffer));
    WATTUNE_ASSIGN(kept.right_digest, digest_of(*kept.buffer));
  }
  remembers_ = true;
  return {};
}

Result<std::optional<std::string>> KernelOutputs::difference() {
  for (const Kept& kept : kept_) {
    if (written(kept.argument)->comparison == OutputComparison::none) continue;
    WATTUNE_ASSIGN(const auto digest, digest_of(*kept.buffer));
    if (digest && digest == kept.right_digest) continue;
    WATTUNE_ASSIGN(const std::vector<std::byte> found, read(*kept.buffer));
    if (auto difference = compare(kept, found)) return difference;
  }
  return std::optional<std::string>();
}

std::vector<std::string> KernelOutputs::overwritten() const {
  std::vector<std::string> names;
  for (const Kept& kept : kept_)
    if (is_read(kept.argument)) names.push_back(kept.argument.name);
  return names;
}

Result<std::vector<std::byte>> KernelOutputs::read(const backend::Buffer& buffer) const {
  std::vector<std::byte> bytes(buffer.bytes());
  WATTUNE_ASSIGN(const auto stream, device_->create_stream());
  WATTUNE_TRY(stream->read(buffer, bytes));
  WATTUNE_TRY(stream->finish(kTransferLimit));
  return bytes;
}

Result<std::optional<std::uint64_t>> KernelOutputs::digest_of(const backend::Buffer& buffer) {
  const bool can_be_had = digest_ != nullptr && BufferDigest::can_read(buffer) && digest_->prepare();
  if (!can_be_had) return std::optional<std::uint64_t>();
  WATTUNE_ASSIGN(const std::uint64_t digest, digest_->of(buffer));
  return std::optional(digest);
}

std::optional<std::string> KernelOutputs::compare(const Kept& output, const std::vector<std::byte>& found) const {
  if (found == output.right) return std::nullopt;
  const VectorArgument& vector = *written(output.argument);
  if (sameness_ == Sameness::bits || !vector.fields.empty()) {
    const auto first = std::ranges::mismatch(found, output.right).in1 - found.begin();
    return fmt::format("`{}` differs from byte {} on", output.argument.name, first);
  }
  const auto mismatch =
      measure::compare(found, output.right, vector.type, measure::resolve_tolerance(tolerance_, vector.type));
  return mismatch ? std::optional(mismatch->to_string(output.argument.name)) : std::nullopt;
}

}  // namespace wattune::schedule
