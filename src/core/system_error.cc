#include "core/interface/system_error.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace wattune::inline v0_1 {

namespace {

ErrorCode code_of(int error_number) {
  switch (error_number) {
    case ENOENT: return ErrorCode::not_found;
    case EEXIST: return ErrorCode::already_exists;
    case EACCES:
    case EPERM:
    case EROFS:
    case EISDIR:
    case ENOTDIR:
    case ELOOP:
    case ENAMETOOLONG:
    case ENXIO: return ErrorCode::invalid_argument;
    default: return ErrorCode::io_error;
  }
}

}  // namespace

Error system_error(std::string_view what, const std::filesystem::path& file, int error_number) {
  return Error(code_of(error_number), fmt::format("{} {}: {}", what, file.string(), std::strerror(error_number)));
}

}  // namespace wattune
