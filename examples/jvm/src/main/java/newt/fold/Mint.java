package newt.fold;

import java.io.IOException;

/** Gives a span a handle: the host's storage. */
@FunctionalInterface
public interface Mint {
    /**
     * Stores a span, durably, and names it.
     *
     * <p>Called on the thread that folds, once a card. Whatever it throws reaches the caller of
     * {@code fold} as the same object, and nothing is folded.
     *
     * @param span the removed messages, verbatim, UTF-8, one a line
     * @return 1 to 256 of {@code A-Z a-z 0-9 . _ ~ : / @ = + -}; null declines, and nothing is
     *     folded
     */
    String mint(byte[] span) throws IOException;
}
