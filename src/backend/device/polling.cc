#include "backend/interface/polling.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <thread>

namespace wattune::inline v0_1::backend {

namespace {

constexpr std::string_view kCompiling = "compiling took longer than";

}  // namespace

void Polling::pause() const {
  constexpr Nanoseconds kSpinTime{50e3};
  constexpr Nanoseconds kLongestPause{1e6};
  constexpr double kPartOfWait = 1.0 / 64.0;
  if (const Nanoseconds waited = elapsed(); waited >= kSpinTime)
    std::this_thread::sleep_for(
        std::chrono::duration<double, std::nano>(std::min(kPartOfWait * waited, kLongestPause).value()));
}

Error took_too_long(bool launch, Nanoseconds limit) {
  return Error(ErrorCode::timeout, fmt::format("{} longer than {:g} ms",
                                               launch ? "the kernel ran" : "the device was at work", to_ms(limit)));
}

Error compiled_too_long(Nanoseconds limit) {
  return Error(ErrorCode::timeout, fmt::format("{} {:g} ms", kCompiling, to_ms(limit)));
}

bool is_compiled_too_long(const Error& error) {
  return error.code() == ErrorCode::timeout && error.message().starts_with(kCompiling);
}

}  // namespace wattune::backend
