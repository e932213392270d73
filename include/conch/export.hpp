// What a program may link with. The library hides everything that is not marked so: it can change
// without a program noticing.
#pragma once

#define CONCH_API __attribute__((visibility("default")))
/// Of a class that is marked, a member that only the library itself calls.
#define CONCH_PRIVATE __attribute__((visibility("hidden")))
