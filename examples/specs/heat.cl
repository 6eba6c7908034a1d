// One step: each cell that is not at the edge comes a fifth nearer to the mean of its neighbours.
kernel void spread(global float* next, global const float* plate, int pitch, int rows) {
  const int x = get_global_id(0);
  if (x >= pitch) return;
  const int first = get_global_id(1) * rows_per_item;
  for (int y = first; y < min(first + rows_per_item, rows); ++y) {
    const int i = y * pitch + x;
    const float here = plate[i];
    const bool edge = x == 0 || y == 0 || x == pitch - 1 || y == rows - 1;
    if (edge) {
      next[i] = here;
    } else {
      const float mean = 0.25f * (plate[i - 1] + plate[i + 1] + plate[i - pitch] + plate[i + pitch]);
      next[i] = here + 0.2f * (mean - here);
    }
  }
}
