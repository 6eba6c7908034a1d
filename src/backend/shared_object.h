// C and C++ files of users as functions of this process: compiled into a shared object with the system's compiler, then
// loaded. Only for processes that may crash: the static initialisers of the file run when it is loaded.
//
//   WATTUNE_TRY(compile_shared_object(kCplusplusCompilers, {"-O2"}, file, folder / "code.so", limit));
//   WATTUNE_ASSIGN(const SharedObject code, SharedObject::load(folder / "code.so"));
//   void* const function = code.find("function");
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "wattune/core/result.h"
#include "wattune/core/units.h"

namespace wattune::backend {

// Which are tried, in this order.
inline constexpr std::array kCplusplusCompilers{"c++", "g++", "clang++"};

// With the first of the compilers that there is; its log lies beside `object`. compile_failed, with the line of the log
// that says most; unavailable: there is no compiler; timeout.
Result<void> compile_shared_object(std::span<const char* const> compilers, const std::vector<std::string>& options,
                                   const std::filesystem::path& source, const std::filesystem::path& object,
                                   Nanoseconds limit);

// Stays loaded as long as the process, since code of it may be on the stack of a thread that it started.
class SharedObject {
 public:
  // compile_failed: it refers to what is nowhere.
  static Result<SharedObject> load(const std::filesystem::path& object);
  // The function or variable of that name, as the linker knows it; nullptr: there is none.
  void* find(const std::string& name) const;

 private:
  explicit SharedObject(void* library) : library_(library) {}

  void* library_;
};

}  // namespace wattune::backend
