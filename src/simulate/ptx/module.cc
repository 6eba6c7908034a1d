#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>

#include "core/interface/suggest.h"
#include "simulate/interface/ptx_module.h"
#include "simulate/ptx/decoder.h"
#include "simulate/ptx/initial_value.h"

namespace wattune::inline v0_1::simulate {

namespace ptx {

namespace {

constexpr std::uint32_t kDynamicAlignment = 16;
constexpr std::uint64_t kMostVariableBytes = std::uint64_t{1} << 30;
// Limits on the memory of one function. No function needs more, and the limits leave a host enough memory for all
// threads of a warp.
constexpr std::uint64_t kFunctionRegisterBytes = 16 << 20;
constexpr std::uint64_t kFunctionLocalBytes = 512 << 10;
constexpr std::uint64_t kMostParameterBytes = 32764;  // the limit of CUDA

class ModuleLoader {
 public:
  ModuleLoader(const slice::PtxTree& tree, VirtualMemory& memory) : memory_(memory), code_(std::make_shared<Code>()) {
    code_->tree = tree;
  }

  Result<std::shared_ptr<const Code>> load() {
    const Result<void> done = load_all();
    if (done) return std::shared_ptr<const Code>(std::move(code_));
    for (const auto& [name, symbol] : code_->symbols) static_cast<void>(memory_.release(symbol.address));
    return done.error();
  }

 private:
  Result<void> load_all();
  void find_functions();
  Result<void> place_variables();
  Result<void> place_variable(const slice::PtxVariable& variable);
  Result<void> write_first_values();
  void place_function_variables();
  void decode_functions();
  PtxKernel describe(const slice::PtxFunction& function, const Names& names) const;
  const slice::PtxTree& tree() const { return code_->tree; }

