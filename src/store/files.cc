#include "store/interface/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "core/interface/suggest.h"
#include "core/interface/system_error.h"
#include "core/new_file.h"
#include "store/limits.h"
#include "wattune/store/formats.h"

namespace wattune::inline v0_1::store {

namespace {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int get() const { return number_; }

 private:
  int number_;
};

// Writes to a terminal, a pipe or /dev/null. Such a file is not replaced by a new file.
Result<void> write_to_device(const std::filesystem::path& file, std::string_view text) {
  const Descriptor descriptor(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  if (descriptor.get() < 0) return system_error("cannot write", file, errno);
  return write_all(descriptor.get(), text, file);
}

Error exists_error(const std::filesystem::path& file) {
  return Error(ErrorCode::already_exists, fmt::format("{} exists", file.string())).hint("overwriting replaces it");
}

// Returns the error for a file that cannot be read. If the file does not exist, the error names the nearest file in the
// folder.
Error cannot_open(const std::filesystem::path& file, int error_number) {
  Error error = system_error("cannot open", file, error_number);
  return error_number == ENOENT ? std::move(error).hint(suggest_file(file)) : error;
}

// Renames the temporary file to its final name. Without `overwrite`, link(2) does not replace a file that another
// process has just made.
Result<void> publish(const std::filesystem::path& temporary, const std::filesystem::path& file, bool overwrite) {
  if (!overwrite && ::link(temporary.c_str(), file.c_str()) == 0) {
    ::unlink(temporary.c_str());
    return {};
  }
  if (!overwrite && errno == EEXIST) return exists_error(file);
  if (::rename(temporary.c_str(), file.c_str()) != 0) return system_error("cannot write", file, errno);
  return {};
}

}  // namespace

Error too_large(const std::filesystem::path& file) {
  return Error(ErrorCode::invalid_argument, fmt::format("{} holds more than 1 GiB, unpacked", file.string()))
      .hint("divide it: the first line of a journal with some of the others is a journal");
}

Result<std::string> read_descriptor(int descriptor, const std::filesystem::path& file) {
  std::string text;
  std::array<char, 1 << 16> block;
  for (;;) {
    const ssize_t count = ::read(descriptor, block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error("cannot read", file, errno);
    if (count == 0) return text;
    if (text.size() + static_cast<std::size_t>(count) > kMaxFileBytes) return too_large(file);
    text.append(block.data(), static_cast<std::size_t>(count));
  }
}

Result<std::string> read_file(const std::filesystem::path& file) {
  const Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (descriptor.get() < 0) return cannot_open(file, errno);
  struct stat status {};
  if (::fstat(descriptor.get(), &status) == 0 && S_ISREG(status.st_mode) &&
      static_cast<std::uintmax_t>(status.st_size) > kMaxFileBytes)
    return too_large(file);
  return read_descriptor(descriptor.get(), file);
}

Result<void> check_regular(int descriptor, const std::filesystem::path& file) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return system_error("cannot look at", file, errno);
  if (S_ISREG(status.st_mode) || S_ISCHR(status.st_mode)) return {};
  const char* const what = S_ISDIR(status.st_mode) ? "folder" : S_ISFIFO(status.st_mode) ? "pipe" : "device";
  return Error(ErrorCode::invalid_argument, fmt::format("{} is a {}, where a file is needed", file.string(), what));
}

// Reads the file. A pipe is opened without waiting for its other end.
Result<std::string> read_regular_file(const std::filesystem::path& file) {
  const Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (descriptor.get() < 0) return system_error("cannot open", file, errno);
  WATTUNE_TRY(check_regular(descriptor.get(), file));
  struct stat status {};
  if (::fstat(descriptor.get(), &status) != 0) return system_error("cannot look at", file, errno);
  if (!S_ISREG(status.st_mode)) return std::string();
  if (static_cast<std::uintmax_t>(status.st_size) > kMaxFileBytes) return too_large(file);
  return read_descriptor(descriptor.get(), file);
}

std::filesystem::path unused_name(const std::filesystem::path& file, std::string_view suffix) {
  std::error_code ignored;
  for (int number = 1;; ++number) {
    std::filesystem::path name =
        fmt::format("{}{}{}", file.string(), suffix, number == 1 ? "" : std::to_string(number));
    if (std::filesystem::symlink_status(name, ignored).type() == std::filesystem::file_type::not_found) return name;
  }
}

Result<void> keep_beside(const std::filesystem::path& file, std::string_view suffix) {
  const std::filesystem::path name = unused_name(file, suffix);
  if (::linkat(AT_FDCWD, file.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) return {};
  std::error_code failed;
  std::filesystem::copy_file(file, name, failed);
  return failed ? system_error("cannot keep the old file as", name, failed.value()) : Result<void>();
}

Result<void> write_file(const std::filesystem::path& file, std::string_view text, bool overwrite) {
  std::error_code ignored;
  const auto status = std::filesystem::status(file, ignored);
  if (std::filesystem::is_directory(status))
    return Error(ErrorCode::invalid_argument, fmt::format("{} is a directory", file.string()));
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) return write_to_device(file, text);
  if (!overwrite && std::filesystem::exists(status)) return exists_error(file);
  // If the name is a symbolic link, the file to which the link points is replaced.
  const auto place = std::filesystem::exists(status) ? std::filesystem::canonical(file, ignored) : file;
  WATTUNE_ASSIGN(const std::filesystem::path temporary, write_beside(place, text));
  const Result<void> published = publish(temporary, place, overwrite);
  if (!published) ::unlink(temporary.c_str());
  return published;
}

}  // namespace wattune::store
