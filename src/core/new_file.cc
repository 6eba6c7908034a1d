#include "core/new_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "core/interface/system_error.h"

namespace wattune::inline v0_1 {

namespace {

namespace fs = std::filesystem;

// Makes the file and writes the text. Error messages call the file `named`.
Result<void> write_new(const fs::path& file, std::string_view text, const fs::path& named) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CLOEXEC | O_CREAT | O_EXCL | O_NOFOLLOW, 0666);
  if (descriptor < 0) return system_error("cannot write", named, errno);
  Result<void> written = write_all(descriptor, text, named);
  if (::close(descriptor) != 0 && written) written = system_error("cannot write", named, errno);
  if (!written) ::unlink(file.c_str());
  return written;
}

}  // namespace

Result<void> write_all(int descriptor, std::string_view text, const fs::path& named) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return system_error("cannot write", named, errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Result<void> write_new_file(const fs::path& file, std::string_view text) { return write_new(file, text, file); }

Result<fs::path> write_beside(const fs::path& file, std::string_view text) {
  constexpr int kMostTemporaryNames = 100;
  for (int i = 0;; ++i) {
    fs::path name = fmt::format("{}.{}.{}.tmp", file.string(), ::getpid(), i);
    const Result<void> written = write_new(name, text, file);
    if (written) return name;
    if (written.error().code() != ErrorCode::already_exists || i + 1 == kMostTemporaryNames) return written.error();
  }
}

}  // namespace wattune
