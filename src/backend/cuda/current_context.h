// CurrentContext: makes a context current for the calling thread as long as it lives.
//
// Calls of the driver work on the context that is current for their thread, which is the application's to choose: what
// was current before is so again afterwards, on every path. To ask is cheap, so nothing is changed where the context is
// current already.
#pragma once

#include <utility>

#include "backend/cuda/cu_api.h"

namespace wattune::backend::cuda {

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

  // Other than CUDA_SUCCESS: the context could not be made current.
  CUresult code() const { return code_; }

 private:
  const CuApi* cu_;
  CUresult code_;
  bool pushed_ = false;
};

}  // namespace wattune::backend::cuda
