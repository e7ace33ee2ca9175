# Builds what ships, and installs it where there is no cargo-c.
#
#     make                                libnewt_fold.so and .a in target/lib
#     make install PREFIX=/usr/local      header, libraries, pkg-config, CMake
#     make CARGO_FLAGS=--no-default-features   without the store
#
# For ELF systems with GNU binutils.
#
# std as it comes can print a backtrace, which is a quarter of a megabyte that
# this library has no use for. Where std's sources are at hand
# (rustup component add rust-src), std is built again without; STD=prebuilt
# takes it as it comes.
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
DESTDIR ?=
CARGO ?= cargo
CARGO_FLAGS ?=
CARGO_TARGET_DIR ?= target

ABI := $(shell sed -n 's/^\#define NEWT_FOLD_ABI_VERSION //p' include/newt_fold.h)
VERSION := $(shell sed -n 's/^version = "\(.*\)"/\1/p;/^$$/q' Cargo.toml)
SYMBOLS := include/newt_fold.symbols
OUT := $(CARGO_TARGET_DIR)/lib

SYSROOT := $(shell rustc --print sysroot)
ifneq ($(wildcard $(SYSROOT)/lib/rustlib/src/rust/library/std/Cargo.toml),)
STD ?= rebuilt
else
STD ?= prebuilt
$(info std as it comes: rustup component add rust-src makes the library smaller)
endif
ifeq ($(STD),rebuilt)
HOST := $(shell rustc -vV | sed -n 's/^host: //p')
# A released cargo takes -Z for this variable alone. It changes no code: what
# is built is std and its features, by the same compiler.
RUSTC := RUSTC_BOOTSTRAP=1 $(CARGO) rustc --target $(HOST) \
    -Z build-std=std,panic_unwind -Z build-std-features=
BUILT := $(CARGO_TARGET_DIR)/$(HOST)/ship
else
RUSTC := $(CARGO) rustc
BUILT := $(CARGO_TARGET_DIR)/ship
endif

all: shared static

# One crate type at a time: a build with an rlib in it has no LTO.
shared:
	$(RUSTC) $(CARGO_FLAGS) --profile ship --lib --crate-type cdylib -- \
	    -C link-arg=-Wl,-soname,libnewt_fold.so.$(ABI)
	mkdir -p $(OUT)
	cp $(BUILT)/libnewt_fold.so $(OUT)/libnewt_fold.so.$(ABI)
	ln -sf libnewt_fold.so.$(ABI) $(OUT)/libnewt_fold.so

static:
	$(RUSTC) $(CARGO_FLAGS) --profile ship --lib --crate-type staticlib
	mkdir -p $(OUT)
	$(call localise,$(BUILT)/libnewt_fold.a,$(OUT)/libnewt_fold.a)

# $(call localise,archive,archive): one object, in which only the functions of
# the header are global. Another SQLite, or another Rust library, may stand in
# the same program.
define localise
	ld -r --gc-sections --force-group-allocation $(addprefix -u ,$(shell cat $(SYMBOLS))) \
	    -o $(2).o $(1)
	objcopy --keep-global-symbols=$(SYMBOLS) --strip-unneeded $(2).o
	rm -f $(2)
	ar rcsD $(2) $(2).o
	rm $(2).o
endef

install: all
	install -d $(DESTDIR)$(PREFIX)/include $(DESTDIR)$(LIBDIR)/pkgconfig \
	    $(DESTDIR)$(PREFIX)/share/cmake/newt_fold
	install -m 644 include/newt_fold.h $(DESTDIR)$(PREFIX)/include
	install -m 644 $(OUT)/libnewt_fold.a $(DESTDIR)$(LIBDIR)
	install -m 755 $(OUT)/libnewt_fold.so.$(ABI) $(DESTDIR)$(LIBDIR)
	ln -sf libnewt_fold.so.$(ABI) $(DESTDIR)$(LIBDIR)/libnewt_fold.so
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@VERSION@|$(VERSION)|' \
	    cmake/newt_fold.pc.in > $(DESTDIR)$(LIBDIR)/pkgconfig/newt_fold.pc
	install -m 644 cmake/newt_fold-config.cmake cmake/newt_fold-config-version.cmake \
	    $(DESTDIR)$(PREFIX)/share/cmake/newt_fold

cinstall:
	$(CARGO) cinstall $(CARGO_FLAGS) --profile ship --prefix $(PREFIX) --libdir $(LIBDIR) \
	    $(addprefix --destdir ,$(DESTDIR))
	$(call localise,$(DESTDIR)$(LIBDIR)/libnewt_fold.a,$(DESTDIR)$(LIBDIR)/libnewt_fold.a)

.PHONY: all shared static install cinstall
