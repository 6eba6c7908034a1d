#include "wattune/core/observation.h"

namespace wattune {

std::string_view to_string(Status status) {
  switch (status) {
    case Status::correct: return "correct";
    case Status::compile: return "compile";
    case Status::runtime: return "runtime";
    case Status::timeout: return "timeout";
    case Status::correctness: return "correctness";
    case Status::constraints: return "constraints";
  }
  return "unknown";
}

std::optional<Status> parse_status(std::string_view name) {
  for (Status status : kAllStatuses)
    if (name == to_string(status)) return status;
  return std::nullopt;
}

}  // namespace wattune
