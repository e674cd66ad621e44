package sexton_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/sextongc/sexton/internal/state"
)

// costDisk is a disk for benchmarks that counts syncs. Those of files take as long as the machine's, or exactly
// latency, so that figures of different machines can be compared; then nothing is really durable.
type costDisk struct {
	latency time.Duration // 0: the machine's
	syncs   atomic.Int64
}

type costFile struct {
	*os.File
	disk *costDisk
}

func (f costFile) Sync() error {
	f.disk.syncs.Add(1)
	if f.disk.latency == 0 {
		return f.File.Sync()
	}
	began := time.Now()
	err := nap(f.disk.latency - 30*time.Microsecond) // it is late
	for time.Since(began) < f.disk.latency {
	}
	return err
}

func (d *costDisk) OpenFile(name string) (state.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	return costFile{f, d}, nil
}

func (d *costDisk) ReadDir(dir string) ([]string, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	for i := range names {
		names[i] = filepath.Base(names[i])
	}
	if _, statErr := os.Stat(dir); statErr != nil {
		err = errors.Join(err, statErr)
	}
	return names, err
}

func (d *costDisk) MkdirAll(dir string) error            { return os.MkdirAll(dir, 0o700) }
func (d *costDisk) ReadFile(name string) ([]byte, error) { return os.ReadFile(name) }
func (d *costDisk) Rename(from, to string) error         { return os.Rename(from, to) }
func (d *costDisk) Remove(name string) error             { return os.Remove(name) }
func (d *costDisk) SyncDir(dir string) error             { return d.sync(dir) }

func (d *costDisk) sync(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(costFile{f, d}.Sync(), f.Close())
}

// Lock leaves the lock to the benchmark, which is alone.
func (d *costDisk) Lock(name string, info []byte) (state.FileLock, []byte, error) {
	return costLock{}, nil, os.WriteFile(name, info, fs.FileMode(0o600))
}

type costLock struct{}

func (costLock) Held() error   { return nil }
func (costLock) Unlock() error { return nil }
