// C and C++ files as code that this process can call: the system's compiler makes a shared object, which is loaded.
//
//   WATTUNE_ASSIGN(const std::string log, compile_shared_object(Language::cpp, "f.cc", {"-O3"}, folder / "f.so",
//   limit)); WATTUNE_ASSIGN(const SharedObject code, SharedObject::load(folder / "f.so")); auto* const f =
//   reinterpret_cast<void (*)()>(code.symbol("f"));
#pragma once

#include <dlfcn.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "wattune/core/kernel_spec.h"
#include "wattune/core/units.h"

namespace wattune::backend {

// Compiles with -O2, which the options may change, and links: the compiler's words. The compiler is what CXX says (for
// C: CC), else c++, g++ or clang++ (cc, gcc or clang). compile_failed with the log; unavailable (no compiler), timeout.
Result<std::string> compile_shared_object(Language language, const std::filesystem::path& source,
                                          const std::vector<std::string>& options, const std::filesystem::path& object,
                                          Nanoseconds limit);

// The first line of what that compiler says of itself. unavailable.
Result<std::string> system_compiler_version(Language language);

// Loaded code, unloaded at the end of its life unless it was loaded for good.
class SharedObject {
 public:
  // Loads and unloads it once before, so that what static initialisers and destructors do wrong shows here. Libraries
  // that it uses stay loaded, because threads of theirs (OpenMP's) may live on. compile_failed with the loader's words.
  static Result<SharedObject> load(const std::filesystem::path& file);
  // Loads it once, to stay as long as the process: code of it may be on the stack of a thread that it started.
  static Result<SharedObject> load_for_good(const std::filesystem::path& file);

  // nullptr when there is none of this name.
  void* symbol(const std::string& name) const { return dlsym(handle_.get(), name.c_str()); }

 private:
  using Handle = std::unique_ptr<void, void (*)(void*)>;

  explicit SharedObject(Handle handle) : handle_(std::move(handle)) {}
  static Result<Handle> open(const std::filesystem::path& file);

  Handle handle_;
};

}  // namespace wattune::backend
