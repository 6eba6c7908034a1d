#include "backend/device/shared_object.h"

#include <fmt/format.h>
#include <link.h>

#include <cstdlib>
#include <iterator>
#include <span>
#include <sstream>

#include "backend/interface/compiler_program.h"

namespace wattune::inline v0_1::backend {

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

Words words_at_blanks(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

// The commands that may start the compiler of a language.
struct Compilers {
  const char* variable;  // an environment variable; if it is set, only its command is used
  std::vector<Words> usual;
};

Compilers compilers_for(Language language) {
  if (language == Language::cpp) return {"CXX", {{"c++"}, {"g++"}, {"clang++"}}};
  return {"CC", {{"cc"}, {"gcc"}, {"clang"}}};
}

// Returns the command that the environment variable names; empty if it is not set.
Words named_by(const char* variable) {
  const char* const named = std::getenv(variable);
  return named == nullptr ? Words() : words_at_blanks(named);
}

Error no_compiler(Language language, const Compilers& compilers, const Words& named) {
  if (!named.empty())
    return Error(ErrorCode::unavailable, fmt::format("the compiler that {} names was not found", compilers.variable))
        .about(named.front());
  return Error(ErrorCode::unavailable, fmt::format("no {} compiler was found", to_string(language)))
      .hint(fmt::format("install {}, or let {} name one", compilers.usual[1].front(), compilers.variable));
}

struct Ended {
  int status = 0;
  std::string compiler;
};

// Runs the compiler of this name.
Result<Ended> run_named(const std::string& compiler, Words command, const fs::path& log, Nanoseconds limit) {
  command.insert(command.begin(), compiler);
  const Result<int> status = run_program(command, log, limit);
  if (status) return Ended{*status, compiler};
  if (status.error().code() != ErrorCode::not_found) return status.error();
  return Error(ErrorCode::unavailable, "the compiler that the kernel names was not found")
      .about(compiler)
      .hint("install it, or name another one");
}

// Runs the first of the compilers that can be started, with these arguments.
Result<Ended> run_compiler(Language language, const Words& arguments, const fs::path& log, Nanoseconds limit) {
  const Compilers compilers = compilers_for(language);
  const Words named = named_by(compilers.variable);
  for (Words command : named.empty() ? compilers.usual : std::vector<Words>{named}) {
    const std::string compiler = command.front();
    command.insert(command.end(), arguments.begin(), arguments.end());
    const Result<int> status = run_program(command, log, limit);
    if (status) return Ended{*status, compiler};
    if (status.error().code() != ErrorCode::not_found) return status.error();
  }
  return no_compiler(language, compilers, named);
}

// Returns the compiler's arguments. Calls within the object go to its own functions, even if other libraries have
// functions of the same names.
Words arguments_for(Language language, const fs::path& source, const Words& options, const fs::path& object) {
  Words arguments{"-O2", "-fPIC", "-shared", "-Wl,-Bsymbolic", "-o", object.string(), source.string()};
  if (language == Language::cpp) arguments.insert(arguments.begin(), "-std=c++20");
  arguments.insert(arguments.end(), options.begin(), options.end());
  return arguments;
}

// Returns the names of the files that are loaded into the process, without the program itself.
Words loaded_files() {
  Words files;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* names) {
        if (object->dlpi_name[0] != '\0') static_cast<Words*>(names)->emplace_back(object->dlpi_name);
        return 0;
      },
      &files);
  return files;
}

void keep_loaded(const Words& files, const fs::path& but) {
  for (const std::string& file : files)
    if (file != but) dlopen(file.c_str(), RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

}  // namespace

Result<std::string> compile_shared_object(Language language, const fs::path& source, const Words& options,
                                          const fs::path& object, Nanoseconds limit, const std::string& compiler) {
  const fs::path log = object.string() + ".log";
  const Words arguments = arguments_for(language, source, options, object);
  WATTUNE_ASSIGN(const Ended ended, compiler.empty() ? run_compiler(language, arguments, log, limit)
                                                     : run_named(compiler, arguments, log, limit));
  if (ended.status == 0) return written_to(log);
  return Error(ErrorCode::compile_failed, written_to(log)).native(ended.status, ended.compiler);
}

Result<std::string> system_compiler_version(Language language) {
  WATTUNE_ASSIGN(const TemporaryFolder folder, TemporaryFolder::create());
  WATTUNE_TRY(run_compiler(language, {"--version"}, folder / "log", nanoseconds_from_seconds(60)));
  const std::string text = written_to(folder / "log");
  return text.substr(0, text.find('\n'));
}

Result<std::string> system_compiler_macros(Language language) {
  WATTUNE_ASSIGN(const TemporaryFolder folder, TemporaryFolder::create());
  const Words arguments{"-dM", "-E", "-x", language == Language::cpp ? "c++" : "c", "/dev/null"};
  WATTUNE_TRY(run_compiler(language, arguments, folder / "log", nanoseconds_from_seconds(60)));
  return written_to(folder / "log");
}

Result<SharedObject::Handle> SharedObject::open(const fs::path& file) {
  Handle handle(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL), [](void* loaded) { dlclose(loaded); });
  if (handle) return handle;
  return Error(ErrorCode::compile_failed, fmt::format("the compiled code cannot be loaded: {}", dlerror()));
}

Result<SharedObject> SharedObject::load_for_good(const fs::path& file) {
  WATTUNE_ASSIGN(Handle handle, open(file));
  handle.get_deleter() = [](void*) {};
  return SharedObject(std::move(handle));
}

Result<SharedObject> SharedObject::load(const fs::path& file) {
  {
    WATTUNE_ASSIGN(const Handle once, open(file));
    keep_loaded(loaded_files(), file);
  }
  WATTUNE_ASSIGN(Handle handle, open(file));
  return SharedObject(std::move(handle));
}

}  // namespace wattune::backend
