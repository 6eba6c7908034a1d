#include "backend/opencl/cl_error.h"

#include <fmt/format.h>

#include <utility>

namespace wattune::inline v0_1::backend::opencl {

namespace {

constexpr cl_int kPlatformNotFound = -1001;  // CL_PLATFORM_NOT_FOUND_KHR, a code of the loader
constexpr cl_int kNvidiaIllegalAccess = -9999;

#define WATTUNE_CL_CODE(code) \
  { code, #code }
constexpr std::pair<cl_int, std::string_view> kNames[] = {
    WATTUNE_CL_CODE(CL_DEVICE_NOT_FOUND),
    WATTUNE_CL_CODE(CL_DEVICE_NOT_AVAILABLE),
    WATTUNE_CL_CODE(CL_COMPILER_NOT_AVAILABLE),
    WATTUNE_CL_CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    WATTUNE_CL_CODE(CL_OUT_OF_RESOURCES),
    WATTUNE_CL_CODE(CL_OUT_OF_HOST_MEMORY),
    WATTUNE_CL_CODE(CL_PROFILING_INFO_NOT_AVAILABLE),
    WATTUNE_CL_CODE(CL_MEM_COPY_OVERLAP),
    WATTUNE_CL_CODE(CL_BUILD_PROGRAM_FAILURE),
    WATTUNE_CL_CODE(CL_MAP_FAILURE),
    WATTUNE_CL_CODE(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    WATTUNE_CL_CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    WATTUNE_CL_CODE(CL_COMPILE_PROGRAM_FAILURE),
    WATTUNE_CL_CODE(CL_LINKER_NOT_AVAILABLE),
    WATTUNE_CL_CODE(CL_LINK_PROGRAM_FAILURE),
    WATTUNE_CL_CODE(CL_KERNEL_ARG_INFO_NOT_AVAILABLE),
    WATTUNE_CL_CODE(CL_INVALID_VALUE),
    WATTUNE_CL_CODE(CL_INVALID_PLATFORM),
    WATTUNE_CL_CODE(CL_INVALID_DEVICE),
    WATTUNE_CL_CODE(CL_INVALID_CONTEXT),
    WATTUNE_CL_CODE(CL_INVALID_QUEUE_PROPERTIES),
    WATTUNE_CL_CODE(CL_INVALID_COMMAND_QUEUE),
    WATTUNE_CL_CODE(CL_INVALID_MEM_OBJECT),
    WATTUNE_CL_CODE(CL_INVALID_BINARY),
    WATTUNE_CL_CODE(CL_INVALID_BUILD_OPTIONS),
    WATTUNE_CL_CODE(CL_INVALID_PROGRAM),
    WATTUNE_CL_CODE(CL_INVALID_PROGRAM_EXECUTABLE),
    WATTUNE_CL_CODE(CL_INVALID_KERNEL_NAME),
    WATTUNE_CL_CODE(CL_INVALID_KERNEL_DEFINITION),
    WATTUNE_CL_CODE(CL_INVALID_KERNEL),
    WATTUNE_CL_CODE(CL_INVALID_ARG_INDEX),
    WATTUNE_CL_CODE(CL_INVALID_ARG_VALUE),
    WATTUNE_CL_CODE(CL_INVALID_ARG_SIZE),
    WATTUNE_CL_CODE(CL_INVALID_KERNEL_ARGS),
    WATTUNE_CL_CODE(CL_INVALID_WORK_DIMENSION),
    WATTUNE_CL_CODE(CL_INVALID_WORK_GROUP_SIZE),
    WATTUNE_CL_CODE(CL_INVALID_WORK_ITEM_SIZE),
    WATTUNE_CL_CODE(CL_INVALID_GLOBAL_OFFSET),
    WATTUNE_CL_CODE(CL_INVALID_EVENT_WAIT_LIST),
    WATTUNE_CL_CODE(CL_INVALID_EVENT),
    WATTUNE_CL_CODE(CL_INVALID_OPERATION),
    WATTUNE_CL_CODE(CL_INVALID_BUFFER_SIZE),
    WATTUNE_CL_CODE(CL_INVALID_GLOBAL_WORK_SIZE),
    WATTUNE_CL_CODE(CL_INVALID_PROPERTY),
    WATTUNE_CL_CODE(CL_INVALID_COMPILER_OPTIONS),
    WATTUNE_CL_CODE(CL_INVALID_LINKER_OPTIONS),
    {kPlatformNotFound, "CL_PLATFORM_NOT_FOUND_KHR"},
    {kNvidiaIllegalAccess, "NVIDIA_ILLEGAL_ACCESS"},
};
#undef WATTUNE_CL_CODE

ErrorCode meaning(cl_int code) {
  switch (code) {
    case CL_BUILD_PROGRAM_FAILURE:
    case CL_COMPILE_PROGRAM_FAILURE:
    case CL_LINK_PROGRAM_FAILURE:
    case CL_INVALID_BUILD_OPTIONS:
    case CL_INVALID_COMPILER_OPTIONS:
    case CL_INVALID_LINKER_OPTIONS: return ErrorCode::compile_failed;
    case CL_INVALID_ARG_INDEX:
    case CL_INVALID_ARG_VALUE:
    case CL_INVALID_ARG_SIZE:
    case CL_INVALID_KERNEL_ARGS: return ErrorCode::mismatch;
    case CL_INVALID_KERNEL_NAME: return ErrorCode::not_found;
    case CL_INVALID_BUFFER_SIZE: return ErrorCode::invalid_argument;
    case CL_DEVICE_NOT_FOUND:
    case CL_COMPILER_NOT_AVAILABLE:
    case CL_LINKER_NOT_AVAILABLE:
    case CL_PROFILING_INFO_NOT_AVAILABLE:
    case kPlatformNotFound: return ErrorCode::unavailable;
    case CL_DEVICE_NOT_AVAILABLE: return ErrorCode::device_lost;
    // All other codes mean that work was refused or aborted: too many resources, memory exhausted, an illegal access.
    default: return ErrorCode::launch_failed;
  }
}

}  // namespace

std::string_view cl_name(cl_int code) {
  for (const auto& [value, name] : kNames)
    if (value == code) return name;
  return "CL_ERROR";
}

Error cl_error(cl_int code, std::string_view doing) {
  return Error(meaning(code), fmt::format("{} failed", doing)).native(code, std::string(cl_name(code)));
}

}  // namespace wattune::backend::opencl
