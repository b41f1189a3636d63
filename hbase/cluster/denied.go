package cluster

import (
	"fmt"
	"regexp"
)

type denial struct {
	user  string
	right string // e.g. READ
	// target is a table, @NAMESPACE, or empty for the cluster.
	target string
}

// HBase's message has two forms:
//
//	… for user 'USER' (table=TABLE, action=RIGHT)
//	… (user=USER, scope=SCOPE, params=[table=TABLE,…],action=RIGHT)
//
// For a namespace, namespace=NAMESPACE replaces table=TABLE. For the cluster, both are missing.
var (
	deniedUser      = regexp.MustCompile(`(?:for user '|user=)([^',)]+)`)
	deniedRight     = regexp.MustCompile(`action=(\w+)`)
	deniedNamespace = regexp.MustCompile(`[(\[]namespace=([^,)\]]+)`)
	deniedTable     = regexp.MustCompile(`[(\[]table=(?:default:)?([^,)\]]+)`)
)

// For an unknown user, the message names no right.
func parseDenial(text string) (d denial, ok bool) {
	part := func(in *regexp.Regexp) string {
		if found := in.FindStringSubmatch(text); found != nil {
			return found[1]
		}
		return ""
	}
	d = denial{user: part(deniedUser), right: part(deniedRight)}
	if namespace := part(deniedNamespace); namespace != "" {
		d.target = "@" + namespace
	} else {
		d.target = part(deniedTable)
	}
	return d, d.user != "" && d.right != ""
}

func (d denial) grant() string {
	// The letter is the initial of the action, except for EXEC, which no call needs.
	command := fmt.Sprintf("grant '%s', '%s'", d.user, d.right[:1])
	if d.target != "" {
		command += fmt.Sprintf(", '%s'", d.target)
	}
	return command
}

func (d denial) String() string {
	return fmt.Sprintf("user %s lacks the right %s; in the HBase shell: %s", d.user, d.right, d.grant())
}

func (s *Store) reportDenied(text string) {
	d, ok := parseDenial(text)
	if !ok {
		d = denial{right: firstLines(text)}
	}
	if _, logged := s.denied.LoadOrStore(d, true); logged {
		return
	}
	event := s.log.Error().Str("table", d.target).Str("right", d.right)
	if ok {
		event = event.Str("shell", d.grant())
	}
	event.Msg("HBase denies a right: grant it in the HBase shell")
}
