package newt.fold;

/** Why {@link Outcome#roundsFolded} is what it is. In the order of {@code newt_verdict}. */
public enum Verdict {
    /** Never in an outcome: the call was refused. */
    NONE,
    /** The document changed. */
    FOLDED,
    /** Too few rounds would go. */
    NOTHING,
    /** The document would not have become smaller, or not by enough. */
    NOT_SMALLER,
    /** The mint declined. */
    DECLINED,
    /** There was no mint; with one a fold would go ahead. */
    PLANNED,
    /** A number that this class is too old to know. */
    UNKNOWN;

    static Verdict of(long number) {
        return number < UNKNOWN.ordinal() ? values()[(int) number] : UNKNOWN;
    }
}
