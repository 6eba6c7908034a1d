// CompileLog: writes a log line at the beginning of one compilation and one at its end. The object lives as long as the
// compilation.
#pragma once

#include "core/logging.h"
#include "core/stopwatch.h"
#include "wattune/core/kernel_source.h"

namespace wattune::inline v0_1::backend::worker {

class CompileLog {
 public:
  explicit CompileLog(const KernelSource& source) : function_(source.function) {
    log_debug("compiling {} ({})", function_, to_string(source.language));
  }
  CompileLog(const CompileLog&) = delete;
  CompileLog& operator=(const CompileLog&) = delete;
  ~CompileLog() { log_debug("compiling {} took {:.1f} ms", function_, to_ms(stopwatch_.elapsed())); }

 private:
  const std::string function_;
  const Stopwatch stopwatch_;
};

}  // namespace wattune::backend::worker
