// Package settle makes what follows from the truth follow from it again, whatever was written in between and whichever write
// was the last one before a crash: lists lie in the right buckets, none longer than its bound, and their lengths, the sums of
// games, the tree of departments and the ends of timelines are exact.
//
// Every function looks at the owners that it is given, compares what is stored with what should be, and writes the difference
// alone: on a settled store it writes nothing. What it writes has the timestamp of what it replaces, so that it neither depends
// on the clock nor on how often it ran. Two calls for the same owners must not run at the same time, nor other writes of their
// lists.
package settle
