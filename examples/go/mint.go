package newtfold

// #include <newt_fold.h>
import "C"

import (
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

// minting is one call of Fold, as its mint sees it.
type minting struct {
	mint    Mint
	failure error
}

// newtfoldMint is what C calls. No panic may leave it: between here and Fold
// lie frames that Go cannot unwind.
//
//export newtfoldMint
func newtfoldMint(call C.uintptr_t, span *C.char, spanLen C.size_t, handle *C.char, handleCap C.size_t, handleLen *C.size_t) C.int32_t {
	m := cgo.Handle(call).Value().(*minting)
	name, err := m.guarded(copied(span, spanLen))
	if err != nil {
		m.failure = err
		return 1
	}
	copy(unsafe.Slice((*byte)(unsafe.Pointer(handle)), handleCap), name)
	// The true length, so that the library sees and refuses one too long.
	*handleLen = C.size_t(len(name))
	return 0
}

func (m *minting) guarded(span []byte) (handle string, err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &PanicError{Value: value, Stack: debug.Stack()}
		}
	}()
	if handle, err = m.mint(span); err != nil {
		err = fmt.Errorf("newtfold: the mint declined: %w", err)
	}
	return handle, err
}
