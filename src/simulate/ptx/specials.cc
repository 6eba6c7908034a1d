#include "simulate/ptx/specials.h"

#include <algorithm>
#include <array>

#include "simulate/ptx/block.h"

namespace wattune::inline v0_1::simulate::ptx {

namespace {

struct SpecialPlace {
  Block& block;
  unsigned warp;
  unsigned lane;

  Index3 thread() const { return index_at(std::uint64_t{warp} * kLanes + lane, block.launch().block); }
};

struct SpecialRow {
  std::string_view name;
  std::uint32_t (*value)(const SpecialPlace&);
};

template <std::size_t axis>
std::uint32_t thread_index(const SpecialPlace& at) {
  return at.thread()[axis];
}
template <std::size_t axis>
std::uint32_t block_extent(const SpecialPlace& at) {
  return at.block.launch().block[axis];
}
template <std::size_t axis>
std::uint32_t block_index(const SpecialPlace& at) {
  return at.block.index()[axis];
}
template <std::size_t axis>
std::uint32_t grid_extent(const SpecialPlace& at) {
  return at.block.launch().grid[axis];
}
std::uint32_t zero(const SpecialPlace& /*at*/) { return 0; }
std::uint32_t one(const SpecialPlace& /*at*/) { return 1; }
LaneMask lanes_below(unsigned lane) { return bit(lane) - 1; }

// The special registers. A launch without clusters has clusters of one block. Each %envreg is zero.
constexpr std::array kSpecials = {
    SpecialRow{"%tid.x", thread_index<0>},
    SpecialRow{"%tid.y", thread_index<1>},
    SpecialRow{"%tid.z", thread_index<2>},
    SpecialRow{"%ntid.x", block_extent<0>},
    SpecialRow{"%ntid.y", block_extent<1>},
    SpecialRow{"%ntid.z", block_extent<2>},
    SpecialRow{"%ctaid.x", block_index<0>},
    SpecialRow{"%ctaid.y", block_index<1>},
    SpecialRow{"%ctaid.z", block_index<2>},
    SpecialRow{"%nctaid.x", grid_extent<0>},
    SpecialRow{"%nctaid.y", grid_extent<1>},
    SpecialRow{"%nctaid.z", grid_extent<2>},
    SpecialRow{"%laneid", [](const SpecialPlace& at) { return std::uint32_t{at.lane}; }},
    SpecialRow{"%warpid", [](const SpecialPlace& at) { return std::uint32_t{at.warp}; }},
    SpecialRow{"%nwarpid", [](const SpecialPlace& at) { return at.block.warps(); }},
    SpecialRow{"%smid",
               [](const SpecialPlace& at) {
                 return static_cast<std::uint32_t>(at.block.place() % at.block.launch().multiprocessors);
               }},
    SpecialRow{"%nsmid", [](const SpecialPlace& at) { return at.block.launch().multiprocessors; }},
    SpecialRow{"%gridid", one},
    SpecialRow{"%lanemask_eq", [](const SpecialPlace& at) { return bit(at.lane); }},
    SpecialRow{"%lanemask_lt", [](const SpecialPlace& at) { return lanes_below(at.lane); }},
    SpecialRow{"%lanemask_le", [](const SpecialPlace& at) { return lanes_below(at.lane) | bit(at.lane); }},
    SpecialRow{"%lanemask_gt", [](const SpecialPlace& at) { return ~(lanes_below(at.lane) | bit(at.lane)); }},
    SpecialRow{"%lanemask_ge", [](const SpecialPlace& at) { return ~lanes_below(at.lane); }},
    SpecialRow{"%dynamic_smem_size", [](const SpecialPlace& at) { return at.block.launch().dynamic_shared_bytes; }},
    SpecialRow{"%total_smem_size", [](const SpecialPlace& at) { return at.block.launch().shared_bytes; }},
    SpecialRow{"%aggr_smem_size", [](const SpecialPlace& at) { return at.block.launch().shared_bytes; }},
    SpecialRow{"%reserved_smem_offset_begin", zero},
    SpecialRow{"%reserved_smem_offset_end", zero},
    SpecialRow{"%reserved_smem_offset_cap", zero},
    SpecialRow{"%clusterid.x", block_index<0>},
    SpecialRow{"%clusterid.y", block_index<1>},
    SpecialRow{"%clusterid.z", block_index<2>},
    SpecialRow{"%nclusterid.x", grid_extent<0>},
    SpecialRow{"%nclusterid.y", grid_extent<1>},
    SpecialRow{"%nclusterid.z", grid_extent<2>},
    SpecialRow{"%cluster_ctaid.x", zero},
    SpecialRow{"%cluster_ctaid.y", zero},
    SpecialRow{"%cluster_ctaid.z", zero},
    SpecialRow{"%cluster_nctaid.x", one},
    SpecialRow{"%cluster_nctaid.y", one},
    SpecialRow{"%cluster_nctaid.z", one},
    SpecialRow{"%cluster_ctarank", zero},
    SpecialRow{"%cluster_nctarank", one},
    SpecialRow{"%envreg", zero},
};

}  // namespace

std::optional<std::uint32_t> special_named(std::string_view name) {
  if (name.starts_with("%envreg")) name = "%envreg";
  const auto found = std::ranges::find(kSpecials, name, &SpecialRow::name);
  if (found == kSpecials.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - kSpecials.begin());
}

std::uint32_t special_value(std::uint32_t special, Block& block, unsigned warp, unsigned lane) {
  return kSpecials[special].value({block, warp, lane});
}

}  // namespace wattune::simulate::ptx
