package main

import (
	"runtime"
	"testing"
)

func TestBallastLeavesRoomForGarbage(t *testing.T) {
	unload := loadBallast()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	unload()
	if room := int64(stats.NextGC) - int64(stats.HeapAlloc); room < ballast {
		t.Errorf("%d bytes of garbage are collected: no more than without the ballast of %d", room, ballast)
	}
}
