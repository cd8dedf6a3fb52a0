/*
 * remote_xml.h - the XML of object stores: elements and text, nothing else
 *
 * Answers of a store are hostile input.  Attributes are skipped; a document
 * type, which can define entities, is refused.
 */
#ifndef TN_IO_REMOTE_XML_H
#define TN_IO_REMOTE_XML_H

#include "base/buffer.h"

#define TN_XML_DEPTH 16

enum tn_xml_event {
    TN_XML_END,   /* of the document, or after a failure                      */
    TN_XML_OPEN,  /* an element begins: `name`                                */
    TN_XML_CLOSE, /* it ends; `text` is what came after the last event        */
};

struct tn_xml {
    struct tn_bytes  whole, left;
    struct tn_bytes  stack[TN_XML_DEPTH];
    unsigned         depth;
    bool             is_empty; /* "<a/>" was opened                           */
    struct tn_bytes  name;
    struct tn_buffer text; /* with references replaced                        */
    struct tn_error *error;
};

void tn_xml_init(struct tn_xml *xml, struct tn_memory *memory,
                 struct tn_bytes document, struct tn_error *error);
void tn_xml_done(struct tn_xml *xml);

/* The next event; sets the error and returns END if it is not XML. */
enum tn_xml_event tn_xml_next(struct tn_xml *xml);

/* Whether the element that is open now is in one of that name. */
bool tn_xml_is_in(const struct tn_xml *xml, const char *name);

/* Appends text with its references ("&amp;", "&#x41;") replaced. */
bool tn_xml_unescape(struct tn_buffer *to, struct tn_bytes text);

#endif
