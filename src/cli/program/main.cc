#include "cli/program/main.h"

int main(int argc, char** argv) { return wattune::cli::run_wattune(argc, argv); }
