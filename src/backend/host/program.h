// Programs of the host, which are shared objects, and their kernels, which are functions that call the user's
// functions.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/device/shared_object.h"
#include "backend/host/session.h"
#include "wattune/backend/device.h"

namespace wattune::inline v0_1::backend::host {

class HostKernel : public Kernel {
 public:
  // A function that takes the addresses of the arguments, and returns what the user's function returns, or 0.
  using CallerFunction = double (*)(void** arguments);
  struct Caller {
    CallerFunction function;
    std::optional<Nanoseconds> returned_unit;  // of the time that it returns; nullopt if the clock times it
  };

  HostKernel(std::shared_ptr<Session> session, std::shared_ptr<const SharedObject> code, std::string name,
             Caller caller, std::vector<KernelParameter> parameters)
      : Kernel(*session),
        session_(std::move(session)),
        code_(std::move(code)),
        name_(std::move(name)),
        caller_(caller),
        parameters_(std::move(parameters)) {}

  const std::string& name() const override { return name_; }
  std::size_t argument_count() const override { return parameters_.size(); }
  // Returns the parameters with their sizes only, because the compiler has checked their types.
  std::span<const KernelParameter> parameters() const override { return parameters_; }
  // Returns 1: a function has no work-group and is one work-item.
  std::size_t max_work_group_size() const override { return 1; }
  const Caller& caller() const { return caller_; }
  // Returns the code, which must stay loaded while the function runs.
  const std::shared_ptr<const SharedObject>& code() const { return code_; }

 private:
  std::shared_ptr<Session> session_;  // the session that owns the kernel
  std::shared_ptr<const SharedObject> code_;
  std::string name_;
  Caller caller_;
  std::vector<KernelParameter> parameters_;
};

// Builds a program. Fails with compile_failed and the log, with unavailable (no compiler) or with timeout.
Result<std::unique_ptr<Program>> build_program(const std::shared_ptr<Session>& session, const KernelSource& source,
                                               std::span<const Macro> macros, Nanoseconds limit);

}  // namespace wattune::backend::host
