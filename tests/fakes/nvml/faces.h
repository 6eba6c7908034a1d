// The two kinds of BoardFace.
#pragma once

#include <memory>

#include "fakes/nvml/board_face.h"
#include "simulate/interface/board_model.h"

namespace wattune::fakes {

std::unique_ptr<BoardFace> constant_face(unsigned device);
std::unique_ptr<BoardFace> simulated_face(unsigned device, const simulate::BoardModel& model);

}  // namespace wattune::fakes
