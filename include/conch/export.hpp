// What a program may link with. The library hides every other symbol, so those can change without
// breaking a program.
#pragma once

#define CONCH_API __attribute__((visibility("default")))
/// Marks a member of an exported class that only the library itself calls.
#define CONCH_PRIVATE __attribute__((visibility("hidden")))
