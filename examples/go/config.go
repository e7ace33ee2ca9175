package newtfold

// #include <newt_fold.h>
import "C"

import (
	"fmt"
	"runtime"
	"strings"
	"unsafe"
)

// Config says what a fold may do. Start from [DefaultConfig].
type Config struct {
	// Messages at the end that are never touched.
	KeepLast uint32
	// Nothing changes unless at least this many rounds would go.
	MinRounds uint32
	Format    Format
	Results   Results
	Grouping  Grouping
	Card      Card
	// Lines of rounds in a card; older ones become one tally line.
	MaxCardLines uint32
	// Characters of an assistant's prose beside its calls that a card keeps.
	NoteChars uint32
	// With ResultsAny: a one-line result of at most this many characters is
	// shown whole.
	ResultChars uint32
	// Estimated tokens that a fold must win to happen at all.
	MinReclaim uint32
	// Bytes of UTF-8 that make a token in the estimate.
	BytesPerToken uint32
	// Outcome.Receipt is wanted.
	Receipt bool
	// The tool that a card tells the model to call; "" if none is declared to
	// the model.
	FetchTool string
	// Rounds that call one of these tools never fold.
	KeepTools []string
}

// Format is a provider's wire format.
type Format uint32

const (
	FormatAuto      Format = C.NEWT_FORMAT_AUTO
	FormatChat      Format = C.NEWT_FORMAT_CHAT
	FormatAnthropic Format = C.NEWT_FORMAT_ANTHROPIC
	FormatResponses Format = C.NEWT_FORMAT_RESPONSES
	FormatGemini    Format = C.NEWT_FORMAT_GEMINI
)

// Results says which rounds fold: those whose results are one line already, or
// any.
type Results uint32

const (
	ResultsOneLined Results = C.NEWT_RESULTS_ONE_LINED
	ResultsAny      Results = C.NEWT_RESULTS_ANY
)

// Grouping says whether each run of rounds has a card of its own, in place, or
// one card stands for all.
type Grouping uint32

const (
	GroupingRuns Grouping = C.NEWT_GROUPING_RUNS
	GroupingAll  Grouping = C.NEWT_GROUPING_ALL
)

// Card is the kind of message that a card is.
type Card uint32

const (
	CardUser      Card = C.NEWT_CARD_USER
	CardAssistant Card = C.NEWT_CARD_ASSISTANT
	CardTool      Card = C.NEWT_CARD_TOOL
)

// DefaultConfig is the library's own default.
func DefaultConfig() Config {
	var c C.newt_config
	C.newt_config_init(&c, C.sizeof_newt_config)
	return Config{
		KeepLast:      uint32(c.keep_last),
		MinRounds:     uint32(c.min_rounds),
		Format:        Format(c.format),
		Results:       Results(c.results),
		Grouping:      Grouping(c.grouping),
		Card:          Card(c.card),
		MaxCardLines:  uint32(c.max_card_lines),
		NoteChars:     uint32(c.note_chars),
		ResultChars:   uint32(c.result_chars),
		MinReclaim:    uint32(c.min_reclaim),
		BytesPerToken: uint32(c.bytes_per_token),
		Receipt:       c.flags&C.NEWT_FLAG_RECEIPT != 0,
		FetchTool:     "memory_fetch",
	}
}

// native writes the configuration as C reads it. Its strings stay Go's, pinned
// until the call is over.
func (c Config) native(pins *runtime.Pinner) (*C.newt_config, error) {
	out := new(C.newt_config)
	C.newt_config_init(out, C.sizeof_newt_config)
	out.keep_last = C.uint32_t(c.KeepLast)
	out.min_rounds = C.uint32_t(c.MinRounds)
	out.format = C.uint32_t(c.Format)
	out.results = C.uint32_t(c.Results)
	out.grouping = C.uint32_t(c.Grouping)
	out.card = C.uint32_t(c.Card)
	out.max_card_lines = C.uint32_t(c.MaxCardLines)
	out.note_chars = C.uint32_t(c.NoteChars)
	out.result_chars = C.uint32_t(c.ResultChars)
	out.min_reclaim = C.uint32_t(c.MinReclaim)
	out.bytes_per_token = C.uint32_t(c.BytesPerToken)
	if c.Receipt {
		out.flags |= C.NEWT_FLAG_RECEIPT
	}
	var err error
	if out.fetch_tool, err = pinned(pins, c.FetchTool); err != nil {
		return nil, err
	}
	if len(c.KeepTools) == 0 {
		return out, nil
	}
	names := make([]*C.char, len(c.KeepTools))
	for i, name := range c.KeepTools {
		if names[i], err = pinned(pins, name); err != nil {
			return nil, err
		}
	}
	pins.Pin(unsafe.SliceData(names))
	out.keep_tools = unsafe.SliceData(names)
	out.keep_tools_len = C.size_t(len(names))
	return out, nil
}

// pinned is the name with the NUL that C wants behind it.
func pinned(pins *runtime.Pinner, name string) (*C.char, error) {
	if strings.IndexByte(name, 0) >= 0 {
		return nil, &Error{
			Status:   ErrArgument,
			Sentence: fmt.Sprintf("the name of a tool has no NUL in it, and %q has one", name),
			Offset:   -1,
		}
	}
	bytes := append([]byte(name), 0)
	pins.Pin(unsafe.SliceData(bytes))
	return text(bytes), nil
}
