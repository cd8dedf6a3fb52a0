/* version.h - the one place that says which release this is; CMake reads it. */
#ifndef TENON_VERSION_H
#define TENON_VERSION_H

#define TN_VERSION_MAJOR 0
#define TN_VERSION_MINOR 2
#define TN_VERSION_PATCH 0
#define TN_VERSION_STRING "0.2.0"

#endif
