// Package newtfold keeps a long agent session inside its context window
// without losing a byte and without calling a model.
//
// [Fold] replaces the aged tool rounds of a transcript by short cards. The host
// stores what was removed: a [Mint] takes it and gives it a handle, and the card
// names the handle. [Expand] is the way back. A [Store] is a mint and a fetch
// for hosts that have no storage of their own.
//
//	store, err := newtfold.OpenStore("spans.db", "session 7")
//	if err != nil {
//		return err
//	}
//	defer store.Close()
//	config := newtfold.DefaultConfig()
//	config.Results = newtfold.ResultsAny
//	folded, err := newtfold.Fold(request, config, store.Mint)
//
// Everything here may be called from any number of goroutines at once. Nothing
// of Go's memory is kept by the library when a function returns.
package newtfold

/*
// The first folders are for a build inside the library's own source tree; from
// anywhere else the header and the static library are found where the system
// has them, or where CGO_CFLAGS and CGO_LDFLAGS say.
#cgo CFLAGS: -I${SRCDIR}/../../include
#cgo LDFLAGS: -L${SRCDIR}/../../target/lib -l:libnewt_fold.a -lm -ldl -lpthread
#include "trampoline.h"
*/
import "C"

import (
	"bytes"
	"fmt"
	"runtime"
	"runtime/cgo"
	"unsafe"
)

// Fold replaces the aged tool rounds of a transcript by cards.
//
// json is an array of messages, or a whole request body that has one; it is
// only read. A nil mint plans: nothing is stored, nothing changes, and the
// counts of the outcome say what a fold would do.
//
// Whatever happens, Outcome.JSON is a document that can be sent: after an error
// it is json itself. Errors are an [*Error] of the library, or the mint's own,
// wrapped, which is a [*PanicError] if it panicked.
func Fold(json []byte, config Config, mint Mint) (Outcome, error) {
	return run(json, config, callback{mint: mint}, mint != nil, func(call C.uintptr_t, config *C.newt_config) *C.newt_outcome {
		return C.newtfold_fold(text(json), C.size_t(len(json)), config, call)
	})
}

// Expand puts back what was folded. Cards whose spans are not found
// stay, and are counted in Outcome.Cards. Errors are as Fold's.
func Expand(json []byte, config Config, fetch Fetch) (Outcome, error) {
	return run(json, config, callback{fetch: fetch}, fetch != nil, func(call C.uintptr_t, config *C.newt_config) *C.newt_outcome {
		return C.newtfold_expand(text(json), C.size_t(len(json)), config, call)
	})
}

// run lends C a configuration and the name of a callback, copies the outcome,
// and frees it.
func run(json []byte, config Config, called callback, wanted bool, work func(C.uintptr_t, *C.newt_config) *C.newt_outcome) (Outcome, error) {
	var pins runtime.Pinner
	defer pins.Unpin()
	native, err := config.native(&pins)
	if err != nil {
		return Outcome{JSON: json}, err
	}
	var name cgo.Handle
	if wanted {
		name = cgo.NewHandle(&called)
		defer name.Delete()
	}
	out := work(C.uintptr_t(name), native)
	defer C.newt_outcome_free(out)
	if out.status == C.NEWT_OK {
		return outcome(out), called.failure
	}
	if called.failure == nil {
		called.failure = &Error{
			Status:   Status(out.status),
			Sentence: C.GoString(out.error),
			Offset:   offset(out.error_offset),
		}
	}
	return Outcome{JSON: json}, called.failure
}

func outcome(out *C.newt_outcome) Outcome {
	return Outcome{
		JSON:           copied(out.json, out.json_len),
		Verdict:        Verdict(out.verdict),
		Handle:         string(copied(out.handle, out.handle_len)),
		RoundsEligible: int(out.rounds_eligible),
		RoundsFolded:   int(out.rounds_folded),
		Cards:          int(out.cards),
		MessagesBefore: int(out.messages_before),
		MessagesAfter:  int(out.messages_after),
		TokensBefore:   int(out.tokens_before),
		TokensAfter:    int(out.tokens_after),
		PrefixLen:      int(out.prefix_len),
		Receipt:        copied(out.receipt, out.receipt_len),
	}
}

// Outcome is what a call did.
type Outcome struct {
	// The document, folded or expanded.
	JSON    []byte
	Verdict Verdict
	// The handle of the newest card that this call wrote; "" if none.
	Handle string
	// Complete rounds before the horizon that the configuration admits.
	RoundsEligible int
	RoundsFolded   int
	// Cards that stand in JSON, older ones counted.
	Cards                         int
	MessagesBefore, MessagesAfter int
	TokensBefore, TokensAfter     int
	// Bytes at the start of JSON that equal the input's: what a provider's
	// prefix cache can still use.
	PrefixLen int
	// What went, what stayed and why, as JSON, if Config.Receipt asked for it.
	Receipt []byte
}

// Verdict says why RoundsFolded is what it is.
type Verdict uint32

// The verdicts of the C header, where each is explained.
const (
	VerdictNone       Verdict = C.NEWT_VERDICT_NONE
	VerdictFolded     Verdict = C.NEWT_VERDICT_FOLDED
	VerdictNothing    Verdict = C.NEWT_VERDICT_NOTHING
	VerdictNotSmaller Verdict = C.NEWT_VERDICT_NOT_SMALLER
	VerdictDeclined   Verdict = C.NEWT_VERDICT_DECLINED
	VerdictPlanned    Verdict = C.NEWT_VERDICT_PLANNED
)

func (v Verdict) String() string {
	names := [...]string{"none", "folded", "nothing", "not smaller", "declined", "planned"}
	if int(v) < len(names) {
		return names[v]
	}
	return fmt.Sprintf("verdict %d", uint32(v))
}

// Version of the library that is linked in, "1.2.3".
func Version() string { return C.GoString(C.newt_version()) }

func text(b []byte) *C.char { return (*C.char)(unsafe.Pointer(unsafe.SliceData(b))) }

// copied brings C's bytes into Go's memory. (C.GoBytes stops at 2 GiB.)
func copied(from *C.char, length C.size_t) []byte {
	return bytes.Clone(unsafe.Slice((*byte)(unsafe.Pointer(from)), length))
}
