// Command newtfold folds the transcript on its standard input and prints the
// folded one. What was removed goes into a folder, a file for each handle.
//
//	newtfold -spans DIR < transcript.json > folded.json
package main

import (
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"

	"example.com/newtfold"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	spans := flag.String("spans", "spans", "the folder that keeps what was removed")
	config := newtfold.DefaultConfig()
	config.Results = newtfold.ResultsAny
	keep := flag.Uint("keep", uint(config.KeepLast), "messages at the end that stay")
	flag.Parse()
	config.KeepLast = uint32(*keep)

	transcript, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	folded, err := newtfold.Fold(transcript, config, func(span []byte) (string, error) {
		digest := fnv.New64a()
		digest.Write(span)
		handle := fmt.Sprintf("%016x", digest.Sum64())
		return handle, os.WriteFile(filepath.Join(*spans, handle), span, 0o600)
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%d rounds folded (%s), %d of %d tokens left\n",
		folded.RoundsFolded, folded.Verdict, folded.TokensAfter, folded.TokensBefore)
	_, err = os.Stdout.Write(folded.JSON)
	return err
}
