/* pb_text_read_fuzz.c - text that is accepted prints and is accepted again,
 * and when no loss is reported, with the same bytes */
#include "support/pb_again.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct pb_sample *sample = pb_sample_kept();

    assert(sample);
    pb_fuzz_spelling(sample,
                     size && data[0] == '#' ? sample->three : sample->two,
                     TN_PB_AS_TEXT, tn_bytes(data, size));
    return 0;
}
