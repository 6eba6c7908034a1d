#include "simulate/gpu/demand.h"

#include "simulate/gpu/gpu_units.h"

namespace wattune::inline v0_1::simulate {

void Demand::add(const Demand& other) {
  issued += other.issued;
  for (std::size_t i = 0; i < kPipes; ++i) pipes[i] += other.pipes[i];
  accesses += other.accesses;
  shared_bytes += other.shared_bytes;
  l2_bytes += other.l2_bytes;
  dram_bytes += other.dram_bytes;
}

Demand demand_of(const BlockCosts& block, std::uint64_t blocks) {
  const auto count = static_cast<double>(blocks);
  const double bytes = (block.bytes_read + block.bytes_written) * count;
  Demand demand{.issued = block.issued * count,
                .pipes = block.pipes,
                .accesses = block.accesses * count,
                .shared_bytes = block.shared_accesses * count * kLineBytes,
                .l2_bytes = bytes,
                .dram_bytes = bytes};
  for (double& each : demand.pipes) each *= count;
  return demand;
}

Demand demand_of(const SimulatedKernel& kernel, double instructions) {
  Demand demand{.issued = instructions,
                .pipes = kernel.mix,
                .accesses = (kernel.coalesced + kernel.scattered + kernel.l1_bytes / kLineBytes) * instructions,
                .shared_bytes = kernel.l1_bytes * instructions,
                .l2_bytes = kernel.l2_bytes() * instructions,
                .dram_bytes = kernel.dram_bytes(kernel.l2_hit) * instructions};
  of_pipe(demand.pipes, Pipe::memory) += kernel.requests();
  for (double& each : demand.pipes) each *= instructions;
  return demand;
}

}  // namespace wattune::simulate
