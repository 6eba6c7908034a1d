// Slices of OpenCL kernels: by the global offset of a launch, and by a preamble where kernels ask for their group.
//
// get_global_id() honours the offset of clEnqueueNDRangeKernel; get_group_id(), get_num_groups() and get_global_size()
// describe the slice. Where a source calls none of these, the offset alone cuts its NDRange; else a preamble before the
// source restores them, without a further argument, because the offset itself says where the slice begins. Pure
// functions; any thread may call.
//
//   WATTUNE_ASSIGN(const auto how, slice::analyse_opencl(source, "gemm.cl"));
//   if (how.needs_preamble) WATTUNE_ASSIGN(source, slice::with_preamble(source, range));
//   for (const slice::Box& box : *slice::boxes(groups_of(range), 96)) enqueue(slice::part(range, box));
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "wattune/core/result.h"
#include "wattune/slice/slice_words.h"

namespace wattune::slice {

// Work-items along three axes; 1, 1 and 0 along those that a launch does not have.
struct NdRange {
  std::array<std::uint64_t, 3> global = {1, 1, 1};
  std::array<std::uint64_t, 3> local = {1, 1, 1};  // given to the launch, so that slices and whole have the same
  std::array<std::uint64_t, 3> offset = {0, 0, 0};

  bool operator==(const NdRange&) const = default;
};

struct OpenclAnalysis {
  // It calls something that the offset alone would change, or may do so unseen: by a name that it includes or makes of
  // parts. The preamble then is of one NDRange.
  bool needs_preamble = false;
};

// Looks at names in the source, not in comments and strings, and follows no includes. invalid_argument with place:
// pipes, kernels that launch others, which slices would part, and assembly, which may read the group's index.
Result<OpenclAnalysis> analyse_opencl(std::string_view source, const std::string& file);

// The source with a preamble of functions and macros, after which its lines count from 1. `range` is the whole one.
// The compiler alone sees included files: where that cannot be cut, the result does not compile.
// invalid_argument: the local size does not divide the global one.
Result<std::string> with_preamble(std::string_view source, const NdRange& range);

// The work-groups of a range that its local size divides. invalid_argument.
Result<Grid> groups_of(const NdRange& range);
// The launch that runs these work-groups of the range.
NdRange part(const NdRange& range, const Box& box);

}  // namespace wattune::slice
