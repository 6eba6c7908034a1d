// Twins: copies of a module's kernels, in the same module, that run a part of a grid as if it were all of it.
//
// Every block of a twin sees the index and the grid that it would have in the whole launch. The original stays as it
// was, and both share the module's variables. What cannot be cut is refused with the construct and its place, never
// silently (analysis.h). Kernelet (Zhong and He, IEEE TPDS 2014), section 4.1, corrected; docs/slice.md has the rules.
// Pure functions; any thread may call.
//
//   WATTUNE_ASSIGN(const slice::PtxTree tree, slice::parse_ptx(text, "gemm.ptx"));
//   WATTUNE_ASSIGN(const slice::TwinModule module, slice::add_twins(tree, {slice::TwinForm::persistent}));
//   load(module.text);  launch(module.find("gemm", slice::TwinForm::persistent)->name, arguments, words);
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/result.h"
#include "wattune/slice/analysis.h"
#include "wattune/slice/ptx_tree.h"

namespace wattune::slice {

struct Twin {
  std::string kernel;  // the original's name
  TwinForm form = TwinForm::add;
  std::string name;
  // The last argument, a structure of slice_words.h: its place among the arguments, and in the buffer of all of them.
  std::size_t parameter_index = 0;
  std::size_t parameter_offset = 0;
  std::size_t parameter_bytes = 0;
  // Static shared memory that it declares beyond the original's.
  std::size_t more_shared_bytes = 0;
};

struct TwinModule {
  std::string text;
  std::vector<Twin> twins;  // in the order of the kernels, then of the forms asked for

  const Twin* find(std::string_view kernel, TwinForm form) const;
};

// A twin of every kernel in every form that its analysis allows. already_exists: the text has names that only this
// function gives.
Result<TwinModule> add_twins(const PtxTree& tree, const std::vector<TwinForm>& forms);

// "gemm__wattune_persistent", for gemm.
std::string twin_name(std::string_view kernel, TwinForm form);

}  // namespace wattune::slice
