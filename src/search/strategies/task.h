// Task: a coroutine that another coroutine awaits, so that algorithms can be split into functions.
//
// The frames of a running algorithm form a stack, which its driver (algorithm.h) resumes from the top. An awaited Task
// is put onto the stack, and is removed when it ends. So the depth of the call stack stays the same, however often
// Tasks end without waiting.
#pragma once

#include <coroutine>
#include <optional>
#include <utility>
#include <vector>

namespace wattune::inline v0_1::search {

using FrameStack = std::vector<std::coroutine_handle<>>;

namespace detail {

struct PromiseBase {
  struct Leave {
    bool await_ready() noexcept { return false; }
    template <typename Promise>
    void await_suspend(std::coroutine_handle<Promise> frame) noexcept {
      frame.promise().stack->pop_back();
    }
    void await_resume() noexcept {}
  };

  std::suspend_always initial_suspend() noexcept { return {}; }
  Leave final_suspend() noexcept { return {}; }
  [[noreturn]] void unhandled_exception() { throw; }

  FrameStack* stack = nullptr;
};

template <typename T>
struct Promise : PromiseBase {
  void return_value(T result) { value = std::move(result); }
  T take() { return *std::move(value); }
  std::optional<T> value;
};

template <>
struct Promise<void> : PromiseBase {
  void return_void() {}
  void take() {}
};

}  // namespace detail

template <typename T = void>
class [[nodiscard]] Task {
 public:
  struct promise_type : detail::Promise<T> {  // NOLINT(readability-identifier-naming): the language's name for it
    Task get_return_object() { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
  };

  Task() = default;
  Task(Task&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(frame_, other.frame_);
    return *this;
  }
  ~Task() {
    if (frame_) frame_.destroy();
  }

  // Puts the coroutine's frame onto the stack of frames, from which it will be resumed.
  void enter(FrameStack& stack) {
    frame_.promise().stack = &stack;
    stack.push_back(frame_);
  }

  bool await_ready() const { return false; }
  template <typename Promise>
  void await_suspend(std::coroutine_handle<Promise> parent) {
    enter(*parent.promise().stack);
  }
  T await_resume() { return frame_.promise().take(); }

 private:
  explicit Task(std::coroutine_handle<promise_type> frame) : frame_(frame) {}

  std::coroutine_handle<promise_type> frame_;
};

}  // namespace wattune::search
