// An application that uses OpenCL: its context, its queue, its memory.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "backend/opencl/cl_api.h"
#include "wattune/backend/attach.h"

namespace wattune::test {

class OpenClApplication {
 public:
  // Makes an application; nullptr if there is no OpenCL.
  static std::unique_ptr<OpenClApplication> make(cl_command_queue_properties properties = CL_QUEUE_PROFILING_ENABLE) {
    if (!backend::opencl::cl_api()) return nullptr;
    cl_platform_id platform = nullptr;
    cl_device_id device = nullptr;
    if (cl().clGetPlatformIDs(1, &platform, nullptr) != CL_SUCCESS ||
        cl().clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr) != CL_SUCCESS)
      return nullptr;
    return std::unique_ptr<OpenClApplication>(new OpenClApplication(device, properties));
  }
  OpenClApplication(const OpenClApplication&) = delete;
  OpenClApplication& operator=(const OpenClApplication&) = delete;
  ~OpenClApplication() {
    for (const cl_mem each : memory_) cl().clReleaseMemObject(each);
    for (const cl_command_queue each : queues_) cl().clReleaseCommandQueue(each);
    cl().clReleaseContext(context_);
  }

  cl_context context() const { return context_; }
  cl_device_id device() const { return device_; }
  cl_command_queue queue() const { return queues_.front(); }
  cl_command_queue make_queue(cl_command_queue_properties properties = CL_QUEUE_PROFILING_ENABLE) {
    return queues_.emplace_back(cl().clCreateCommandQueue(context_, device_, properties, nullptr));
  }
  cl_mem make_memory(const std::vector<float>& values) {
    const cl_mem made = cl().clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                            values.size() * sizeof(float), const_cast<float*>(values.data()), nullptr);
    return memory_.emplace_back(made);
  }
  // Returns the references that a queue has once its commands are done. PoCL releases those of a command after the next
  // one of any queue has begun.
  cl_uint references(cl_command_queue queue, cl_mem memory) const {
    cl_uint least = ~cl_uint{0};
    for (int i = 0; i < 100; ++i) {
      values(memory, 1);
      cl_uint count = 0;
      cl().clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof count, &count, nullptr);
      least = std::min(least, count);
    }
    return least;
  }
  std::vector<float> values(cl_mem memory, std::size_t count) const { return values(queue(), memory, count); }
  static std::vector<float> values(cl_command_queue queue, cl_mem memory, std::size_t count) {
    std::vector<float> values(count);
    EXPECT_EQ(
        cl().clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, count * sizeof(float), values.data(), 0, nullptr, nullptr),
        CL_SUCCESS);
    return values;
  }

 private:
  static const backend::opencl::ClApi& cl() { return *backend::opencl::cl_api().value(); }

  OpenClApplication(cl_device_id device, cl_command_queue_properties properties)
      : device_(device), context_(cl().clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr)) {
    make_queue(properties);
  }

  cl_device_id device_;
  cl_context context_;
  std::vector<cl_command_queue> queues_;
  std::vector<cl_mem> memory_;
};

}  // namespace wattune::test
