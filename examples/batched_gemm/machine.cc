#include "machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "own_kernels.h"
#include "wattune/backend/registry.h"

namespace batched_gemm {

namespace {

using wattune::Nanoseconds;
using wattune::Result;
namespace backend = wattune::backend;

constexpr std::size_t kGroupSize = 256;
constexpr std::uint64_t kBytesOfGpus = 900'000'000;  // Petrovic et al. 2020, 5.2.1
constexpr std::uint64_t kBytesOfOthers = 4'000'000;

backend::ScalarBytes scalar(std::int64_t value) {
  const auto number = static_cast<std::int32_t>(value);
  const auto bytes = std::as_bytes(std::span(&number, 1));
  return {{bytes.begin(), bytes.end()}};
}

std::size_t bytes_for(std::int64_t elements) { return static_cast<std::size_t>(elements) * sizeof(float); }

// Returns how many products apart the checked products of a batch are.
std::int64_t stride_of(std::int64_t batch) { return batch / static_cast<std::int64_t>(Samples::kCount) + 1; }

}  // namespace

Machine::Machine(wattune::DeviceInfo info, std::uint64_t bytes, Attached attached)
    : info_(std::move(info)), bytes_(bytes), attached_(std::move(attached)) {}

Result<std::unique_ptr<Machine>> Machine::open(const std::string& device, std::uint64_t bytes) {
  const std::vector<wattune::Language> languages{wattune::Language::cuda, wattune::Language::opencl};
  WATTUNE_ASSIGN(const wattune::DeviceInfo info, backend::select_device(backend::discover(), device, languages));
  if (bytes == 0) bytes = info.kind == wattune::DeviceKind::gpu ? kBytesOfGpus : kBytesOfOthers;
  WATTUNE_ASSIGN(Attached attached, attach_to(info));
  auto machine = std::make_unique<Machine>(info, bytes / sizeof(float) * sizeof(float), std::move(attached));
  WATTUNE_TRY(machine->allocate());
  return machine;
}

// Allocates the buffers. Each has room for all elements of the matrices, because with some sizes nearly all elements
// belong to A, with others to B or C.
Result<void> Machine::allocate() {
  for (std::unique_ptr<backend::Buffer>* const buffer : {&a_[0], &a_[1], &b_, &c_}) {
    WATTUNE_ASSIGN(*buffer, device().create_buffer(bytes_));
  }
  WATTUNE_ASSIGN(samples_, device().create_buffer(Samples::kCount * 32 * 32 * sizeof(float)));
  WATTUNE_TRY(fill(*a_[0], 0));
  WATTUNE_TRY(fill(*a_[1], 1));
  return fill(*b_, 2);
}

Result<void> Machine::fill(backend::Buffer& buffer, unsigned which) {
  std::vector<float> elements(bytes_ / sizeof(float));
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = element(i, which);
  WATTUNE_TRY(stream().write(buffer, std::as_bytes(std::span(elements))));
  return finish();
}

// Returns the shape of a launch of the application's own kernel. Blocks of C are as large as the sizes allow. A
// work-group computes as many products as it can in four passes, but leaves local memory for other groups.
Machine::Shape Machine::shape_of(const Sizes& sizes) {
  constexpr std::int64_t kGoes = 4;
  constexpr std::int64_t kMostLocal = 6'000;  // elements
  Shape shape{.rows = sizes.b >= 4 ? 4 : 2, .columns = sizes.c >= 16 ? 4 : sizes.c >= 8 ? 2 : 1, .products = 4};
  const std::int64_t items = (sizes.b + shape.rows - 1) / shape.rows * ((sizes.c + shape.columns - 1) / shape.columns);
  const std::int64_t wanted = kGoes * (static_cast<std::int64_t>(kGroupSize) / items);
  const std::int64_t fitting = kMostLocal / (sizes.a * (sizes.b + sizes.c));
  shape.products = std::max<std::int64_t>(4, std::min(wanted, fitting) / 4 * 4);
  return shape;
}

Machine::Code& Machine::code_for(const Sizes& sizes) {
  const Shape shape = shape_of(sizes);
  return code_[{shape.rows, shape.columns}];
}

Result<void> Machine::prepare(const Sizes& sizes) {
  Code& code = code_for(sizes);
  if (code.collect) return {};
  const Shape shape = shape_of(sizes);
  const wattune::KernelSource source{.language = info_.languages.front(),
                                     .function = "multiply_any",
                                     .file = "own_kernels.cl",
                                     .text = std::string(kEitherLanguage) + kOwnKernels};
  const std::vector<backend::Macro> macros{{"ROWS", std::to_string(shape.rows)},
                                           {"COLUMNS", std::to_string(shape.columns)}};
  WATTUNE_ASSIGN(code.program, device().build(source, macros, kLimit));
  WATTUNE_ASSIGN(code.multiply, code.program->kernel("multiply_any"));
  WATTUNE_ASSIGN(code.collect, code.program->kernel("collect"));
  // The first launch is not measured, because some drivers compile then.
  const std::int64_t batch = batch_of(sizes, bytes_);
  WATTUNE_TRY(multiply(sizes, batch, 0));
  WATTUNE_TRY(collect(sizes, batch, 0));
  return finish();
}

Result<void> Machine::multiply(const Sizes& sizes, std::int64_t batch, unsigned which) {
  const Shape shape = shape_of(sizes);
  const std::int64_t groups = (batch + shape.products - 1) / shape.products;
  const backend::Geometry3 geometry{.groups = {static_cast<std::size_t>(groups), 1, 1},
                                    .group_size = {kGroupSize, 1, 1}};
  const std::int64_t tile = shape.products * (sizes.a * sizes.b + sizes.a * sizes.c);
  const backend::LaunchArgument arguments[] = {&a(which),
                                               b_.get(),
                                               c_.get(),
                                               scalar(batch),
                                               scalar(sizes.a),
                                               scalar(sizes.b),
                                               scalar(sizes.c),
                                               scalar(shape.products),
                                               backend::LocalBytes{bytes_for(tile)}};
  WATTUNE_TRY(stream().launch(*code_for(sizes).multiply, geometry, arguments));
  return {};
}

Result<void> Machine::collect(const Sizes& sizes, std::int64_t batch, std::int64_t first) {
  const backend::LaunchArgument arguments[] = {
      c_.get(), samples_.get(), scalar(batch), scalar(sizes.b * sizes.c), scalar(first), scalar(stride_of(batch))};
  const backend::Geometry3 geometry{.groups = {Samples::kCount, 1, 1}, .group_size = {64, 1, 1}};
  WATTUNE_TRY(stream().launch(*code_for(sizes).collect, geometry, arguments));
  return {};
}

Result<void> Machine::read(const Sizes& sizes, std::int64_t batch, std::int64_t first, Samples& samples) {
  samples.elements.resize(samples_->bytes() / sizeof(float));
  WATTUNE_TRY(stream().read(*samples_, std::as_writable_bytes(std::span(samples.elements))));
  WATTUNE_TRY(finish());
  samples.elements.resize(Samples::kCount * static_cast<std::size_t>(sizes.b * sizes.c));
  for (std::size_t i = 0; i < Samples::kCount; ++i)
    samples.products[i] = (first + static_cast<std::int64_t>(i) * stride_of(batch)) % batch;
  return {};
}

Result<double> Machine::copy_bandwidth() {
  constexpr int kCopies = 8;
  double best = 0.0;
  for (int round = 0; round < 3; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kCopies; ++i) WATTUNE_TRY(stream().copy(*b_, *c_));
    WATTUNE_TRY(finish());
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    best = std::max(best, 2.0 * kCopies * static_cast<double>(bytes_) / took.count());
  }
  return best;
}

}  // namespace batched_gemm
