package apierr

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/rs/zerolog"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// Present returns the form of an error that goes to the client, and logs its cause through the logger of ctx. It is for gqlgen.
func Present(ctx context.Context, err error) *gqlerror.Error {
	answer := &gqlerror.Error{Path: graphql.GetPath(ctx), Locations: locations(ctx)}
	var wrapped *gqlerror.Error
	if errors.As(err, &wrapped) {
		if answer.Locations == nil {
			answer.Locations = wrapped.Locations
		}
		if isElement(wrapped.Path, answer.Path) {
			answer.Path = wrapped.Path
		}
	}
	public, cause := of(err, wrapped)
	answer.Message, answer.Extensions = public.Message, public.extensions()
	if cause == err && wrapped != nil && wrapped.Err != nil {
		cause = wrapped.Err // without the field's place, by which the same cause would be logged for each
	}
	if cause != nil {
		log(ctx, public.Code, cause, answer.Path.String())
	}
	return answer
}

// isElement reports whether a path is that of an element of the list at another. No other path that an error brings along is
// one in the response: that of an argument goes on into the argument, and gqlgen takes the only parent of a batch for the first element of
// whatever list it is in.
func isElement(path, of ast.Path) bool {
	n := len(of)
	if len(path) != n+1 || path[:n].String() != of.String() {
		return false
	}
	_, ok := path[n].(ast.PathIndex)
	return ok
}

// locations returns where the document has the field of ctx, nil outside of a field.
func locations(ctx context.Context) []gqlerror.Location {
	for field := graphql.GetFieldContext(ctx); field != nil; field = field.Parent {
		if field.Field.Field != nil && field.Field.Position != nil {
			return []gqlerror.Location{{Line: field.Field.Position.Line, Column: field.Field.Position.Column}}
		}
	}
	return nil
}

// of is [Of], except for errors that say why a request is refused before execution: their messages are public.
func of(err error, wrapped *gqlerror.Error) (*Error, error) {
	if wrapped == nil {
		return Of(err)
	}
	switch wrapped.Extensions["code"] {
	case errcode.ParseFailed, errcode.ValidationFailed:
		answer := BadUserInput("%s", short(wrapped.Message))
		if why := (*Error)(nil); errors.As(wrapped.Err, &why) { // A scalar may have a code of its own.
			answer.Code, answer.Extensions = why.Code, why.Extensions
		}
		return answer, nil
	}
	return Of(err)
}

// maxMessage is how long a message is in JSON, in bytes, that may repeat what the client sent: four of them, of which a refusal has no more, with all
// that stands around them have less than a KiB.
const maxMessage = 150

// short cuts a message where it would be too long in JSON, which makes six bytes of one.
func short(message string) string {
	message = strings.ToValidUTF8(message, "\uFFFD")
	length := 0
	for i, r := range message {
		text, _ := json.Marshal(string(r))
		if length += len(text) - len(`""`); length > maxMessage {
			return message[:i] + "…"
		}
	}
	return message
}

// Recover turns a panic into an error that [Present] masks, and logs where it happened; an [Error] stays what it is. It is for gqlgen.
func Recover(ctx context.Context, panicked any) error {
	if public, ok := panicked.(*Error); ok {
		return public
	}
	zerolog.Ctx(ctx).Error().Bytes("stack", debug.Stack()).Msg(fmt.Sprintf("panic: %v", panicked))
	return &Error{Code: CodeInternal, Message: "internal error"}
}

type loggedKey struct{}

// Once returns a ctx in which a cause is logged once, however many fields fail of it.
func Once(ctx context.Context) context.Context {
	return context.WithValue(ctx, loggedKey{}, new(sync.Map))
}

func log(ctx context.Context, code Code, cause error, path string) {
	if logged, ok := ctx.Value(loggedKey{}).(*sync.Map); ok {
		if _, again := logged.LoadOrStore(cause.Error(), true); again {
			return
		}
	}
	zerolog.Ctx(ctx).Error().Err(cause).Str("code", string(code)).Str("path", path).Msg("a field failed")
}
