package newt.fold;

/**
 * What a call did: {@code newt_outcome} of {@code newt_fold.h}.
 *
 * @param verdict why roundsFolded is what it is
 * @param json the document, UTF-8; null if it was written to a buffer of the caller's
 * @param handle of the newest card that this call wrote; null if none
 * @param receipt what went, what stayed and why, as JSON; null unless {@link Config#receipt}
 * @param roundsEligible complete, aged rounds that the configuration admits
 * @param roundsFolded rounds that this call folded
 * @param cards cards that stand in the document, older ones counted
 * @param messagesBefore messages of the input
 * @param messagesAfter messages of the document
 * @param tokensBefore estimated tokens of the input
 * @param tokensAfter estimated tokens of the document
 * @param prefixLength bytes at the start of the document that equal the input's
 */
public record Outcome(
        Verdict verdict,
        byte[] json,
        String handle,
        String receipt,
        long roundsEligible,
        long roundsFolded,
        long cards,
        long messagesBefore,
        long messagesAfter,
        long tokensBefore,
        long tokensAfter,
        long prefixLength) {}
