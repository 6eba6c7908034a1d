// Names resolves the names in a function and places its variables.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "simulate/ptx/code.h"

namespace wattune::inline v0_1::simulate::ptx {

struct Named {
  bool in_register = false;
  Operand column;            // register of a value in registers, or of its first component
  unsigned vector = 1;       // number of components
  std::uint32_t stride = 0;  // distance between the columns of its components
  Space space = Space::global;
  bool in_frame = false;      // true for local memory; then the address is relative to the frame
  bool dynamic = false;       // true for shared memory without a declared size
  std::uint64_t address = 0;  // address within the space
  std::uint64_t bytes = 0;
};

// The size of a variable and the alignment of its address.
struct Extent {
  std::uint64_t bytes = 0;
  std::uint32_t alignment = 1;
};
Extent extent_of(const slice::PtxVariable& variable);
// True if the launch determines the size of this shared variable.
bool is_dynamic_shared(const slice::PtxVariable& variable);
std::uint64_t align(std::uint64_t offset, std::uint64_t alignment);

// Names that are known in the whole module.
struct ModuleNames {
  std::map<std::string_view, Named> variables;
  std::map<std::string_view, std::uint32_t> functions;
  std::uint64_t dynamic_shared_offset = 0;
};

class Names {
 public:
  // Declares the function's names. Its shared variables begin at the offset `shared_begin`.
  Names(const slice::PtxFunction& function, const ModuleNames& module, std::uint64_t shared_begin);

  // Returns the meaning of a name in this scope; an inner declaration hides outer ones.
  std::optional<Named> find(std::string_view name, std::uint32_t scope) const;
  std::optional<std::uint32_t> label(std::string_view name, std::uint32_t scope) const;
  const slice::PtxTable* table(std::string_view name, std::uint32_t scope) const;

  // Returns the places in which a call passes or returns these variables.
  std::vector<Formal> formals(const std::vector<slice::PtxVariable>& variables) const;
  std::uint64_t register_bytes() const { return register_bytes_; }
  std::uint64_t local_bytes() const { return local_bytes_; }
  std::uint64_t shared_end() const { return shared_end_; }
  std::uint64_t parameter_bytes() const { return parameter_bytes_; }
  // Allocates a column, which is the storage of one register for all lanes, with `bytes` bytes for each lane.
  Operand new_column(unsigned bytes);

 private:
  // A range of registers, such as `%r<10>`, whose columns are adjacent.
  struct Family {
    std::uint32_t count = 0;
    Named first;
    std::uint32_t stride = 0;
  };
  struct Scope {
    std::map<std::string_view, Named> names;
    std::map<std::string_view, Family> families;
  };

  void declare(const slice::PtxVariable& variable);
  void declare_parameter(const slice::PtxVariable& variable, bool of_entry);
  void declare_registers(const slice::PtxVariable& variable);
  Named place(const slice::PtxVariable& variable);
  std::optional<Named> find_in_function(std::string_view name, std::uint32_t scope) const;
  const Named* find_here(std::string_view name, std::uint32_t scope, Named& member) const;
  const Named* find_whole(std::string_view name, std::uint32_t scope, Named& member) const;

  const slice::PtxFunction& function_;
  const ModuleNames& module_;
  std::vector<Scope> scopes_;
  std::multimap<std::string_view, const slice::PtxLabel*> labels_;
  std::uint64_t register_bytes_ = 0;
  std::uint64_t local_bytes_ = 0;
  std::uint64_t shared_end_ = 0;
  std::uint64_t parameter_bytes_ = 0;
};

}  // namespace wattune::simulate::ptx
