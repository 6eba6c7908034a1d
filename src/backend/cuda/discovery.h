// Lists the CUDA devices of this machine.
#pragma once

#include <vector>

#include "backend/cuda/cu_api.h"
#include "wattune/core/device_info.h"

namespace wattune::inline v0_1::backend::cuda {

struct CuDevice {
  CUdevice id = 0;
  DeviceInfo info;
  unsigned max_threads_per_unit = 0;  // threads that a multiprocessor can hold at once
  std::string pci_bus_id;             // "0000:3B:00.0"
  std::size_t plain_local_bytes = 0;  // shared memory that a block gets without requesting more
  std::size_t unit_local_bytes = 0;   // largest shared memory of a multiprocessor
};

// Lists the devices. Fails with unavailable, and the reason, if there are none.
Result<std::vector<CuDevice>> list_devices();

}  // namespace wattune::backend::cuda
