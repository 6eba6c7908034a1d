// Cuts an OpenCL kernel's NDRange into slices by the global offset of a launch. If a kernel asks for its work-group, a
// preamble is added to its source.
//
// get_global_id() honours the offset of clEnqueueNDRangeKernel, but get_group_id(), get_num_groups() and
// get_global_size() describe the slice. If a source does not call the last three, the offset alone is enough. Otherwise
// a preamble before the source restores the values of the whole NDRange. The kernel needs no additional argument,
// because the offset says where the slice begins. All functions are pure, and any thread may call them.
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

// Work-items along three axes. An axis that a launch does not use has global size 1, local size 1 and offset 0.
struct NdRange {
  std::array<std::uint64_t, 3> global = {1, 1, 1};
  std::array<std::uint64_t, 3> local = {1, 1, 1};  // local size, always passed, so that all slices have the same
  std::array<std::uint64_t, 3> offset = {0, 0, 0};

  bool operator==(const NdRange&) const = default;
};

struct OpenclAnalysis {
  // True if the source calls a function whose result would be wrong with the offset alone. Also true if it may call
  // such a function by a name that comes from an include or from token pasting. The preamble is made for one NDRange.
  bool needs_preamble = false;
};

// Looks for names in the source, outside comments and strings. Does not follow includes. Fails with invalid_argument,
// naming the line, for pipes and for kernels that launch kernels, which slices would separate. Fails with
// invalid_argument, too, for assembly, which may read the group's index.
Result<OpenclAnalysis> analyse_opencl(std::string_view source, const std::string& file);

// Returns the source after a preamble of functions and macros. Line numbers of the source stay the same. `range` is the
// whole range. If an included file has a construct that cannot be cut, the result does not compile. Fails with
// invalid_argument as groups_of() does.
Result<std::string> with_preamble(std::string_view source, const NdRange& range);

// Returns the number of work-groups of a range along each axis. Fails with invalid_argument if the local size does not
// divide the global size, or if an axis has 2^32 work-groups or more.
Result<Grid> groups_of(const NdRange& range);
// Returns the range to launch for this box of work-groups of the whole range.
NdRange part(const NdRange& range, const Box& box);

}  // namespace wattune::slice
