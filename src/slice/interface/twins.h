// Twins: copies of a module's kernels, in the same module, each of which runs a part of a grid as if it were all of it.
//
// Every block of a twin sees the index and the grid that it would have in the whole launch. The original stays
// unchanged, and both share the module's variables. A kernel that cannot be cut is refused with the construct and its
// place, never silently (analysis.h). The method is that of Kernelet (Zhong and He, IEEE TPDS 2014), section 4.1,
// corrected; docs/slice.md has the rules. Pure functions; any thread may call.
//
//   WATTUNE_ASSIGN(const slice::PtxTree tree, slice::parse_ptx(text, "gemm.ptx"));
//   WATTUNE_ASSIGN(const slice::TwinModule module, slice::add_twins(tree, {slice::TwinForm::persistent}));
//   load(module.text);  launch(module.find("gemm", slice::TwinForm::persistent)->name, arguments, words);
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "slice/interface/analysis.h"
#include "slice/interface/ptx_tree.h"
#include "wattune/core/result.h"

namespace wattune::inline v0_1::slice {

// A twin of one kernel.
struct Twin {
  std::string kernel;  // the original's name
  TwinForm form = TwinForm::add;
  std::string name;
  // The last argument, a structure of slice_words.h: its index among the arguments, and its offset and size in the
  // argument buffer.
  std::size_t parameter_index = 0;
  std::size_t parameter_offset = 0;
  std::size_t parameter_bytes = 0;
  // Static shared memory that it declares in addition to the original's.
  std::size_t more_shared_bytes = 0;
};

// A module with its twins.
struct TwinModule {
  std::string text;
  std::vector<Twin> twins;  // in the order of the kernels, then of the requested forms

  const Twin* find(std::string_view kernel, TwinForm form) const;
};

// Adds a twin of every kernel in every requested form that its analysis allows. Fails with already_exists if the text
// has names that only this function gives.
Result<TwinModule> add_twins(const PtxTree& tree, const std::vector<TwinForm>& forms);

// Returns a name such as "gemm__wattune_persistent", for gemm.
std::string twin_name(std::string_view kernel, TwinForm form);

}  // namespace wattune::slice
