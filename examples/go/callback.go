package newtfold

// #include <newt_fold.h>
import "C"

import (
	"errors"
	"fmt"
	"runtime/cgo"
	"runtime/debug"
	"unsafe"
)

// Mint stores a span, durably, and gives it a handle.
//
// The span is JSON Lines, one message a line, verbatim, and belongs to the mint.
// The handle is 1 to 256 bytes of A-Z a-z 0-9 . _ ~ : / @ = + -. A mint that
// returns an error declines: the document stays as it was, and Fold returns that
// error, wrapped.
//
// It runs on the goroutine that called Fold, once a card, before Fold returns.
// It must not end its goroutine (runtime.Goexit, testing.T.FailNow): the
// library's memory would leak.
type Mint func(span []byte) (handle string, err error)

// Fetch gives a span back. An error that is [ErrNotFound] leaves its card in
// place; any other ends the expansion, which returns it, wrapped.
//
// It runs as a [Mint] does.
type Fetch func(handle string) (span []byte, err error)

// callback is what one call of the library calls back.
type callback struct {
	mint    Mint
	fetch   Fetch
	failure error
}

// newtfoldMint is what C calls for a mint. No panic may leave it: between here
// and Fold lie frames that Go cannot unwind.
//
//export newtfoldMint
func newtfoldMint(call C.uintptr_t, span *C.char, spanLen C.size_t, handle *C.char, handleCap C.size_t, handleLen *C.size_t) C.int32_t {
	c := cgo.Handle(call).Value().(*callback)
	name, err := guarded(c.mint, copied(span, spanLen))
	if err != nil {
		c.failure = fmt.Errorf("newtfold: the mint failed: %w", err)
		return 1
	}
	copy(unsafe.Slice((*byte)(unsafe.Pointer(handle)), handleCap), name)
	// The true length, so that the library sees and refuses one too long.
	*handleLen = C.size_t(len(name))
	return 0
}

// newtfoldFetch is what C calls for a fetch.
//
//export newtfoldFetch
func newtfoldFetch(call C.uintptr_t, handle *C.char, handleLen C.size_t, sink *C.newt_sink) C.newt_status {
	c := cgo.Handle(call).Value().(*callback)
	span, err := guarded(c.fetch, string(copied(handle, handleLen)))
	switch {
	case errors.Is(err, ErrNotFound):
		return C.NEWT_ERR_NOT_FOUND
	case err != nil:
		c.failure = fmt.Errorf("newtfold: the fetch failed: %w", err)
		return C.NEWT_ERR_STORE
	}
	C.newt_sink_write(sink, text(span), C.size_t(len(span)))
	return C.NEWT_OK
}

// guarded calls back, and makes an error of a panic.
func guarded[In, Out any](call func(In) (Out, error), in In) (out Out, err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &PanicError{Value: value, Stack: debug.Stack()}
		}
	}()
	return call(in)
}
