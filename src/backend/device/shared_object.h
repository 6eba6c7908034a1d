// Compiles C and C++ files with the system's compiler to shared objects, and loads them, so that this process can call
// their functions.
//
//   const auto object = folder / "f.so";
//   WATTUNE_ASSIGN(const std::string log, compile_shared_object(Language::cpp, "f.cc", {"-O3"}, object, limit));
//   WATTUNE_ASSIGN(const SharedObject code, SharedObject::load(object));
//   auto* const f = reinterpret_cast<void (*)()>(code.symbol("f"));
#pragma once

#include <dlfcn.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "wattune/core/kernel_spec.h"
#include "wattune/core/units.h"

namespace wattune::inline v0_1::backend {

// Compiles and links, with -O2 unless the options say otherwise. Returns the compiler's messages. The compiler is the
// program `compiler`; if that is empty, the one that CXX (for C: CC) names, else c++, g++ or clang++ (cc, gcc or
// clang). Fails with compile_failed and the log, with unavailable (no compiler) or with timeout.
Result<std::string> compile_shared_object(Language language, const std::filesystem::path& source,
                                          const std::vector<std::string>& options, const std::filesystem::path& object,
                                          Nanoseconds limit, const std::string& compiler = {});

// Returns the first line in which the system's compiler describes its version. That compiler is used where no other one
// is named. Fails with unavailable.
Result<std::string> system_compiler_version(Language language);

// Returns the macros that the system compiler defines by itself, as #define lines. Fails with unavailable if there is
// no compiler.
Result<std::string> system_compiler_macros(Language language);

// Loaded code. It is unloaded at the end of the object's life, unless it was loaded for good.
class SharedObject {
 public:
  // Loads the file, after loading and unloading it once, so that errors of static initialisers and destructors are
  // found here. Libraries that it uses stay loaded, because their threads (OpenMP's) may live on. Fails with
  // compile_failed and the loader's message.
  static Result<SharedObject> load(const std::filesystem::path& file);
  // Loads the file once and for as long as the process lives, because threads that it started may have its code on
  // their stacks.
  static Result<SharedObject> load_for_good(const std::filesystem::path& file);

  // Returns the address of a symbol; nullptr if there is none of this name.
  void* symbol(const std::string& name) const { return dlsym(handle_.get(), name.c_str()); }

 private:
  using Handle = std::unique_ptr<void, void (*)(void*)>;

  explicit SharedObject(Handle handle) : handle_(std::move(handle)) {}
  static Result<Handle> open(const std::filesystem::path& file);

  Handle handle_;
};

}  // namespace wattune::backend
