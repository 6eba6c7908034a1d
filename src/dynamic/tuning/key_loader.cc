#include "dynamic/tuning/key_loader.h"

namespace wattune::inline v0_1::dynamic {

// Announces the configurations only if they changed, because an announcement takes a pass over the candidates of all
// keys.
void KeyLoader::expect(std::vector<Configuration> configurations, bool urgently) {
  if (expected_ == configurations && is_urgent_ == urgently) return;
  variants().expect(this, *kernel_.problem, configurations, urgently);
  expected_ = std::move(configurations);
  is_urgent_ = urgently;
}

void KeyLoader::end() {
  kernel_.around.loader.drop(this);
  variants().expect(this, *kernel_.problem, {});
}

}  // namespace wattune::dynamic
