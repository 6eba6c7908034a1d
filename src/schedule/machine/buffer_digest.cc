#include "schedule/interface/buffer_digest.h"

#include <array>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

namespace wattune::inline v0_1::schedule {

namespace {

constexpr std::size_t kGroups = 1024;
constexpr std::size_t kGroupSize = 256;
constexpr Nanoseconds kDigestLimit = nanoseconds_from_seconds(120);

// Each word is mixed with its place (by Weyl's sequence of the golden ratio) before it is added. The sum therefore
// depends on where each word is, but not on the order of the additions.
constexpr char kText[] = R"(
#ifdef __OPENCL_VERSION__
#define KERNEL __kernel
#define GLOBAL __global
#define THREAD get_global_id(0)
#define THREADS get_global_size(0)
typedef ulong u64;
#else
#define KERNEL extern "C" __global__
#define GLOBAL
#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)
#define THREADS (gridDim.x * blockDim.x)
typedef unsigned long long u64;
#endif
KERNEL void wattune_digest(GLOBAL const unsigned int* words, u64 count, GLOBAL u64* sums) {
  u64 sum = 0;
  for (u64 i = THREAD; i < count; i += THREADS) {
    u64 mixed = words[i] + (i + 1) * 0x9E3779B97F4A7C15UL;
    mixed = (mixed ^ (mixed >> 32)) * 0xD6E8FEB86659FD93UL;
    sum += mixed ^ (mixed >> 32);
  }
  sums[THREAD] = sum;
}
)";

std::optional<Language> language_of(const DeviceInfo& device) {
  for (const Language language : {Language::cuda, Language::opencl})
    if (compiles(device, language)) return language;
  return std::nullopt;
}

backend::ScalarBytes scalar(std::uint64_t value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  return {{bytes.begin(), bytes.end()}};
}

}  // namespace

Result<void> BufferDigest::prepare() {
  if (!prepared_) prepared_ = compile();
  return *prepared_;
}

Result<void> BufferDigest::compile() {
  const auto language = language_of(device_->info());
  if (!language) return Error(ErrorCode::unavailable, "this device compiles neither CUDA nor OpenCL");
  const KernelSource source{.language = *language, .function = "wattune_digest", .text = kText};
  WATTUNE_ASSIGN(program_, device_->build(source, {}, kDigestLimit));
  WATTUNE_ASSIGN(kernel_, program_->kernel(source.function));
  WATTUNE_ASSIGN(stream_, device_->create_stream());
  WATTUNE_ASSIGN(sums_, device_->create_buffer(kGroups * kGroupSize * sizeof(std::uint64_t)));
  return {};
}

bool BufferDigest::can_read(const backend::Buffer& buffer) { return !buffer.has_pixels() && buffer.bytes() % 4 == 0; }

Result<std::uint64_t> BufferDigest::of(const backend::Buffer& buffer) {
  WATTUNE_TRY(prepare());
  const backend::Geometry3 geometry{.groups = {kGroups, 1, 1}, .group_size = {kGroupSize, 1, 1}};
  const std::array<backend::LaunchArgument, 3> arguments{&buffer, scalar(buffer.bytes() / 4), sums_.get()};
  std::vector<std::uint64_t> sums(kGroups * kGroupSize);
  WATTUNE_TRY(stream_->launch(*kernel_, geometry, arguments));
  WATTUNE_TRY(stream_->read(*sums_, std::as_writable_bytes(std::span(sums))));
  WATTUNE_TRY(stream_->finish(kDigestLimit));
  return std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
}

}  // namespace wattune::schedule
