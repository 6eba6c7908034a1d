#include "backend/worker/protocol.h"

namespace wattune::inline v0_1::backend::worker {

ErrorFields to_fields(const Error& error) {
  return {error.code(),   error.message(),     error.position(),    error.offending_text(),
          error.advice(), error.native_code(), error.native_name(), error.context()};
}

Error to_error(ErrorFields fields) {
  Error error(fields.code, std::move(fields.message));
  error = std::move(error).at(std::move(fields.position)).about(std::move(fields.offending_text));
  error = std::move(error).hint(std::move(fields.advice)).native(fields.native_code, std::move(fields.native_name));
  for (std::string& context : fields.context) error = std::move(error).with_context(std::move(context));
  return error;
}

}  // namespace wattune::backend::worker
