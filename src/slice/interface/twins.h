// Adds twins to a module. A twin is a copy of a kernel that runs a part of the kernel's grid.
//
// Every block of a twin sees the index and the grid size that it would have in a launch of the whole grid. The original
// kernel stays unchanged and shares the module's variables with its twins. A kernel that cannot be cut gets no twin;
// its analysis names the construct and its line (analysis.h). The method is that of Kernelet (Zhong and He, IEEE TPDS
// 2014), section 4.1, with corrections; docs/slice.md has the rules. All functions are pure, and any thread may call
// them.
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

// A copy of one kernel that runs only a part of its grid (docs/slice.md).
struct Twin {
  std::string kernel;  // name of the original kernel
  TwinForm form = TwinForm::add;
  std::string name;
  // Position of the last kernel argument, a structure of slice_words.h: its index among the arguments, and its offset
  // and size in the argument buffer.
  std::size_t parameter_index = 0;
  std::size_t parameter_offset = 0;
  std::size_t parameter_bytes = 0;
  // Static shared memory that the twin declares in addition to that of the original kernel, in bytes.
  std::size_t more_shared_bytes = 0;
};

// A module's PTX with the twins added.
struct TwinModule {
  std::string text;
  std::vector<Twin> twins;  // twins in the order of the kernels, then of the requested forms

  const Twin* find(std::string_view kernel, TwinForm form) const;
};

// Adds a twin of every kernel in every requested form that its analysis allows. Fails with already_exists if the text
// already has a name with Wattune's prefix.
Result<TwinModule> add_twins(const PtxTree& tree, const std::vector<TwinForm>& forms);

// Returns the name of a twin, such as "gemm__wattune_persistent" for gemm.
std::string twin_name(std::string_view kernel, TwinForm form);

}  // namespace wattune::slice
