package newt.fold;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * What a fold may do: {@code newt_config} of {@code newt_fold.h}, field by field.
 *
 * <p>Not to be written to while a call that was given it runs.
 */
public final class Config {
    /** Wire format of the transcript. */
    public enum Format { AUTO, CHAT, ANTHROPIC, RESPONSES, GEMINI }

    /** Which results let a round fold. */
    public enum Results { ONE_LINED, ANY }

    /** One card a run of rounds, or one for all. */
    public enum Grouping { RUNS, ALL }

    /** Whose message a card is. */
    public enum Card { USER, ASSISTANT, TOOL }

    /** Messages at the end that are never touched. */
    public int keepLast;
    /** Fewer rounds than this fold nothing. */
    public int minRounds;
    public Format format;
    public Results results;
    public Grouping grouping;
    public Card card;
    /** Lines of rounds in a card, at least 1. */
    public int maxCardLines;
    /** Characters of the prose beside a call that the card keeps. */
    public int noteChars;
    /** With {@link Results#ANY}: results this short are shown whole. */
    public int resultChars;
    /** Estimated tokens that a fold must win. */
    public int minReclaim;
    /** Bytes that make a token in the estimate, at least 1. */
    public int bytesPerToken;
    /** Whether {@link Outcome#receipt} is wanted. */
    public boolean receipt;
    /** The tool that a card tells the model to call; null is the library's default, "" is none. */
    public String fetchTool;
    /** Rounds that call one of these tools never fold. */
    public String[] keepTools = {};

    /** The library's defaults. */
    public Config() {
        int[] numbers = new int[NUMBERS];
        Native.defaults(numbers);
        keepLast = numbers[0];
        minRounds = numbers[1];
        format = Format.values()[numbers[2]];
        results = Results.values()[numbers[3]];
        grouping = Grouping.values()[numbers[4]];
        card = Card.values()[numbers[5]];
        maxCardLines = numbers[6];
        noteChars = numbers[7];
        resultChars = numbers[8];
        minReclaim = numbers[9];
        bytesPerToken = numbers[10];
        receipt = (numbers[11] & FLAG_RECEIPT) != 0;
    }

    /** The fields from {@code keep_last} to {@code flags}, all of them 32 bits wide. */
    static final int NUMBERS = 12;

    private static final int FLAG_RECEIPT = 1;

    int[] numbers() {
        return new int[] {
            keepLast, minRounds, format.ordinal(), results.ordinal(), grouping.ordinal(),
            card.ordinal(), maxCardLines, noteChars, resultChars, minReclaim, bytesPerToken,
            receipt ? FLAG_RECEIPT : 0,
        };
    }

    /** The names of tools as C strings, one behind another: those to keep, then the fetch tool. */
    byte[] names() {
        ByteArrayOutputStream names = new ByteArrayOutputStream();
        for (String tool : keepTools) {
            add(names, tool);
        }
        if (fetchTool != null) {
            add(names, fetchTool);
        }
        return names.toByteArray();
    }

    private static void add(ByteArrayOutputStream names, String tool) {
        if (tool.indexOf('\0') >= 0) {
            throw new IllegalArgumentException(
                "the name of a tool has a NUL at " + tool.indexOf('\0') + ", where C would end it");
        }
        byte[] name = tool.getBytes(StandardCharsets.UTF_8);
        names.write(name, 0, name.length);
        names.write(0);
    }
}
