// CurrentContext: makes a context current for the calling thread as long as the object lives.
//
// Calls of the driver work on the context that is current for their thread, and the application chooses this context.
// So the destructor makes the previous context current again. If the context is current already, nothing is changed,
// which is cheap.
#pragma once

#include <utility>

#include "backend/cuda/cu_api.h"

namespace wattune::inline v0_1::backend::cuda {

class CurrentContext {
 public:
  CurrentContext(const CuApi& cu, CUcontext context) : cu_(&cu) {
    CUcontext current = nullptr;
    code_ = cu.cuCtxGetCurrent(&current);
    if (code_ != CUDA_SUCCESS || current == context) return;
    code_ = cu.cuCtxPushCurrent(context);
    pushed_ = code_ == CUDA_SUCCESS;
  }
  CurrentContext(CurrentContext&& other) noexcept
      : cu_(other.cu_), code_(other.code_), pushed_(std::exchange(other.pushed_, false)) {}
  CurrentContext& operator=(CurrentContext&&) = delete;
  ~CurrentContext() {
    CUcontext popped = nullptr;
    if (pushed_) cu_->cuCtxPopCurrent(&popped);
  }

  // Returns CUDA_SUCCESS, or the reason why the context could not be made current.
  CUresult code() const { return code_; }

 private:
  const CuApi* cu_;
  CUresult code_;
  bool pushed_ = false;
};

}  // namespace wattune::backend::cuda
