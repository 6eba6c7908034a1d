// WATTUNE_EXPORT: what the shared library shows to programs. All else in it is hidden.
#pragma once

#define WATTUNE_EXPORT [[gnu::visibility("default")]]
