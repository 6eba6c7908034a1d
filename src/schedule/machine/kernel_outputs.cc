#include "schedule/interface/kernel_outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "measure/interface/output_check.h"

namespace wattune::inline v0_1::schedule {

namespace {

constexpr Nanoseconds kTransferLimit = nanoseconds_from_seconds(120);

const VectorArgument* written(const Argument& argument) {
  const auto* vector = std::get_if<VectorArgument>(&argument.kind);
  return vector != nullptr && vector->access != ArgumentAccess::read_only ? vector : nullptr;
}

// Tells whether the output is compared. Precondition: the kernel writes it.
bool is_compared(const Argument& argument) { return written(argument)->comparison != OutputComparison::none; }

}  // namespace

KernelOutputs::KernelOutputs(backend::Device& device, const KernelSpec& spec, const LoadedKernel& kernel,
                             Sameness sameness, BufferDigest* digest)
    : device_(&device), tolerance_(spec.tolerance), sameness_(sameness), digest_(digest) {
  for (std::size_t i = 0; i < kernel.buffers.size(); ++i) {
    if (kernel.buffers[i] == nullptr || written(spec.arguments[i]) == nullptr) continue;
    const std::size_t holder = kernel.holders.empty() ? i : kernel.holders[i];
    kept_.push_back({.argument = spec.arguments[i],
                     .buffer = kernel.buffers[holder],
                     .pristine = kernel.pristine[holder],
                     .first_name = spec.arguments[holder].name});
  }
}

Result<void> KernelOutputs::restore() {
  WATTUNE_ASSIGN(const auto stream, device_->create_stream());
  for (const Kept& kept : kept_)
    WATTUNE_TRY(kept.pristine != nullptr ? stream->copy(*kept.pristine, *kept.buffer)
                                         : stream->fill(*kept.buffer, measure::kPoison));
  return stream->finish(kTransferLimit);
}

Result<void> KernelOutputs::remember(std::span<const KernelOutputs* const> others) {
  for (Kept& kept : kept_) {
    WATTUNE_ASSIGN(kept.right_digest, digest_of(*kept.buffer));
    kept.right = find_right(kept, others);
    if (kept.right != nullptr) continue;
    WATTUNE_ASSIGN(std::vector<std::byte> right, read(*kept.buffer));
    kept.right = std::make_shared<const std::vector<std::byte>>(std::move(right));
  }
  remembers_ = true;
  return {};
}

std::shared_ptr<const std::vector<std::byte>> KernelOutputs::find_right(const Kept& kept,
                                                                        std::span<const KernelOutputs* const> others) {
  if (!kept.right_digest) return nullptr;
  for (const KernelOutputs* other : others)
    for (const Kept& its : other->kept_)
      if (its.argument.name == kept.argument.name && its.right_digest == kept.right_digest &&
          its.right->size() == kept.buffer->bytes())
        return its.right;
  return nullptr;
}

void KernelOutputs::remember_as(const KernelOutputs& other) {
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    kept_[i].right = other.kept_[i].right;
    kept_[i].right_digest = other.kept_[i].right_digest;
  }
  remembers_ = other.remembers_;
}

Result<std::optional<std::string>> KernelOutputs::difference() {
  for (const Kept& kept : kept_) {
    if (!is_compared(kept.argument)) continue;
    WATTUNE_ASSIGN(const auto digest, digest_of(*kept.buffer));
    if (digest && digest == kept.right_digest) continue;
    WATTUNE_ASSIGN(const std::vector<std::byte> found, read(*kept.buffer));
    if (auto difference = compare(kept, found)) return difference;
  }
  return std::optional<std::string>();
}

bool KernelOutputs::are_compared() const { return std::ranges::any_of(kept_, is_compared, &Kept::argument); }

std::uint64_t KernelOutputs::bytes() const {
  std::uint64_t bytes = 0;
  for (const Kept& kept : kept_) bytes += kept.buffer->bytes();
  return bytes;
}

std::vector<std::string> KernelOutputs::overwritten() const {
  std::vector<std::string> names;
  for (const Kept& kept : kept_)
    if (kept.pristine != nullptr) names.push_back(kept.first_name);
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
  if (found == *output.right) return std::nullopt;
  const VectorArgument& vector = *written(output.argument);
  if (sameness_ == Sameness::bits || !vector.fields.empty()) {
    const auto first = std::ranges::mismatch(found, *output.right).in1 - found.begin();
    return fmt::format("`{}` differs from byte {} on", output.argument.name, first);
  }
  const auto mismatch =
      measure::compare(found, *output.right, vector.type, measure::resolve_tolerance(tolerance_, vector.type));
  return mismatch ? std::optional(mismatch->to_string(output.argument.name)) : std::nullopt;
}

}  // namespace wattune::schedule
