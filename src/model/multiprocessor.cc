#include "model/multiprocessor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace wattune::inline v0_1::model {

namespace {

constexpr std::size_t kKilobyte = 1024;
constexpr unsigned kKiloregister = 1024;

// The numbers that differ between GPUs of a generation.
struct Row {
  ComputeCapability gpu;
  unsigned warps;
  unsigned blocks;
  unsigned kiloregisters;
  unsigned kiloregisters_per_block;
  std::size_t shared_kilobytes;
  std::size_t shared_kilobytes_per_block;
};

// Source: CUDA C++ Programming Guide, technical specifications per compute capability. docs/model.md tells which
// numbers were checked against which version of NVIDIA's occupancy calculator.
constexpr std::array kRows = {Row{{2, 0}, 48, 8, 32, 32, 48, 48},     Row{{2, 1}, 48, 8, 32, 32, 48, 48},
                              Row{{3, 0}, 64, 16, 64, 64, 48, 48},    Row{{3, 2}, 64, 16, 64, 32, 48, 48},
                              Row{{3, 5}, 64, 16, 64, 64, 48, 48},    Row{{3, 7}, 64, 16, 128, 64, 112, 48},
                              Row{{5, 0}, 64, 32, 64, 64, 64, 48},    Row{{5, 2}, 64, 32, 64, 64, 96, 48},
                              Row{{5, 3}, 64, 32, 64, 32, 64, 48},    Row{{6, 0}, 64, 32, 64, 64, 64, 48},
                              Row{{6, 1}, 64, 32, 64, 64, 96, 48},    Row{{6, 2}, 64, 32, 64, 32, 64, 48},
                              Row{{7, 0}, 64, 32, 64, 64, 96, 96},    Row{{7, 2}, 64, 32, 64, 64, 96, 96},
                              Row{{7, 5}, 32, 16, 64, 64, 64, 64},    Row{{8, 0}, 64, 32, 64, 64, 164, 163},
                              Row{{8, 6}, 48, 16, 64, 64, 100, 99},   Row{{8, 7}, 48, 16, 64, 64, 164, 163},
                              Row{{8, 9}, 48, 24, 64, 64, 100, 99},   Row{{9, 0}, 64, 32, 64, 64, 228, 227},
                              Row{{10, 0}, 64, 32, 64, 64, 228, 227}, Row{{10, 3}, 64, 32, 64, 64, 228, 227},
                              Row{{11, 0}, 48, 24, 64, 64, 228, 227}, Row{{12, 0}, 48, 24, 64, 64, 100, 99},
                              Row{{12, 1}, 48, 24, 64, 64, 100, 99}};

// Returns the carveouts below the largest one, in kilobytes.
std::vector<std::size_t> smaller_carveouts(const Row& row) {
  const std::size_t whole = row.shared_kilobytes;
  if (row.gpu.major == 2) return {16};
  if (row.gpu.major == 3) return {whole - 32, whole - 16};
  if (row.gpu.major < 7) return {};
  if (row.gpu == ComputeCapability{7, 5}) return {32};
  return {0, 8, 16, 32, 64, 100, 132, 164, 196};
}

std::vector<std::size_t> carveouts_of(const Row& row) {
  std::vector<std::size_t> bytes;
  for (const std::size_t kilobytes : smaller_carveouts(row))
    if (kilobytes < row.shared_kilobytes) bytes.push_back(kilobytes * kKilobyte);
  bytes.push_back(row.shared_kilobytes * kKilobyte);
  return bytes;
}

unsigned partitions_of(ComputeCapability gpu) { return gpu.major == 2 || gpu == ComputeCapability{6, 0} ? 2 : 4; }

std::size_t shared_unit_of(unsigned major) { return major >= 3 && major < 8 ? 256 : 128; }

// Returns the number of barriers of an SM; NVIDIA's calculator counts barriers from Hopper on. Small SMs have one
// barrier per block that they hold, and large SMs have two.
unsigned barriers_of(const Row& row) {
  if (row.gpu.major < 9) return 0;
  return row.warps == 64 ? 2 * row.blocks : row.blocks;
}

std::string known() {
  std::string list;
  for (const Row& row : kRows) list += fmt::format("{}{}.{}", list.empty() ? "" : ", ", row.gpu.major, row.gpu.minor);
  return list;
}

Multiprocessor make(const Row& row) {
  return {.gpu = row.gpu,
          .warps = row.warps,
          .blocks = row.blocks,
          .registers = row.kiloregisters * kKiloregister,
          .registers_per_block = row.kiloregisters_per_block * kKiloregister,
          .registers_per_thread = row.gpu <= ComputeCapability{3, 0} ? 63u : 255u,
          .register_unit = row.gpu.major == 2 ? 64u : 256u,
          .partitions = partitions_of(row.gpu),
          // When a block is checked, a GP100 counts as a GP10x: a block that runs on no GP10x may not run on a GP100
          // either.
          .partitions_checked = row.gpu.major == 6 ? 4 : partitions_of(row.gpu),
          .shared_unit = shared_unit_of(row.gpu.major),
          .shared_bytes_per_block = row.shared_kilobytes_per_block * kKilobyte,
          .shared_bytes_reserved = row.gpu.major >= 8 ? kKilobyte : 0,
          .carveouts = carveouts_of(row),
          .barriers = barriers_of(row)};
}

std::vector<Multiprocessor> make_table() {
  std::vector<Multiprocessor> table;
  for (const Row& row : kRows) table.push_back(make(row));
  return table;
}

}  // namespace

Result<const Multiprocessor*> multiprocessor(ComputeCapability gpu) {
  static const std::vector<Multiprocessor> table = make_table();
  const auto found = std::ranges::find(table, gpu, &Multiprocessor::gpu);
  if (found != table.end()) return &*found;
  return Error(ErrorCode::not_found, "the limits of this compute capability are not known")
      .about(fmt::format("{}.{}", gpu.major, gpu.minor))
      .hint("known are " + known());
}

}  // namespace wattune::model
