// Commands that run one after another on the thread of a session.
#pragma once

#include "backend/host/session.h"
#include "wattune/backend/device.h"

namespace wattune::inline v0_1::backend::host {

std::unique_ptr<Stream> make_stream(const std::shared_ptr<Session>& session);

}  // namespace wattune::backend::host
