package newtfold_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/newtfold"
)

// kept is a mint in memory.
type kept map[string][]byte

func (k kept) mint(span []byte) (string, error) {
	digest := fnv.New64a()
	digest.Write(span)
	handle := fmt.Sprintf("%016x", digest.Sum64())
	k[handle] = span
	return handle, nil
}

// config folds everything but the last message.
func config() newtfold.Config {
	c := newtfold.DefaultConfig()
	c.Results = newtfold.ResultsAny
	c.KeepLast = 1
	return c
}

const (
	user = `{"role":"user","content":"go on"}`
	done = `{"role":"assistant","content":"done"}`
)

func call(tool string, number int) string {
	return fmt.Sprintf(`{"role":"assistant","content":null,"tool_calls":[{"id":"c%d","type":"function",`+
		`"function":{"name":%q,"arguments":"{\"path\":\"src/%d.rs\"}"}}]}`, number, tool, number)
}

func result(number int) string {
	return fmt.Sprintf(`{"role":"tool","tool_call_id":"c%d","content":%q}`,
		number, strings.Repeat("let there = \"be\" + lines;\n", 40))
}

func round(tool string, number int) string { return call(tool, number) + "," + result(number) }

func transcript(messages ...string) []byte {
	return []byte("[" + strings.Join(messages, ",") + "]")
}

// session has 1 + 4 rounds that fold into two cards.
var session = transcript(user, round("read", 0), round("read", 1), user, round("read", 2), round("read", 3), done)

func TestFold(t *testing.T) {
	keepRead := config()
	keepRead.KeepTools = []string{"write", "read"}
	all := config()
	all.Grouping = newtfold.GroupingAll
	defaults := newtfold.DefaultConfig()
	for _, test := range []struct {
		name       string
		transcript []byte
		config     newtfold.Config
		verdict    newtfold.Verdict
		folded     int
		cards      int
	}{
		{"no messages", transcript(), config(), newtfold.VerdictNothing, 0, 0},
		{"two runs", session, config(), newtfold.VerdictFolded, 4, 2},
		{"two runs in one card", session, all, newtfold.VerdictFolded, 4, 1},
		{"one round is too few", transcript(user, round("read", 0), done), config(), newtfold.VerdictNothing, 0, 0},
		{"a call without an answer stays",
			transcript(user, call("read", 9), round("read", 0), round("read", 1), done), config(), newtfold.VerdictFolded, 2, 1},
		{"a kept tool stays",
			transcript(user, round("read", 0), round("list", 1), round("list", 2), done), keepRead, newtfold.VerdictFolded, 2, 1},
		{"by default only results of one line fold", session, defaults, newtfold.VerdictNothing, 0, 0},
		{"a request body", slices.Concat([]byte(`{"model":"m","messages":`), session, []byte("}")),
			config(), newtfold.VerdictFolded, 4, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := bytes.Clone(test.transcript)
			spans := kept{}
			out, err := newtfold.Fold(test.transcript, test.config, spans.mint)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(test.transcript, before) {
				t.Error("the input was written to")
			}
			if out.Verdict != test.verdict || out.RoundsFolded != test.folded || out.Cards != test.cards {
				t.Errorf("%v: %d rounds into %d cards, expected %v: %d into %d",
					out.Verdict, out.RoundsFolded, out.Cards, test.verdict, test.folded, test.cards)
			}
			if len(spans) != test.cards {
				t.Errorf("%d spans for %d cards", len(spans), test.cards)
			}
			for handle := range spans {
				if !bytes.Contains(out.JSON, []byte(`(\"compaction:`+handle+`\")`)) {
					t.Errorf("no card names %s", handle)
				}
			}
			if test.folded == 0 && !bytes.Equal(out.JSON, before) {
				t.Error("nothing folded, and the document changed")
			}
			if test.folded > 0 && (spans[out.Handle] == nil || out.TokensAfter >= out.TokensBefore) {
				t.Errorf("newest handle %q, %d of %d tokens left", out.Handle, out.TokensAfter, out.TokensBefore)
			}
			if !bytes.HasPrefix(out.JSON, before[:out.PrefixLen]) {
				t.Error("the common prefix is none")
			}
		})
	}
}

