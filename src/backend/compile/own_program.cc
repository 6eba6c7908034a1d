#include "backend/interface/own_program.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <vector>

// The function exists only in programs that are linked with an installed library (cmake/installed_programs.cc).

extern "C" [[gnu::weak]] const char* wattune_installed_programs();

namespace wattune::inline v0_1::backend {

namespace fs = std::filesystem;

namespace {

// Returns the folder of the file that holds this code: the running program, or a library that it loaded, as Python
// does. Returns an empty path if the loader knows only a relative name, such as the first word of the program's command
// line.
fs::path own_folder() {
  Dl_info info;
  std::error_code ignored;
  if (dladdr(reinterpret_cast<const void*>(&find_own_program), &info) == 0 || info.dli_fname == nullptr) return {};
  const fs::path file = info.dli_fname;
  return file.is_absolute() ? fs::canonical(file, ignored).parent_path() : fs::path();
}

// Returns the folder of programs of an installation; an empty path in a wheel, which has none.
fs::path installed_programs() {
  return wattune_installed_programs != nullptr ? wattune_installed_programs() : WATTUNE_LIBEXEC_DIR;
}

}  // namespace

Result<fs::path> find_own_program(const std::string& name) {
  std::error_code ignored;
  const fs::path running = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  std::vector<fs::path> places;
  for (const fs::path& folder : {own_folder(), running}) {
    if (folder.empty()) continue;
    places.push_back(folder / name);
    places.push_back(folder.parent_path() / "bin" / name);
    places.push_back(folder.parent_path() / "libexec/wattune" / name);
  }
  if (const fs::path installed = installed_programs(); !installed.empty()) places.push_back(installed / name);
  for (const fs::path& place : places)
    if (access(place.c_str(), X_OK) == 0) return place;
  return Error(ErrorCode::unavailable, fmt::format("Wattune's program {} was not found", name))
      .hint(fmt::format("looked for {}, {} and {}; install Wattune, or copy the program beside this one",
                        places.front().string(), places[places.size() - 2].string(), places.back().string()));
}

Result<Descriptor> move_up(Descriptor descriptor) {
  constexpr int kFirstFree = 10;
  Descriptor moved(fcntl(descriptor.get(), F_DUPFD_CLOEXEC, kFirstFree));
  if (moved.get() >= 0) return moved;
  return Error(ErrorCode::unavailable, fmt::format("a descriptor cannot be duplicated: {}", std::strerror(errno)));
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

SpawnPlan::SpawnPlan(short leads) {
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, static_cast<short>(leads | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
}

SpawnPlan::~SpawnPlan() {
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
}

}  // namespace wattune::backend
