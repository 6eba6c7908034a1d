// Handle: owns one object of a driver, which it releases unless its session says that this is no longer possible.
//
// A backend names its own: template <typename T> using Handle = backend::Handle<Session, T>, and has a function
// release(const Session&, T) for every T.
#pragma once

#include <memory>
#include <utility>

namespace wattune::backend {

template <typename Session, typename T>
class Handle {
 public:
  Handle() = default;
  Handle(std::shared_ptr<Session> session, T raw) : session_(std::move(session)), raw_(raw) {}
  Handle(Handle&& other) noexcept : session_(std::move(other.session_)), raw_(std::exchange(other.raw_, T{})) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(session_, other.session_);
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~Handle() {
    if (raw_ != T{} && session_->releasable()) release(*session_, raw_);
  }

  T get() const { return raw_; }
  const std::shared_ptr<Session>& session() const { return session_; }

 private:
  std::shared_ptr<Session> session_;
  T raw_{};
};

}  // namespace wattune::backend