func TestGolden(t *testing.T) {
	document := read(t, "../golden/transcript.json")
	want := string(read(t, "../golden/cards.txt"))
	c := newtfold.DefaultConfig()
	c.Results = newtfold.ResultsAny
	out, err := newtfold.Fold(document, c, kept{}.mint)
	if err != nil {
		t.Fatal(err)
	}
	var messages []struct{ Content any }
	if err := json.Unmarshal(out.JSON, &messages); err != nil {
		t.Fatal(err)
	}
	var cards string
	for _, message := range messages {
		if text, _ := message.Content.(string); strings.HasPrefix(text, "[NEWT") {
			cards += text + "\n"
		}
	}
	t.Log("\n" + cards)
	if cards != want {
		t.Errorf("expected\n%s", want)
	}
}

func TestPlanStoresNothing(t *testing.T) {
	c := config()
	c.Receipt = true
	out, err := newtfold.Fold(session, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	if out.Verdict != newtfold.VerdictPlanned || out.RoundsEligible != 4 || out.RoundsFolded != 0 {
		t.Errorf("%v, %d eligible, %d folded", out.Verdict, out.RoundsEligible, out.RoundsFolded)
	}
	if !bytes.Equal(out.JSON, session) || out.TokensAfter >= out.TokensBefore {
		t.Errorf("%d of %d tokens, document changed: %v",
			out.TokensAfter, out.TokensBefore, !bytes.Equal(out.JSON, session))
	}
	if !json.Valid(out.Receipt) {
		t.Errorf("the receipt is %q", out.Receipt)
	}
}

func TestRefusals(t *testing.T) {
	handle := func(handle string) newtfold.Mint {
		return func([]byte) (string, error) { return handle, nil }
	}
	odd := config()
	odd.Format = 99
	nul := config()
	nul.KeepTools = []string{"re\x00ad"}
	long := config()
	long.FetchTool = strings.Repeat("x", 65)
	for _, test := range []struct {
		name   string
		json   string
		config newtfold.Config
		mint   newtfold.Mint
		want   newtfold.Status
		offset int
	}{
		{"empty", "", config(), kept{}.mint, newtfold.ErrJSON, 0},
		{"cut off", `[{"role":`, config(), kept{}.mint, newtfold.ErrJSON, 9},
		{"not UTF-8", "[\"\xff\"]", config(), kept{}.mint, newtfold.ErrUTF8, 2},
		{"no transcript", `{"role":"user"}`, config(), kept{}.mint, newtfold.ErrTranscript, -1},
		{"unknown format", "[]", odd, kept{}.mint, newtfold.ErrArgument, -1},
		{"a NUL in a tool's name", "[]", nul, kept{}.mint, newtfold.ErrArgument, -1},
		{"a fetch tool too long", "[]", long, kept{}.mint, newtfold.ErrArgument, -1},
		{"a handle of nothing", string(session), config(), handle(""), newtfold.ErrHandle, -1},
		{"a handle that breaks out", string(session), config(), handle("a\"b"), newtfold.ErrHandle, -1},
		{"a handle too long", string(session), config(), handle(strings.Repeat("a", 257)), newtfold.ErrHandle, -1},
	} {
		t.Run(test.name, func(t *testing.T) {
			out, err := newtfold.Fold([]byte(test.json), test.config, test.mint)
			var refusal *newtfold.Error
			if !errors.Is(err, test.want) || !errors.As(err, &refusal) {
				t.Fatalf("%v, expected %v", err, test.want)
			}
			if test.offset != -1 && refusal.Offset != test.offset {
				t.Errorf("at byte %d, expected %d: %v", refusal.Offset, test.offset, err)
			}
			if errors.Is(err, newtfold.ErrMemory) {
				t.Error("an error is every error")
			}
			if string(out.JSON) != test.json {
				t.Error("what comes back is not what went in")
			}
		})
	}
}

func TestMintThatFails(t *testing.T) {
	full := errors.New("no room")
	for _, test := range []struct {
		name     string
		mint     newtfold.Mint
		is       error
		panicked bool
	}{
		{"declines", func([]byte) (string, error) { return "", full }, full, false},
		{"panics with an error", func([]byte) (string, error) { panic(full) }, full, true},
		{"panics with a word", func([]byte) (string, error) { panic("boom") }, nil, true},
		{"panics in the runtime", func(span []byte) (string, error) { return string(span[len(span)]), nil }, nil, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			out, err := newtfold.Fold(session, config(), test.mint)
			if err == nil || test.is != nil && !errors.Is(err, test.is) {
				t.Fatalf("%v, expected %v", err, test.is)
			}
			var panicked *newtfold.PanicError
			if errors.As(err, &panicked) != test.panicked {
				t.Errorf("%T", err)
			}
			if test.panicked && !bytes.Contains(panicked.Stack, []byte("newtfold_test.go")) {
				t.Errorf("the stack does not show where: %s", panicked.Stack)
			}
			if out.Verdict != newtfold.VerdictDeclined || !bytes.Equal(out.JSON, session) {
				t.Errorf("%v: %s", out.Verdict, out.JSON)
			}
		})
	}
}

