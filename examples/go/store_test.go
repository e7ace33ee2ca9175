package newtfold_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"example.com/newtfold"
)

func open(t *testing.T, path, session string) *newtfold.Store {
	t.Helper()
	store, err := newtfold.OpenStore(path, session)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

func TestExpandRestores(t *testing.T) {
	tools := config()
	tools.Card = newtfold.CardTool
	standard := newtfold.DefaultConfig()
	standard.Results = newtfold.ResultsAny
	for _, test := range []struct {
		name       string
		transcript []byte
		config     newtfold.Config
	}{
		{"two runs", session, config()},
		{"cards of tools", session, tools},
		{"the golden transcript", read(t, "../golden/transcript.json"), standard},
	} {
		t.Run(test.name, func(t *testing.T) {
			store := open(t, "", "")
			folded, err := newtfold.Fold(test.transcript, test.config, store.Mint)
			if err != nil || folded.Verdict != newtfold.VerdictFolded || folded.TokensAfter >= folded.TokensBefore {
				t.Fatalf("%v: %v, %d of %d tokens", err, folded.Verdict, folded.TokensAfter, folded.TokensBefore)
			}
			whole, err := newtfold.Expand(folded.JSON, test.config, store.Fetch)
			if err != nil || !bytes.Equal(whole.JSON, test.transcript) {
				t.Errorf("%v: %s", err, whole.JSON)
			}
		})
	}
}

func TestFetchThatFails(t *testing.T) {
	folded, err := newtfold.Fold(session, config(), kept{}.mint)
	if err != nil {
		t.Fatal(err)
	}
	lost := errors.New("the disk is gone")
	var panicked *newtfold.PanicError
	for _, test := range []struct {
		name  string
		fetch newtfold.Fetch
		fails func(error) bool
	}{
		{"no fetch", nil, func(err error) bool { return err == nil }},
		{"has nothing", func(string) ([]byte, error) { return nil, newtfold.ErrNotFound }, func(err error) bool { return err == nil }},
		{"fails", func(string) ([]byte, error) { return nil, lost }, func(err error) bool { return errors.Is(err, lost) }},
		{"panics", func(string) ([]byte, error) { panic(lost) },
			func(err error) bool { return errors.Is(err, lost) && errors.As(err, &panicked) }},
		{"gives what no mint was given", func(string) ([]byte, error) { return []byte("?"), nil },
			func(err error) bool { return errors.Is(err, newtfold.ErrStore) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			out, err := newtfold.Expand(folded.JSON, config(), test.fetch)
			if !test.fails(err) {
				t.Error(err)
			}
			if !bytes.Equal(out.JSON, folded.JSON) {
				t.Errorf("%s", out.JSON)
			}
			if err == nil && out.Cards != 2 {
				t.Errorf("%d cards stay, expected 2", out.Cards)
			}
		})
	}
}

func TestStoreOutlivesItsOpening(t *testing.T) {
	path := filepath.Join(t.TempDir(), "spans.db")
	first := open(t, path, "one")
	folded, err := newtfold.Fold(session, config(), first.Mint)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := first.Fetch(folded.Handle); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a closed store says %v", err)
	}
	if _, err := newtfold.Fold(session, config(), first.Mint); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a closed store mints: %v", err)
	}
	again, other := open(t, path, "one"), open(t, path, "two")
	if span, err := again.Fetch("compaction:" + folded.Handle); err != nil || !bytes.HasPrefix(span, []byte(`{"role"`)) {
		t.Errorf("%v: %s", err, span)
	}
	if _, err := other.Fetch(folded.Handle); !errors.Is(err, newtfold.ErrNotFound) {
		t.Errorf("another session is told %v", err)
	}
	if err := again.Forget(); err != nil {
		t.Fatal(err)
	}
	if _, err := again.Fetch(folded.Handle); !errors.Is(err, newtfold.ErrNotFound) {
		t.Errorf("forgotten, and %v", err)
	}
}

func TestStoreAnswersTheModel(t *testing.T) {
	store := open(t, "", "")
	folded, err := newtfold.Fold(session, config(), store.Mint)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := store.Answer([]byte(`{"address":"compaction:` + folded.Handle + `","grep":"src/3"}`))
	if err != nil || !strings.Contains(answer, "src/3.rs") {
		t.Errorf("%v: %s", err, answer)
	}
	tool, err := newtfold.FetchTool(config())
	if err != nil || !json.Valid(tool) || !bytes.Contains(tool, []byte(`"memory_fetch"`)) {
		t.Errorf("%v: %s", err, tool)
	}
}

func TestStoreThatCannotOpen(t *testing.T) {
	_, err := newtfold.OpenStore(filepath.Join(t.TempDir(), "missing", "spans.db"), "")
	if !errors.Is(err, newtfold.ErrStore) {
		t.Errorf("%v", err)
	}
}

func TestStoreIsShared(t *testing.T) {
	store := open(t, filepath.Join(t.TempDir(), "spans.db"), "one")
	var all sync.WaitGroup
	for worker := range 8 {
		all.Add(1)
		go func() {
			defer all.Done()
			for turn := range 5 {
				text := fmt.Sprintf("worker %d, turn %d", worker, turn)
				document := transcript(round(text, 0), round(text, 1), done)
				folded, err := newtfold.Fold(document, config(), store.Mint)
				if err != nil {
					t.Error(err)
					return
				}
				whole, err := newtfold.Expand(folded.JSON, config(), store.Fetch)
				if err != nil || !bytes.Equal(whole.JSON, document) {
					t.Errorf("%v: %s", err, whole.JSON)
				}
			}
		}()
	}
	all.Wait()
}
