// Handle: owns one object of a driver, and releases it, unless its session says that this is no longer possible. A
// borrowed object belongs to the application and is never released.
//
// A backend gives its own handles a name: template <typename T> using Handle = backend::Handle<Session, T>, and has a
// function release(const Session&, T) for every T.
#pragma once

#include <memory>
#include <utility>

namespace wattune::inline v0_1::backend {

template <typename Session, typename T>
class Handle {
 public:
  Handle() = default;
  Handle(std::shared_ptr<Session> session, T raw) : Handle(std::move(session), raw, false) {}
  static Handle borrow(std::shared_ptr<Session> session, T raw) { return Handle(std::move(session), raw, true); }
  Handle(Handle&& other) noexcept
      : session_(std::move(other.session_)), raw_(std::exchange(other.raw_, T{})), borrowed_(other.borrowed_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(session_, other.session_);
    std::swap(raw_, other.raw_);
    std::swap(borrowed_, other.borrowed_);
    return *this;
  }
  ~Handle() {
    if (raw_ != T{} && !borrowed_ && session_->releasable()) release(*session_, raw_);
  }

  // Keeps the object for as long as its context lives: the destructor does not release it.
  void leave() { borrowed_ = true; }

  T get() const { return raw_; }
  bool borrowed() const { return borrowed_; }
  const std::shared_ptr<Session>& session() const { return session_; }

 private:
  Handle(std::shared_ptr<Session> session, T raw, bool borrowed)
      : session_(std::move(session)), raw_(raw), borrowed_(borrowed) {}

  std::shared_ptr<Session> session_;
  T raw_{};
  bool borrowed_ = false;
};

}  // namespace wattune::backend
