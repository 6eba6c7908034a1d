// Sizes: which products a batch consists of, what is in the matrices, and whether a product is right.
//
// The matrices hold small whole numbers, so that sums of products are exact in whatever order a kernel adds them. There
// are two sets of matrices A: calls take them in turns, so that a result left over from the call before is wrong.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"

namespace batched_gemm {

// C (b rows of c) = A (b rows of a) * B (a rows of c).
struct Sizes {
  std::int64_t a = 0;
  std::int64_t b = 0;
  std::int64_t c = 0;

  bool operator==(const Sizes&) const = default;
};

std::string to_string(const Sizes& sizes);
// So many, each from 2 to 32 in every dimension.
std::vector<Sizes> draw_sizes(std::size_t count, std::uint64_t seed);

// Of a triple of matrices, and how many triples make so many bytes.
std::int64_t elements_of(const Sizes& sizes);
std::int64_t batch_of(const Sizes& sizes, std::uint64_t bytes);
// What a call must move at least.
double bytes_moved(const Sizes& sizes, std::int64_t batch);

// The spec of benchmarks/gemm_batched at these sizes, with the likeliest values as its default.
wattune::Result<wattune::KernelSpec> spec_of(const std::filesystem::path& file, const Sizes& sizes, std::int64_t batch);
// One kernel for all sizes, which calls give it, in one of these languages. Its outputs are compared with a kernel's: a
// function on the host would be compiled anew for each key, and compute longer than the application calls some.
wattune::Result<wattune::KernelSpec> spec_of_all_sizes(const std::filesystem::path& file,
                                                       const std::vector<wattune::Language>& languages);
// What a call of that gives besides its batch: the sizes, and the parameters that are sizes.
std::vector<wattune::NamedSize> given_by(const Sizes& sizes);

// Elements of the buffers of A (`which` is 0 or 1) and of B (2).
float element(std::uint64_t index, unsigned which);
// How many elements of this product of the batch are wrong.
std::uint64_t count_wrong(const Sizes& sizes, std::int64_t product, unsigned which, std::span<const float> c);

}  // namespace batched_gemm
