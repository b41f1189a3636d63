// Package rebuild rebuilds derived data from its sources, also after a crash at any write. Lists lie in the right buckets, none longer than its bound. Their lengths, the sums of games
// and the ends of timelines are exact.
//
// Every function reads the owners that it is given, compares what is stored with what should be, and writes the
// difference only: if nothing differs it writes nothing. What it writes has the timestamp of what it replaces. So the
// result depends neither on the clock nor on how often a function ran. Two calls for the same owners must not run at
// the same time, nor may others write their lists during a call.
package rebuild
