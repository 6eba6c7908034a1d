// The sizes of a batch's products, the contents of the matrices, and the check of a product.
//
// The matrices hold small whole numbers, so that sums of products are exact in every order of adding. Calls take two
// sets of matrices A in turns, so that a result left over from the call before is wrong.
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

// The sizes of the product C = A * B: C has b rows of c elements, A b rows of a, B a rows of c.
struct Sizes {
  std::int64_t a = 0;
  std::int64_t b = 0;
  std::int64_t c = 0;

  bool operator==(const Sizes&) const = default;
};

std::string to_string(const Sizes& sizes);
// Draws `count` sizes, each from 2 to 32 in every dimension.
std::vector<Sizes> draw_sizes(std::size_t count, std::uint64_t seed);

// Returns the elements of one A, one B and one C. batch_of() returns how many of these triples fit into `bytes`.
std::int64_t elements_of(const Sizes& sizes);
std::int64_t batch_of(const Sizes& sizes, std::uint64_t bytes);
// Returns the bytes that a call must move at least: all elements once.
double bytes_moved(const Sizes& sizes, std::int64_t batch);

// Loads the spec of benchmarks/gemm_batched for these sizes. Its default configuration is the most promising one by the
// forecast.
wattune::Result<wattune::KernelSpec> spec_of(const std::filesystem::path& file, const Sizes& sizes, std::int64_t batch);
// Loads a spec whose only kernel serves all sizes, which calls pass, in one of these languages.
//
// Its outputs are compared with those of another kernel. A function on the host would have to be compiled for each key,
// and would run longer than the application uses some keys.
wattune::Result<wattune::KernelSpec> spec_of_all_sizes(const std::filesystem::path& file,
                                                       const std::vector<wattune::Language>& languages);
// Returns the values that a call of the kernel of spec_of_all_sizes() passes besides its batch. They are the sizes, and
// the parameters that are sizes.
std::vector<wattune::NamedSize> given_by(const Sizes& sizes);

// Returns an element of a buffer: of one of the two sets of A (`which` is 0 or 1), or of B (2).
float element(std::uint64_t index, unsigned which);
// Counts the wrong elements of the product with the number `product` in a batch.
std::uint64_t count_wrong(const Sizes& sizes, std::int64_t product, unsigned which, std::span<const float> c);

}  // namespace batched_gemm
