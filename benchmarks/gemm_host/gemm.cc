// Matrix multiplication on the host: every thread computes tiles of C, each as a sum of products of tiles of A and B.
extern "C" void gemm(const float* a, const float* b, float* c, int size) {
#pragma omp parallel for collapse(2) schedule(SCHEDULE) num_threads(THREADS)
  for (int row = 0; row < size; row += TILE_ROWS)
    for (int column = 0; column < size; column += TILE_COLUMNS) {
      float sum[TILE_ROWS][TILE_COLUMNS] = {};
      for (int depth = 0; depth < size; depth += TILE_DEPTH)
        for (int i = 0; i < TILE_ROWS; i += ROWS_AT_ONCE)
          for (int k = depth; k < depth + TILE_DEPTH; ++k)
            for (int j = 0; j < TILE_COLUMNS; ++j)
              for (int r = 0; r < ROWS_AT_ONCE; ++r)
                sum[i + r][j] += a[(row + i + r) * size + k] * b[k * size + column + j];
      for (int i = 0; i < TILE_ROWS; ++i)
        for (int j = 0; j < TILE_COLUMNS; ++j) c[(row + i) * size + column + j] = sum[i][j];
    }
}
