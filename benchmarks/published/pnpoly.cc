// Which points lie in a polygon, for checking pnpoly.toml.
#include <cstddef>

namespace {
struct Point {
  float x, y;
};
}  // namespace

extern "C" void reference(void* const* arguments, const std::size_t*) {
  auto* bitmap = static_cast<int*>(arguments[0]);
  const auto* points = static_cast<const Point*>(arguments[1]);
  const int n = *static_cast<const int*>(arguments[2]);
  const auto* vertices = static_cast<const Point*>(arguments[3]);
  constexpr int kVertices = 600;
  for (int i = 0; i < n; ++i) {
    const Point point = points[i];
    int crossings = 0;
    for (int j = 0, k = kVertices - 1; j < kVertices; k = j++) {
      const Point a = vertices[j];
      const Point b = vertices[k];
      if ((a.y > point.y) == (b.y > point.y)) continue;
      const double slope = (static_cast<double>(b.x) - a.x) / (static_cast<double>(b.y) - a.y);
      if (point.x < a.x + slope * (static_cast<double>(point.y) - a.y)) ++crossings;
    }
    bitmap[i] = crossings % 2;
  }
}
