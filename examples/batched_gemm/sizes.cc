#include "sizes.h"

#include <fmt/format.h>

#include <algorithm>

#include "forecast.h"
#include "own_kernels.h"
#include "wattune/core/random.h"
#include "wattune/spec/spec.h"

namespace batched_gemm {

namespace {

using wattune::KernelSpec;
using wattune::Result;

constexpr std::int64_t kSmallest = 2;
constexpr std::int64_t kLargest = 32;

std::int64_t draw_one(wattune::Random& random) {
  return kSmallest + static_cast<std::int64_t>(random.below(kLargest - kSmallest + 1));
}

}  // namespace

std::string to_string(const Sizes& sizes) { return fmt::format("{}x{}x{}", sizes.a, sizes.b, sizes.c); }

std::vector<Sizes> draw_sizes(std::size_t count, std::uint64_t seed) {
  wattune::Random random(seed);
  std::vector<Sizes> sizes;
  for (std::size_t i = 0; i < count; ++i) {
    Sizes drawn;
    for (std::int64_t Sizes::*const side : {&Sizes::a, &Sizes::b, &Sizes::c}) drawn.*side = draw_one(random);
    sizes.push_back(drawn);
  }
  return sizes;
}

std::int64_t elements_of(const Sizes& sizes) { return sizes.a * sizes.b + sizes.a * sizes.c + sizes.b * sizes.c; }

std::int64_t batch_of(const Sizes& sizes, std::uint64_t bytes) {
  const auto triple = static_cast<std::uint64_t>(elements_of(sizes)) * sizeof(float);
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(bytes / triple));
}

double bytes_moved(const Sizes& sizes, std::int64_t batch) {
  return static_cast<double>(elements_of(sizes) * batch) * sizeof(float);
}

namespace {

wattune::ReferenceKernel reference_in(wattune::Language language) {
  wattune::ReferenceKernel reference;
  reference.source = {.language = language,
                      .function = "multiply_simply",
                      .file = "own_kernels.cl",
                      .text = std::string(kEitherLanguage) + kReference};
  reference.geometry.convention = wattune::GeometryConvention::divided;
  reference.geometry.sizes[0] = {"batch * size_b * size_c"};
  reference.geometry.work_group[0] = {"256"};
  reference.geometry.divisors[0] = {{"256"}};
  return reference;
}

}  // namespace

Result<KernelSpec> spec_of(const std::filesystem::path& file, const Sizes& sizes, std::int64_t batch) {
  WATTUNE_ASSIGN(
      KernelSpec spec,
      wattune::spec::load(file, wattune::spec::SourcePolicy::required,
                          {{"size_a", sizes.a}, {"size_b", sizes.b}, {"size_c", sizes.c}, {"batch", batch}}));
  // Each size has a kernel name of its own, so that results of other sizes cannot help it.
  spec.name += "_" + to_string(sizes);
  const std::vector<Values> likely = likely_values(sizes, 1);
  for (const auto& [name, value] : likely.at(0))
    std::ranges::find(spec.parameters, name, &wattune::Parameter::name)->default_value = value;
  return spec;
}

// Makes the spec of all sizes. Parameters that have only one possible value at a given size are limited by constraints
// instead.
Result<KernelSpec> spec_of_all_sizes(const std::filesystem::path& file,
                                     const std::vector<wattune::Language>& languages) {
  constexpr Sizes kAny{16, 16, 16};
  WATTUNE_ASSIGN(KernelSpec spec, spec_of(file, kAny, 1));
  WATTUNE_TRY(wattune::use_language(spec, languages));
  spec.reference = reference_in(spec.source.language);
  spec.name = "gemm_batched";
  std::ranges::find(spec.parameters, "PADD_C", &wattune::Parameter::name)->values = {0, 1, 2, 3};
  spec.constraints.push_back({"PADD_C == 0 or PADD_C == SIZE_C % 4", {}});
  return spec;
}

std::vector<wattune::NamedSize> given_by(const Sizes& sizes) {
  return {{"size_a", sizes.a}, {"size_b", sizes.b}, {"size_c", sizes.c},
          {"SIZE_A", sizes.a}, {"SIZE_B", sizes.b}, {"SIZE_C", sizes.c}};
}

float element(std::uint64_t index, unsigned which) {
  const auto mixed = static_cast<std::uint32_t>(index * 2'654'435'761U + which * 40'503U);
  return static_cast<float>((mixed >> 16) % 15) - 7.0f;
}

std::uint64_t count_wrong(const Sizes& sizes, std::int64_t product, unsigned which, std::span<const float> c) {
  const auto first_a = static_cast<std::uint64_t>(product * sizes.a * sizes.b);
  const auto first_b = static_cast<std::uint64_t>(product * sizes.a * sizes.c);
  std::uint64_t wrong = 0;
  for (std::int64_t y = 0; y < sizes.b; ++y) {
    for (std::int64_t x = 0; x < sizes.c; ++x) {
      float sum = 0.0f;
      for (std::int64_t k = 0; k < sizes.a; ++k)
        sum += element(first_a + static_cast<std::uint64_t>(y * sizes.a + k), which) *
               element(first_b + static_cast<std::uint64_t>(k * sizes.c + x), 2);
      wrong += c[static_cast<std::size_t>(y * sizes.c + x)] != sum;
    }
  }
  return wrong;
}

}  // namespace batched_gemm
