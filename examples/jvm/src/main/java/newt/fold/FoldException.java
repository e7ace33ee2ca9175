package newt.fold;

/** A refusal: the document is as it was. The message is a sentence that says what to do. */
public final class FoldException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** What kind of refusal: {@code newt_status} of {@code newt_fold.h}. */
    public enum Status {
        ARGUMENT(1), UTF8(2), JSON(3), TRANSCRIPT(4), LIMIT(5), HANDLE(6), STORE(7), NOT_FOUND(8),
        MEMORY(9), PANIC(100),
        /** A number that this class is too old to know. */
        UNKNOWN(-1);

        private final int number;

        Status(int number) {
            this.number = number;
        }

        static Status of(int number) {
            for (Status status : values()) {
                if (status.number == number) {
                    return status;
                }
            }
            return UNKNOWN;
        }
    }

    private final Status status;
    private final long offset;

    FoldException(Status status, long offset, String sentence) {
        super(sentence);
        this.status = status;
        this.offset = offset;
    }

    public Status status() {
        return status;
    }

    /** The byte of the input at fault; -1 if there is none. */
    public long offset() {
        return offset;
    }
}
