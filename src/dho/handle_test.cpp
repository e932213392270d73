#include "dho/handle.hpp"

#include <gtest/gtest.h>

#include "dho/lock_manager.hpp"
