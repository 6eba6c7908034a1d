// Slices of OpenCL kernels, by the global offset of a launch, and by a preamble if kernels ask for their group.
//
// get_global_id() honours the offset of clEnqueueNDRangeKernel, but get_group_id(), get_num_groups() and
// get_global_size() describe the slice. If a source calls none of the latter, the offset alone cuts its NDRange.
// Otherwise a preamble before the source restores their values. It needs no further argument, because the offset itself
// tells where the slice begins. Pure functions; any thread may call.
//
//   WATTUNE_ASSIGN(const auto analysis, slice::analyse_opencl(source, "gemm.cl"));
//   if (analysis.needs_preamble) { WATTUNE_ASSIGN(source, slice::with_preamble(source, range)); }
//   WATTUNE_ASSIGN(const slice::Grid groups, slice::groups_of(range));
//   for (const slice::Box& box : *slice::boxes(groups, 96)) enqueue(slice::part(range, box));
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "slice/interface/slice_words.h"
#include "wattune/core/result.h"

namespace wattune::inline v0_1::slice {

// Work-items along three axes. An axis that a launch does not have holds 1, 1 and 0.
struct NdRange {
  std::array<std::uint64_t, 3> global = {1, 1, 1};
  std::array<std::uint64_t, 3> local = {1, 1, 1};  // given to the launch, so that slices and the whole have the same
  std::array<std::uint64_t, 3> offset = {0, 0, 0};

  bool operator==(const NdRange&) const = default;
};

struct OpenclAnalysis {
  // True if the source calls a function whose result the offset alone would change, or may do so through a name that it
  // includes or pastes together. The preamble is then made for one NDRange.
  bool needs_preamble = false;
};

// Looks at names in the source, not in comments and strings, and follows no includes. Fails with invalid_argument and
// the place for three constructs: pipes and kernels that launch others, which slices would separate, and assembly,
// which may read the group's index.
Result<OpenclAnalysis> analyse_opencl(std::string_view source, const std::string& file);

// Returns the source behind a preamble of functions and macros. Its lines still count from 1. `range` is the whole
// range. Only the compiler sees included files: if one of them cannot be cut, the result does not compile. Fails with
// invalid_argument as groups_of() does.
Result<std::string> with_preamble(std::string_view source, const NdRange& range);

// Returns the work-groups of a range. Fails with invalid_argument if the local size does not divide the global one, or
// an axis has 2^32 work-groups or more.
Result<Grid> groups_of(const NdRange& range);
// Returns the launch that runs these work-groups of the range.
NdRange part(const NdRange& range, const Box& box);

}  // namespace wattune::slice
