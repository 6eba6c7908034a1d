#include "dynamic/loading/kernel_code.h"

#include <algorithm>

#include "wattune/backend/attach.h"
#include "wattune/tune/evaluator.h"

namespace wattune::inline v0_1::dynamic {

Result<std::unique_ptr<KernelCode>> KernelCode::make(const KernelSpec& spec, backend::Device& device,
                                                     backend::CompilePool* pool, Nanoseconds limit) {
  KernelSource source = launched_source(spec);
  std::unique_ptr<KernelCode> code(new KernelCode(source, device, limit));
  if (pool == nullptr) return code;
  Result<backend::CompileTarget> target = device.compile_target(source);
  if (!target && target.error().code() != ErrorCode::unavailable) return std::move(target).error();
  if (target) code->pooled_.emplace(pool->add(*std::move(target), std::move(source)));
  return code;
}

KernelCode::Macros KernelCode::macros_of(const KernelSpec& spec, const Configuration& configuration) {
  return tune::macros_of(spec.parameters, configuration);
}

void KernelCode::expect(const void* owner, std::vector<Macros> macros, bool urgently) {
  if (!pooled_) return;
  const std::lock_guard lock(mutex_);
  std::erase_if(expected_, [owner](const Expected& each) { return each.owner == owner; });
  if (!macros.empty()) expected_.push_front({owner, std::move(macros), urgently});
  std::vector<Macros> all = expected(true);
  const std::size_t urgent = all.size();
  std::ranges::copy(expected(false), std::back_inserter(all));
  pooled_->expect(std::vector<backend::ImageRequest>(all.begin(), all.end()), limit_, urgent);
}

// Returns the code that all owners announced with this urgency.
std::vector<KernelCode::Macros> KernelCode::expected(bool urgently) const {
  std::vector<Macros> all;
  for (const Expected& each : expected_)
    if (each.urgently == urgently) std::ranges::copy(each.macros, std::back_inserter(all));
  return all;
}

std::shared_ptr<backend::Program> KernelCode::loaded(const Macros& macros) const {
  const std::lock_guard lock(mutex_);
  const auto found = programs_.find(macros);
  return found == programs_.end() ? nullptr : found->second.lock();
}

bool KernelCode::is_ready(const Macros& macros) {
  if (!pooled_ || loaded(macros) != nullptr) return true;
  pooled_->renew(macros);
  return pooled_->is_ready(macros);
}

Result<std::shared_ptr<backend::Program>> KernelCode::load(const Macros& macros) {
  if (std::shared_ptr<backend::Program> known = loaded(macros)) return known;
  WATTUNE_ASSIGN(std::shared_ptr<backend::Program> program, load_anew(macros));
  const std::lock_guard lock(mutex_);
  std::erase_if(programs_, [](const auto& entry) { return entry.second.expired(); });
  programs_[macros] = program;
  return program;
}

// Compiles in the pool. If the compiler process is lost, tries once more, because that process may have been killed
// from outside. After a second loss the error is compile_failed, since the device itself is not lost.
Result<backend::Image> KernelCode::compile(const Macros& macros) {
  Result<backend::Image> image = pooled_->take(macros, limit_).image;
  if (!image && image.error().code() == ErrorCode::device_lost) image = pooled_->take(macros, limit_).image;
  if (image || image.error().code() != ErrorCode::device_lost) return image;
  return Error(ErrorCode::compile_failed, image.error().message()).hint(image.error().advice());
}

Result<std::unique_ptr<backend::Program>> KernelCode::load_anew(const Macros& macros) {
  if (!pooled_) return device_.build(source_, macros, limit_);
  WATTUNE_ASSIGN(const backend::Image image, compile(macros));
  return device_.load(image, macros, limit_);
}

void KernelCode::expect_generic(Macros macros) {
  expect(this, {macros}, true);
  const std::lock_guard lock(mutex_);
  generic_macros_ = std::move(macros);
}

std::optional<KernelCode::Macros> KernelCode::generic_macros() const {
  const std::lock_guard lock(mutex_);
  return generic_macros_;
}

bool KernelCode::is_generic_ready() {
  const std::optional<Macros> macros = generic_macros();
  return macros && is_ready(*macros);
}

Result<std::shared_ptr<backend::Program>> KernelCode::generic(const Macros& macros) {
  const std::lock_guard lock(loading_generic_);
  if (generic_ == nullptr) {
    WATTUNE_ASSIGN(generic_, load(generic_macros().value_or(macros)));
    expect(this, {});
  }
  return generic_;
}

std::unique_ptr<backend::PooledSource> warm_up(backend::CompilePool& pool, backend::Device& device,
                                               const KernelSource& like, Nanoseconds limit) {
  if (device.info().kind == DeviceKind::cpu || like.compiler != Compiler::standard) return nullptr;
  KernelSource nothing{.language = like.language, .function = "wattune_nothing", .file = "wattune_nothing"};
  nothing.text = like.language == Language::cuda ? "extern \"C\" __global__ void wattune_nothing() {}\n"
                                                 : "__kernel void wattune_nothing() {}\n";
  Result<backend::CompileTarget> target = device.compile_target(nothing);
  if (!target) return nullptr;
  return std::make_unique<backend::PooledSource>(pool.warm_up(*std::move(target), std::move(nothing), limit));
}

}  // namespace wattune::dynamic
