// The mean of 3 * 3 pixels, those at the edge counted again where there are no more.
kernel void blur(write_only image2d_t blurred, read_only image2d_t picture, sampler_t nearest, int columns, int rows) {
  const int x = get_global_id(0);
  if (x >= columns) return;
  const int first = get_global_id(1) * rows_per_item;
  for (int y = first; y < min(first + rows_per_item, rows); ++y) {
    float4 sum = (float4)(0.0f);
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) sum += read_imagef(picture, nearest, (int2)(x + dx, y + dy));
    write_imagef(blurred, (int2)(x, y), sum / 9.0f);
  }
}
