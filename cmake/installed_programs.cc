// Where the programs of an installed Wattune are: compiled into each program that is linked with its library, which may
// have been installed anywhere (src/backend/compile/own_program.cc).
extern "C" const char* wattune_installed_programs();
extern "C" const char* wattune_installed_programs() { return WATTUNE_INSTALLED_PROGRAMS; }
