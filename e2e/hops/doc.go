// Package hops has a model of subscribers who go from one gateway to the next, and of all that comes late meanwhile, or fails.
package hops
