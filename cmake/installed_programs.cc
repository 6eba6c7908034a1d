// The folder of the programs of an installed Wattune. It is compiled into each program that is linked with Wattune's
// library, because the installation may be anywhere (src/backend/compile/own_program.cc).
extern "C" const char* wattune_installed_programs();
extern "C" const char* wattune_installed_programs() { return WATTUNE_INSTALLED_PROGRAMS; }