// The second card's mint fails after the first's went well: still no card.
func TestOneDeclineIsAllDeclined(t *testing.T) {
	spans := kept{}
	full := errors.New("no room")
	out, err := newtfold.Fold(session, config(), func(span []byte) (string, error) {
		if len(spans) == 1 {
			return "", full
		}
		return spans.mint(span)
	})
	if !errors.Is(err, full) || len(spans) != 1 || !bytes.Equal(out.JSON, session) {
		t.Errorf("%v with %d spans: %s", err, len(spans), out.JSON)
	}
}

func TestMintMayFold(t *testing.T) {
	want, err := newtfold.Fold(session, config(), kept{}.mint)
	if err != nil {
		t.Fatal(err)
	}
	var inner newtfold.Outcome
	out, err := newtfold.Fold(session, config(), func(span []byte) (string, error) {
		var err error
		if inner, err = newtfold.Fold(session, config(), kept{}.mint); err != nil {
			return "", err
		}
		return kept{}.mint(span)
	})
	if err != nil || !bytes.Equal(out.JSON, want.JSON) || !bytes.Equal(inner.JSON, want.JSON) {
		t.Errorf("%v\n%s\n%s", err, out.JSON, inner.JSON)
	}
}

// Goroutines change threads and stacks grow and move while C waits for a mint.
func TestManyGoroutines(t *testing.T) {
	want, err := newtfold.Fold(session, config(), kept{}.mint)
	if err != nil {
		t.Fatal(err)
	}
	full := errors.New("no room")
	var all sync.WaitGroup
	for worker := range 32 {
		all.Add(1)
		go func() {
			defer all.Done()
			for turn := range 50 {
				spans := kept{}
				out, err := newtfold.Fold(bytes.Clone(session), config(), func(span []byte) (string, error) {
					deep(worker * 8)
					runtime.Gosched()
					switch (worker + turn) % 8 {
					case 0:
						panic(full)
					case 1:
						return "", full
					case 2:
						runtime.GC()
					}
					return spans.mint(span)
				})
				if failed := (worker+turn)%8 < 2; failed != errors.Is(err, full) {
					t.Errorf("%v", err)
				} else if !failed && !bytes.Equal(out.JSON, want.JSON) {
					t.Errorf("%v: %s", out.Verdict, out.JSON)
				}
			}
		}()
	}
	all.Wait()
}

func deep(n int) byte {
	var frame [512]byte
	if n > 0 {
		frame[0] = deep(n - 1)
	}
	return frame[0]
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func ExampleFold() {
	config := newtfold.DefaultConfig()
	config.Results = newtfold.ResultsAny
	config.KeepLast = 1
	spans := map[string][]byte{}
	folded, err := newtfold.Fold(session, config, func(span []byte) (string, error) {
		handle := fmt.Sprintf("span-%d", len(spans)+1)
		spans[handle] = span
		return handle, nil
	})
	fmt.Println(folded.RoundsFolded, "rounds in", len(spans), "spans,", err)
	// Output: 4 rounds in 2 spans, <nil>
}
