#include "store/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "wattune/store/formats.h"

namespace wattune::store {

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

Result<void> write_all(int descriptor, std::string_view text, const std::filesystem::path& file) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return system_error("cannot write", file, errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

// Errors speak of `file`, whatever is `opened` in its place.
Result<void> create(const std::filesystem::path& opened, int flags, std::string_view text,
                    const std::filesystem::path& file) {
  const Descriptor descriptor(::open(opened.c_str(), O_WRONLY | O_CLOEXEC | flags, 0666));
  if (descriptor.get() < 0) return system_error("cannot write", file, errno);
  return write_all(descriptor.get(), text, file);
}

Error exists_error(const std::filesystem::path& file) {
  return Error(ErrorCode::already_exists, fmt::format("{} exists", file.string())).hint("--overwrite replaces it");
}

// Gives the temporary file its name. Without `overwrite`, link(2) keeps a file that another process has just made.
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

Error system_error(const char* what, const std::filesystem::path& file, int error_number) {
  const ErrorCode code = error_number == ENOENT ? ErrorCode::not_found : ErrorCode::io_error;
  return Error(code, fmt::format("{} {}: {}", what, file.string(), std::strerror(error_number)));
}

Result<std::string> read_descriptor(int descriptor, const std::filesystem::path& file) {
  std::string text;
  std::array<char, 1 << 16> block;
  for (;;) {
    const ssize_t count = ::read(descriptor, block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error("cannot read", file, errno);
    if (count == 0) return text;
    text.append(block.data(), static_cast<std::size_t>(count));
  }
}

Result<std::string> read_file(const std::filesystem::path& file) {
  const Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (descriptor.get() < 0) return system_error("cannot open", file, errno);
  return read_descriptor(descriptor.get(), file);
}

Result<void> write_file(const std::filesystem::path& file, std::string_view text, bool overwrite) {
  std::error_code ignored;
  const auto status = std::filesystem::status(file, ignored);
  if (std::filesystem::is_directory(status))
    return Error(ErrorCode::invalid_argument, fmt::format("{} is a directory", file.string()));
  // Terminals, pipes and /dev/null are written to, not replaced.
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) return create(file, 0, text, file);
  if (!overwrite && std::filesystem::exists(status)) return exists_error(file);
  // Through a symbolic link, the file that it names is replaced.
  const auto target = std::filesystem::exists(status) ? std::filesystem::canonical(file, ignored) : file;
  const std::filesystem::path temporary = fmt::format("{}.{}.tmp", target.string(), ::getpid());
  Result<void> written = create(temporary, O_CREAT | O_TRUNC, text, file);
  if (written) written = publish(temporary, target, overwrite);
  if (!written) ::unlink(temporary.c_str());
  return written;
}

}  // namespace wattune::store
