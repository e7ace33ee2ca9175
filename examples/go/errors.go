package newtfold

// #include <newt_fold.h>
import "C"

import "fmt"

// Status is why the library refused, as the C header numbers it. Each is an
// error to compare with: errors.Is(err, newtfold.ErrJSON).
type Status int32

const (
	ErrArgument   Status = C.NEWT_ERR_ARGUMENT
	ErrUTF8       Status = C.NEWT_ERR_UTF8
	ErrJSON       Status = C.NEWT_ERR_JSON
	ErrTranscript Status = C.NEWT_ERR_TRANSCRIPT
	ErrLimit      Status = C.NEWT_ERR_LIMIT
	ErrHandle     Status = C.NEWT_ERR_HANDLE
	ErrStore      Status = C.NEWT_ERR_STORE
	ErrNotFound   Status = C.NEWT_ERR_NOT_FOUND
	ErrMemory     Status = C.NEWT_ERR_MEMORY
	ErrPanic      Status = C.NEWT_ERR_PANIC
)

func (s Status) Error() string { return C.GoString(C.newt_status_name(C.newt_status(s))) }

// Error is a refusal of the library. It unwraps to its Status.
type Error struct {
	Status Status
	// What was expected, what was found, and what to do.
	Sentence string
	// The byte of the document at fault; -1 if there is none.
	Offset int
}

func (e *Error) Error() string { return fmt.Sprintf("newtfold: %s (%s)", e.Sentence, e.Status) }

func (e *Error) Unwrap() error { return e.Status }

// PanicError is a panic in a mint or a fetch. It unwraps to the value that was
// given to panic, if that was an error.
type PanicError struct {
	Value any
	// Where it was, as debug.Stack says.
	Stack []byte
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("newtfold: a callback panicked: %v", e.Value)
}

func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// offset is a byte's position, which C calls SIZE_MAX where there is none.
func offset(at C.size_t) int {
	if at == C.SIZE_MAX {
		return -1
	}
	return int(at)
}
