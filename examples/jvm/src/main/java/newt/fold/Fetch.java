package newt.fold;

import java.io.IOException;

/** Gives a span back: the host's storage. */
@FunctionalInterface
public interface Fetch {
    /**
     * Finds the span that was minted under a handle.
     *
     * <p>Called on the thread that expands. Whatever it throws reaches the caller of
     * {@code expand} as the same object.
     *
     * @return the span; null where nothing is kept under this handle, and the card stays
     */
    byte[] fetch(String handle) throws IOException;
}
