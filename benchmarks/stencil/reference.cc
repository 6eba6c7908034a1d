// A step of Jacobi's method on a grid, for checking stencil.cl and stencil.cu.
#include <cstddef>

extern "C" void reference(void* const* arguments, const std::size_t*) {
  const auto* from = static_cast<const float*>(arguments[0]);
  auto* to = static_cast<float*>(arguments[1]);
  const std::ptrdiff_t width = *static_cast<const int*>(arguments[2]);
  const std::ptrdiff_t height = *static_cast<const int*>(arguments[3]);
  const std::ptrdiff_t depth = *static_cast<const int*>(arguments[4]);
  const double centre = *static_cast<const float*>(arguments[5]);
  const double neighbour = *static_cast<const float*>(arguments[6]);
  const std::ptrdiff_t plane = width * height;
  const auto on_a_face = [](std::ptrdiff_t at, std::ptrdiff_t extent) { return at == 0 || at == extent - 1; };
  for (std::ptrdiff_t z = 0; z < depth; ++z)
    for (std::ptrdiff_t y = 0; y < height; ++y)
      for (std::ptrdiff_t x = 0; x < width; ++x) {
        const std::ptrdiff_t at = z * plane + y * width + x;
        to[at] = from[at];
        if (on_a_face(x, width) || on_a_face(y, height) || on_a_face(z, depth)) continue;
        const double around = static_cast<double>(from[at - 1]) + from[at + 1] + from[at - width] + from[at + width] +
                              from[at - plane] + from[at + plane];
        to[at] = static_cast<float>(centre * from[at] + neighbour * around);
      }
}
