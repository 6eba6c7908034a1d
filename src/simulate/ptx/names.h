// What the names in a function stand for, and where its variables lie.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "simulate/ptx/code.h"

namespace wattune::simulate::ptx {

struct Named {
  bool in_register = false;
  Operand column;  // of one in a register
  Space space = Space::global;
  bool in_frame = false;      // local memory, from the frame's beginning
  bool dynamic = false;       // shared memory of no declared size
  std::uint64_t address = 0;  // in its space
  std::uint64_t bytes = 0;
};

// How many bytes a variable takes and what divides its address.
struct Extent {
  std::uint64_t bytes = 0;
  std::uint32_t alignment = 1;
};
Extent extent_of(const slice::PtxVariable& variable);
// Of a shared variable: that the launch decides its size.
bool is_dynamic_shared(const slice::PtxVariable& variable);
std::uint64_t align(std::uint64_t offset, std::uint64_t alignment);

// Names that the whole module knows.
struct ModuleNames {
  std::map<std::string_view, Named> variables;
  std::map<std::string_view, std::uint32_t> functions;
  std::uint64_t dynamic_shared_offset = 0;
};

class Names {
 public:
  // Shared variables lie behind the first `shared_begin` bytes.
  Names(const slice::PtxFunction& function, const ModuleNames& module, std::uint64_t shared_begin);

  // Seen from this scope; what hides it comes first.
  std::optional<Named> find(std::string_view name, std::uint32_t scope) const;
  std::optional<std::uint32_t> label(std::string_view name, std::uint32_t scope) const;
  const slice::PtxTable* table(std::string_view name, std::uint32_t scope) const;

  // Where a call finds or leaves them.
  std::vector<Formal> formals(const std::vector<slice::PtxVariable>& variables) const;
  std::uint64_t register_bytes() const { return register_bytes_; }
  std::uint64_t local_bytes() const { return local_bytes_; }
  std::uint64_t shared_end() const { return shared_end_; }
  std::uint64_t parameter_bytes() const { return parameter_bytes_; }
  // A column more.
  Operand new_column(unsigned bytes);

 private:
  // Registers `%r<10>` declares, behind one another.
  struct Family {
    std::uint32_t count = 0;
    Operand first;
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
