// Command newtfold folds or expands the transcript on its standard input. What
// a fold removes is kept in a file, under a session.
//
//	newtfold -store spans.db -session 7 fold   < transcript.json > folded.json
//	newtfold -store spans.db -session 7 expand < folded.json > transcript.json
package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"example.com/newtfold"
)

func main() {
	path := flag.String("store", "spans.db", "the file that keeps what was removed")
	session := flag.String("session", "default", "the session in it")
	flag.Parse()
	if err := run(flag.Arg(0), *path, *session); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(verb, path, session string) error {
	if verb != "fold" && verb != "expand" {
		return fmt.Errorf("say fold or expand, not %q", verb)
	}
	store, err := newtfold.OpenStore(path, session)
	if err != nil {
		return err
	}
	defer store.Close()
	document, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	config := newtfold.DefaultConfig()
	config.Results = newtfold.ResultsAny
	var out newtfold.Outcome
	if verb == "fold" {
		out, err = newtfold.Fold(document, config, store.Mint)
	} else {
		out, err = newtfold.Expand(document, config, store.Fetch)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%v: %d tokens were %d, %d cards\n", out.Verdict, out.TokensAfter, out.TokensBefore, out.Cards)
	_, err = os.Stdout.Write(out.JSON)
	return err
}
