package e2e

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

type size struct {
	goroutines     int
	fallbacks      int
	resident, heap int64
}

func (s *soak) size() (now size) {
	response, err := s.client.Get(s.gateway.MetricsURL + "/metrics")
	if err != nil {
		s.Error(err)
		return size{}
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	metric := func(name string) float64 {
		value := 0.0
		if _, after, _ := strings.Cut(string(text), "\n"+name+" "); err == nil {
			_, err = fmt.Sscan(after, &value)
		}
		return value
	}
	now.goroutines, now.heap = int(metric("go_goroutines")), int64(metric("go_memstats_heap_inuse_bytes"))
	now.fallbacks = int(metric("twibase_loader_fallbacks_total"))
	resident, also := s.gateway.Resident()
	if err := errors.Join(err, also); err != nil {
		s.Error(err)
	}
	now.resident = resident
	return now
}

func (s *soak) watch() (sizes []size) {
	every := max(int(*soaking/(30*time.Second)), 1)
	for tick := time.NewTicker(time.Second); ; {
		select {
		case <-tick.C:
			now := s.size()
			sizes = append(sizes, now)
			if len(sizes)%every == 0 {
				s.Logf("%d goroutines, %d MB, %d MB in the heap", now.goroutines, now.resident>>20, now.heap>>20)
			}
		case <-s.end.Done():
			return sizes
		}
	}
}

// With the embedded store, checkMemory checks only the heap, because Pebble's other caches fill up
// to their limits.
func (s *soak) checkMemory(sizes []size) {
	fifth := len(sizes) / 5
	medians := func(of func(size) int64) (early, late int64) {
		median := func(sizes []size) int64 {
			sizes = slices.SortedFunc(slices.Values(sizes), func(a, b size) int { return cmp.Compare(of(a), of(b)) })
			return of(sizes[len(sizes)/2])
		}
		return median(sizes[fifth : 2*fifth]), median(sizes[4*fifth:])
	}
	early, late := medians(func(s size) int64 { return s.resident })
	heapEarly, heapLate := medians(func(s size) int64 { return s.heap })
	s.Logf("second fifth of the time: %d MB, heap %d MB; last fifth: %d MB, heap %d MB",
		early>>20, heapEarly>>20, late>>20, heapLate>>20)
	if heapLate > heapEarly*5/4 || !*soakEmbedded && late > early*5/4 {
		s.Error("the memory grew")
	}
}
