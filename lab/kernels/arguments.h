// The arguments with which references of the kernels in lab/kernels are called.
#pragma once

namespace lab {

// Gives the arguments of a kernel their types. The arguments point to memory that the caller of the reference owns.
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
