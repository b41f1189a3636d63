//go:build switched

package main

import "twibase/hbase"

func init() {
	setSwitches = func(untraced, off bool) { hbase.Untraced, hbase.TracingOff = untraced, off }
}
