/*
 * tenon.h - opens, checks, converts and shows neural-network model files
 *
 * Opaque handles, caller-owned errors, no globals, no printing.  Returned
 * pointers are borrowed; what comes through **out is yours to close.
 */
#ifndef TENON_TENON_H
#define TENON_TENON_H

#include <tenon/allocator.h>
#include <tenon/array.h>
#include <tenon/blocks.h>
#include <tenon/bytes.h>
#include <tenon/catalog.h>
#include <tenon/chunk.h>
#include <tenon/diff.h>
#include <tenon/dtype.h>
#include <tenon/edit.h>
#include <tenon/formats.h>
#include <tenon/graph.h>
#include <tenon/interpret.h>
#include <tenon/list.h>
#include <tenon/model.h>
#include <tenon/native.h>
#include <tenon/options.h>
#include <tenon/progress.h>
#include <tenon/remote.h>
#include <tenon/rules.h>
#include <tenon/scan.h>
#include <tenon/statistics.h>
#include <tenon/status.h>
#include <tenon/tag.h>
#include <tenon/temporaries.h>
#include <tenon/verbs.h>
#include <tenon/version.h>
#include <tenon/view.h>
#include <tenon/writer.h>

#endif
