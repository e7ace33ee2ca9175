import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import newt.fold.Config;
import newt.fold.NewtFold;
import newt.fold.Outcome;

/** Folds the transcript on standard input; the spans become files in the folder that is named. */
class Example {
    public static void main(String[] arguments) throws Exception {
        Path spans = Files.createDirectories(Path.of(arguments[0]));
        Config config = new Config();
        config.results = Config.Results.ANY;
        Outcome outcome = NewtFold.fold(System.in.readAllBytes(), config, span -> {
            String handle = UUID.randomUUID().toString();
            Files.write(spans.resolve(handle), span);
            return handle;
        });
        System.out.write(outcome.json());
        System.err.printf("%s: %d of %d rounds, %d tokens became %d%n", outcome.verdict(),
            outcome.roundsFolded(), outcome.roundsEligible(), outcome.tokensBefore(),
            outcome.tokensAfter());
    }
}
