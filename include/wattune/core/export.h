// WATTUNE_EXPORT marks the functions and classes that the shared library shows to programs. It hides all others.
#pragma once

#define WATTUNE_EXPORT [[gnu::visibility("default")]]
