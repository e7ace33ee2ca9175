/* The layout of the structs is the ABI: fixed numbers for 64 and 32 bits.
 * Appended fields add lines here; a line that changes is a broken ABI. */
#include "newt_fold.h"

#define WORD(bits64, bits32) (sizeof(void *) == 8 ? (bits64) : (bits32))
#define AT(type, field, bits64, bits32) \
    _Static_assert(offsetof(type, field) == WORD(bits64, bits32), #type "." #field)
#define SIZE(type, bits64, bits32) _Static_assert(sizeof(type) == WORD(bits64, bits32), #type)

SIZE(newt_status, 4, 4);
SIZE(newt_verdict, 4, 4);

AT(newt_config, struct_size, 0, 0);
AT(newt_config, keep_last, 4, 4);
AT(newt_config, min_rounds, 8, 8);
AT(newt_config, format, 12, 12);
AT(newt_config, results, 16, 16);
AT(newt_config, grouping, 20, 20);
AT(newt_config, card, 24, 24);
AT(newt_config, max_card_lines, 28, 28);
AT(newt_config, note_chars, 32, 32);
AT(newt_config, result_chars, 36, 36);
AT(newt_config, min_reclaim, 40, 40);
AT(newt_config, bytes_per_token, 44, 44);
AT(newt_config, flags, 48, 48);
AT(newt_config, reserved, 52, 52);
AT(newt_config, fetch_tool, 56, 56);
AT(newt_config, keep_tools, 64, 60);
AT(newt_config, keep_tools_len, 72, 64);
SIZE(newt_config, 80, 68);

AT(newt_outcome, status, 0, 0);
AT(newt_outcome, verdict, 4, 4);
AT(newt_outcome, json, 8, 8);
AT(newt_outcome, json_len, 16, 12);
AT(newt_outcome, handle, 24, 16);
AT(newt_outcome, handle_len, 32, 20);
AT(newt_outcome, error, 40, 24);
AT(newt_outcome, error_offset, 48, 28);
AT(newt_outcome, rounds_eligible, 56, 32);
AT(newt_outcome, rounds_folded, 64, 36);
AT(newt_outcome, cards, 72, 40);
AT(newt_outcome, messages_before, 80, 44);
AT(newt_outcome, messages_after, 88, 48);
AT(newt_outcome, tokens_before, 96, 52);
AT(newt_outcome, tokens_after, 104, 56);
AT(newt_outcome, prefix_len, 112, 60);
AT(newt_outcome, receipt, 120, 64);
AT(newt_outcome, receipt_len, 128, 68);
SIZE(newt_outcome, 136, 72);

AT(newt_text, status, 0, 0);
AT(newt_text, text, 8, 4);
AT(newt_text, text_len, 16, 8);
AT(newt_text, error, 24, 12);
SIZE(newt_text, 32, 16);

int main(void)
{
    return 0;
}
