#include "slice/interface/twins.h"

#include <fmt/format.h>

#include <algorithm>

#include "slice/barriers.h"
#include "slice/body_patch.h"
#include "slice/flow.h"
#include "slice/interface/slice_words.h"
#include "slice/kernel_facts.h"
#include "slice/memory_layout.h"
#include "slice/twin_code.h"

namespace wattune::inline v0_1::slice {

namespace {

std::size_t words_bytes(TwinForm form) {
  switch (form) {
    case TwinForm::add: return sizeof(AddWords);
    case TwinForm::linear: return sizeof(LinearWords);
    case TwinForm::guard: return sizeof(GuardWords);
    case TwinForm::persistent: return sizeof(PersistentWords);
  }
  return 0;
}

// Adds the parameter for the words to an entry. The parameter goes after the last parameter, into empty parentheses, or
// into new parentheses.
void add_words_parameter(TextEdits& edits, const PtxFunction& entry, TwinForm form) {
  const std::string declaration = words_declaration(words_bytes(form));
  if (!entry.parameters.empty()) return edits.insert_behind(entry.parameters.back().declaration, ",\n\t" + declaration);
  if (entry.parameter_list.empty()) return edits.insert_behind(entry.name, "(\n\t" + declaration + "\n)");
  edits.insert_behind(entry.parameter_list.substr(0, 1), "\n\t" + declaration);
}

void return_to_end_of_block(TextEdits& edits, const PtxFunction& entry) {
  for (const PtxInstruction& instruction : entry.instructions)
    if (leaves(instruction)) {
      const char* end = instruction.text.data() + instruction.text.size();
      edits.replace({instruction.opcode.data(), end}, fmt::format("bra {};", end_of_block_label()));
    }
}

// Replaces every barrier of the thread block by a vote.
void vote_at_barriers(TextEdits& edits, const PtxFunction& entry, const Boundary& boundary) {
  for (const PtxInstruction& instruction : entry.instructions)
    if (is_block_wide_barrier(instruction)) {
      const char* end = instruction.text.data() + instruction.text.size();
      edits.replace({instruction.opcode.data(), end},
                    fmt::format("barrier.red.or.pred %wattune_again, {}, %wattune_inside;", boundary.barrier));
    }
}

class TwinWriter {
 public:
  TwinWriter(const KernelFacts& kernel, const CallGraph& calls, TwinForm form)
      : entry_(*kernel.entry),
        boundary_(kernel.boundary),
        calls_(calls),
        form_(form),
        coordinates_(calls.coordinates(entry_.name)),
        edits_(entry_.text) {}

  std::string text() {
    edits_.replace(entry_.name, twin_name(entry_.name, form_));
    add_words_parameter(edits_, entry_, form_);
    if (form_ != TwinForm::guard) patch_body(edits_, entry_, calls_, loads());
    std::string prologue = form_ == TwinForm::guard ? "" : "\n" + declare_registers(coordinates_);
    if (form_ == TwinForm::add) prologue += "\t.reg .b32 %wattune_origin;\n";
    if (form_ == TwinForm::linear) prologue += linear_prologue(coordinates_);
    if (form_ == TwinForm::guard) prologue += guard_prologue();
    if (form_ == TwinForm::persistent) prologue += persist();
    edits_.insert_behind(entry_.body.substr(0, 1), prologue);
    return edits_.apply();
  }

 private:
  LoadCoordinate loads() const {
    if (form_ == TwinForm::add) return add_loads();
    return form_ == TwinForm::linear ? linear_loads() : persistent_loads();
  }

  std::string persist() {
    return_to_end_of_block(edits_, entry_);
    if (boundary_.votes) vote_at_barriers(edits_, entry_, boundary_);
    edits_.insert_before(entry_.body.substr(entry_.body.size() - 1), persistent_epilogue(boundary_));
    return persistent_prologue(coordinates_, boundary_);
  }

  const PtxFunction& entry_;
  const Boundary& boundary_;
  const CallGraph& calls_;
  TwinForm form_;
  CoordinateSet coordinates_;
  TextEdits edits_;
};

Twin describe(const PtxFunction& entry, TwinForm form) {
  return {.kernel = std::string(entry.name),
          .form = form,
          .name = twin_name(entry.name, form),
          .parameter_index = entry.parameters.size(),
          .parameter_offset = parameters_end(entry, alignof(PersistentWords)),
          .parameter_bytes = words_bytes(form),
          .more_shared_bytes = form == TwinForm::persistent ? kTakenBytes : 0};
}

Result<void> refuse_own_names(const PtxTree& tree) {
  const std::size_t at = tree.text->find(kPrefix);
  if (at == std::string::npos) return {};
  const std::string_view found = std::string_view(*tree.text).substr(at, kPrefix.size());
  return Error(ErrorCode::already_exists, "this text has twins, or names like theirs")
      .at(tree.position(found))
      .about(std::string(found))
      .hint("rewrite the original text");
}

}  // namespace

const Twin* TwinModule::find(std::string_view kernel, TwinForm form) const {
  const auto found =
      std::ranges::find_if(twins, [&](const Twin& twin) { return twin.kernel == kernel && twin.form == form; });
  return found == twins.end() ? nullptr : &*found;
}

Result<TwinModule> add_twins(const PtxTree& tree, const std::vector<TwinForm>& forms) {
  WATTUNE_TRY(refuse_own_names(tree));
  const CallGraph calls = call_graph_of(tree);
  TextEdits edits(*tree.text);
  TwinModule result;
  std::vector<std::string_view> patched;
  for (const KernelFacts& kernel : facts_of(tree, calls)) {
    const PtxFunction& entry = *kernel.entry;
    for (const TwinForm form : forms) {
      if (kernel.analysis.obstacle_to(form) != nullptr) continue;
      edits.insert_behind(entry.text, "\n\n" + TwinWriter(kernel, calls, form).text());
      result.twins.push_back(describe(entry, form));
      if (form != TwinForm::guard) patched.push_back(entry.name);
    }
  }
  add_clones(edits, tree, calls, patched);
  result.text = edits.apply();
  return result;
}

std::string twin_name(std::string_view kernel, TwinForm form) {
  return fmt::format("{}__{}{}", kernel, kPrefix, to_string(form));
}

}  // namespace wattune::slice
