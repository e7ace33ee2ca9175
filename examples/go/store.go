package newtfold

// #include <newt_fold.h>
import "C"

import (
	"os"
	"runtime"
	"sync"
	"unsafe"
)

// Store is the built-in storage: spans in an SQLite file, seen by their session
// only. Its Mint goes into [Fold], its Fetch into [Expand].
//
// It may be used from any number of goroutines at once, and its file from any
// number of processes.
type Store struct {
	// Held for reading by whoever uses the store, so that Close comes last.
	using  sync.RWMutex
	native *C.newt_store
}

// OpenStore opens a session in the store at path. Who opens the same file with
// the same session sees the same spans. An empty path is a private store in
// memory, an empty session a new one that nothing else can open.
func OpenStore(path, session string) (*Store, error) {
	s := &Store{native: C.newt_store_open(chars(path), C.size_t(len(path)), chars(session), C.size_t(len(session)))}
	if err := s.state(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Mint keeps a span. It is on the disk when its handle is returned.
func (s *Store) Mint(span []byte) (string, error) {
	if err := s.use(); err != nil {
		return "", err
	}
	defer s.using.RUnlock()
	var handle [256]C.char
	var length C.size_t
	if C.newt_store_mint(unsafe.Pointer(s.native), text(span), C.size_t(len(span)), &handle[0], C.size_t(len(handle)), &length) != 0 {
		return "", s.state()
	}
	return string(copied(&handle[0], length)), nil
}

// Fetch gives back the span of a handle in a card, as it was minted.
func (s *Store) Fetch(address string) ([]byte, error) {
	if err := s.use(); err != nil {
		return nil, err
	}
	defer s.using.RUnlock()
	return taken(C.newt_store_fetch(s.native, chars(address), C.size_t(len(address))))
}

// Answer answers the model's call of the fetch tool, given its arguments. The
// text is the tool's result.
func (s *Store) Answer(arguments []byte) (string, error) {
	if err := s.use(); err != nil {
		return "", err
	}
	defer s.using.RUnlock()
	answer, err := taken(C.newt_store_answer(s.native, text(arguments), C.size_t(len(arguments))))
	return string(answer), err
}

// Forget removes the session's spans.
func (s *Store) Forget() error {
	if err := s.use(); err != nil {
		return err
	}
	defer s.using.RUnlock()
	if C.newt_store_forget(s.native) != C.NEWT_OK {
		return s.state()
	}
	return nil
}

// Close waits for the calls that are running. The store is of no use then.
func (s *Store) Close() error {
	s.using.Lock()
	defer s.using.Unlock()
	if s.native == nil {
		return os.ErrClosed
	}
	C.newt_store_close(s.native)
	s.native = nil
	return nil
}

// FetchTool is the definition of the fetch tool, as JSON, to be put into a
// request.
func FetchTool(config Config) ([]byte, error) {
	var pins runtime.Pinner
	defer pins.Unpin()
	native, err := config.native(&pins)
	if err != nil {
		return nil, err
	}
	return taken(C.newt_fetch_tool_json(native))
}

// use keeps the store open until RUnlock. The library would take NULL for a
// store of its own.
func (s *Store) use() error {
	s.using.RLock()
	if s.native == nil {
		s.using.RUnlock()
		return os.ErrClosed
	}
	return nil
}

// state is the store's latest failure.
func (s *Store) state() error {
	_, err := taken(C.newt_store_state(s.native))
	return err
}

// taken copies a text that C owns, and frees it.
func taken(found *C.newt_text) ([]byte, error) {
	defer C.newt_text_free(found)
	if found.status != C.NEWT_OK {
		return nil, &Error{Status: Status(found.status), Sentence: C.GoString(found.error), Offset: -1}
	}
	return copied(found.text, found.text_len), nil
}

// chars lends C a string; an empty one is NULL.
func chars(s string) *C.char {
	if s == "" {
		return nil
	}
	return (*C.char)(unsafe.Pointer(unsafe.StringData(s)))
}
