// The arguments that references of the kernels here are called with.
#pragma once

namespace lab {

// Gives the arguments of a kernel their types. The caller of the reference owns what they point to.
class Arguments {
 public:
  explicit Arguments(void* const* arguments) : arguments_(arguments) {}
  template <typename T>
  T* buffer(int i) const {
    return static_cast<T*>(arguments_[i]);
  }
  template <typename T>
  T value(int i) const {
    return *static_cast<const T*>(arguments_[i]);
  }

 private:
  void* const* arguments_;
};

}  // namespace lab