  VirtualMemory& memory_;
  std::shared_ptr<Code> code_;
  ModuleNames names_;
  std::uint64_t shared_end_ = 0;
  std::uint64_t variable_bytes_ = 0;  // bytes of all variables of the module
  std::uint32_t dynamic_alignment_ = kDynamicAlignment;
  std::vector<std::unique_ptr<Names>> function_names_;  // names, by function
};

Result<void> ModuleLoader::load_all() {
  if (tree().address_size != 64)
    return Error(ErrorCode::unavailable, "the interpreter knows addresses of 64 bits only")
        .at({tree().file})
        .hint("compile with -m64");
  find_functions();
  WATTUNE_TRY(place_variables());
  WATTUNE_TRY(write_first_values());
  place_function_variables();
  decode_functions();
  return {};
}

// Lists the functions. If a function has a definition, the definition is listed instead of its declarations.
void ModuleLoader::find_functions() {
  for (const slice::PtxFunction& function : tree().functions) {
    const auto index = static_cast<std::uint32_t>(code_->functions.size());
    if (names_.functions.emplace(function.name, index).second)
      code_->functions.push_back({.source = tree().find(function.name)});
  }
}

Result<void> ModuleLoader::place_variables() {
  for (const slice::PtxVariable& variable : tree().variables) WATTUNE_TRY(place_variable(variable));
  return {};
}

Result<void> ModuleLoader::place_variable(const slice::PtxVariable& variable) {
  using slice::PtxSpace;
  WATTUNE_ASSIGN(const std::uint64_t bytes, variable_bytes(tree(), variable));
  const Extent extent = extent_of(variable);
  variable_bytes_ += bytes;
  if (bytes > kMostVariableBytes || variable_bytes_ > kMostVariableBytes)
    return Error(ErrorCode::unavailable,
                 fmt::format("`{}` takes {} bytes, with which the variables have too many", variable.name, bytes))
        .at(tree().position(variable.text));
  if (variable.space == PtxSpace::shared && is_dynamic_shared(variable)) {
    names_.variables[variable.name] = {.space = Space::shared, .dynamic = true};
    dynamic_alignment_ = std::max(dynamic_alignment_, extent.alignment);
  } else if (variable.space == PtxSpace::shared) {
    const std::uint64_t offset = align(shared_end_, extent.alignment);
    names_.variables[variable.name] = {.space = Space::shared, .address = offset, .bytes = bytes};
    shared_end_ = offset + bytes;
  } else if (variable.space != PtxSpace::texture && variable.linkage != "extern") {
    const std::uint64_t address = memory_.allocate(bytes, std::string(variable.name));
    names_.variables[variable.name] = {.space = Space::global, .address = address, .bytes = bytes};
    code_->symbols[std::string(variable.name)] = {address, bytes};
  }
  return {};
}

Result<void> ModuleLoader::write_first_values() {
  for (const slice::PtxVariable& variable : tree().variables) {
    const auto symbol = code_->symbols.find(variable.name);
    if (symbol == code_->symbols.end()) continue;
    const VirtualMemory::Extent extent = memory_.extent(symbol->second.address);
    WATTUNE_TRY(write_initial_value(tree(), variable, names_, extent.bytes));
  }
  return {};
}

// Assigns offsets to shared variables. The variables of functions that any kernel may call come first, then each
// kernel's own.
void ModuleLoader::place_function_variables() {
  function_names_.resize(code_->functions.size());
  for (const bool entries : {false, true})
    for (std::size_t i = 0; i < code_->functions.size(); ++i) {
      const slice::PtxFunction& source = *code_->functions[i].source;
      if (source.entry != entries) continue;
      function_names_[i] = std::make_unique<Names>(source, names_, shared_end_);
      const std::uint64_t end = function_names_[i]->shared_end();
      if (!entries) shared_end_ = end;
      names_.dynamic_shared_offset = std::max(names_.dynamic_shared_offset, end);
    }
  names_.dynamic_shared_offset = align(std::max(names_.dynamic_shared_offset, shared_end_), dynamic_alignment_);
  code_->dynamic_shared_offset = names_.dynamic_shared_offset;
}

void ModuleLoader::decode_functions() {
  for (std::uint32_t i = 0; i < code_->functions.size(); ++i) {
    Function& function = code_->functions[i];
    const slice::PtxFunction& source = *function.source;
    if (source.body.empty()) continue;
    Names& names = *function_names_[i];
    function.results = names.formals(source.results);
    if (!source.entry) function.parameters = names.formals(source.parameters);
    Decoder(*code_, names_, names, function).decode();
    function.register_bytes = static_cast<std::uint32_t>(names.register_bytes());
    function.local_bytes = static_cast<std::uint32_t>(names.local_bytes());
    if (names.register_bytes() > kFunctionRegisterBytes || names.local_bytes() > kFunctionLocalBytes ||
        names.parameter_bytes() > kMostParameterBytes)
      function.refusal = Error(ErrorCode::unavailable, fmt::format("`{}` declares too many bytes", source.name))
                             .at(tree().position(source.name));
    if (!source.entry) continue;
    code_->kernels.push_back(describe(source, names));
    code_->kernel_functions.push_back(i);
  }
}

std::size_t most_threads(const slice::PtxFunction& function) {
  constexpr std::size_t kMostThreads = 1024;
  std::size_t threads = 1;
  for (const std::string_view directive : {"maxntid", "reqntid"})
    if (const slice::PtxDirective* limit = function.directive(directive))
      for (const std::string_view value : limit->values) {
        std::size_t extent = 1;
        std::from_chars(value.data(), value.data() + value.size(), extent);
        threads *= extent;
      }
  return threads > 1 ? std::min(threads, kMostThreads) : kMostThreads;
}

PtxKernel ModuleLoader::describe(const slice::PtxFunction& function, const Names& names) const {
  PtxKernel kernel{.name = std::string(function.name),
                   .parameter_bytes = names.parameter_bytes(),
                   .shared_bytes = names.shared_end(),
                   .local_bytes = names.local_bytes(),
                   .most_threads = most_threads(function)};
  for (const slice::PtxVariable& parameter : function.parameters)
    if (const std::optional<Named> named = names.find(parameter.name, 0))
      kernel.parameters.push_back({std::string(parameter.name), named->address, named->bytes});
  return kernel;
}

// Returns the first refusal among a function and all functions that it calls. Returns nullptr if none of them is
// refused.
const Error* refusal_below(const Code& code, std::uint32_t function) {
  std::vector<bool> seen(code.functions.size());
  std::vector<std::uint32_t> left = {function};
  while (!left.empty()) {
    const Function& next = code.functions[left.back()];
    const bool is_new = !seen[left.back()];
    seen[left.back()] = true;
    left.pop_back();
    if (next.refusal) return &*next.refusal;
    if (is_new) left.insert(left.end(), next.callees.begin(), next.callees.end());
  }
  return nullptr;
}

}  // namespace

}  // namespace ptx

Result<PtxModule> PtxModule::load(const slice::PtxTree& tree, VirtualMemory& memory) {
  WATTUNE_ASSIGN(std::shared_ptr<const ptx::Code> code, ptx::ModuleLoader(tree, memory).load());
  return PtxModule(std::move(code));
}

std::vector<std::string> PtxModule::kernels() const {
  std::vector<std::string> names;
  for (const PtxKernel& kernel : code_->kernels) names.push_back(kernel.name);
  return names;
}

Result<const PtxKernel*> PtxModule::kernel(std::string_view name) const {
  const auto found = std::ranges::find(code_->kernels, name, &PtxKernel::name);
  if (found == code_->kernels.end())
    return Error(ErrorCode::not_found, fmt::format("no kernel `{}` in {}", name, code_->tree.file))
        .hint(suggest(name, kernels()));
  const auto index = static_cast<std::size_t>(found - code_->kernels.begin());
  if (const Error* refusal = ptx::refusal_below(*code_, code_->kernel_functions[index])) return Error(*refusal);
  return &*found;
}

std::optional<PtxSymbol> PtxModule::symbol(std::string_view name) const {
  const auto found = code_->symbols.find(name);
  if (found == code_->symbols.end()) return std::nullopt;
  return found->second;
}

}  // namespace wattune::simulate
