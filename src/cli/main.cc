#include "cli/program.h"

int main(int argc, char** argv) { return wattune::cli::run_program(wattune::cli::make_program(), argc, argv); }
