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

// Present is gqlgen's error presenter: it returns the public form of an error, and logs its cause
// to the logger of ctx.
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
		cause = wrapped.Err // without the path, so that Once recognises it in other fields
	}
	if cause != nil {
		log(ctx, public.Code, cause, answer.Path.String())
	}
	return answer
}

// isElement reports whether a path is that of an element of the list at another path. Other paths
// of errors are not paths in the response: the path of an argument continues inside the argument,
// and gqlgen gives the only parent of a batch the path of a first list element.
func isElement(path, of ast.Path) bool {
	n := len(of)
	if len(path) != n+1 || path[:n].String() != of.String() {
		return false
	}
	_, ok := path[n].(ast.PathIndex)
	return ok
}

// locations returns the position of the field of ctx in the document, nil outside of a field.
func locations(ctx context.Context) []gqlerror.Location {
	for field := graphql.GetFieldContext(ctx); field != nil; field = field.Parent {
		if field.Field.Field != nil && field.Field.Position != nil {
			return []gqlerror.Location{{Line: field.Field.Position.Line, Column: field.Field.Position.Column}}
		}
	}
	return nil
}

// of is [Of], but the messages of errors that refuse a request before execution are public.
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

// maxMessage bounds a message that may repeat input of the client, as bytes of JSON. A refusal has
// at most four errors, so it is shorter than 1 KiB.
const maxMessage = 150

// short truncates a message to maxMessage. JSON may escape one byte as six.
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

// Recover is gqlgen's recover function: it logs the stack of a panic, and returns an internal
// error. It returns an [Error] as it is.
func Recover(ctx context.Context, panicked any) error {
	if public, ok := panicked.(*Error); ok {
		return public
	}
	zerolog.Ctx(ctx).Error().Bytes("stack", debug.Stack()).Msg(fmt.Sprintf("panic: %v", panicked))
	return &Error{Code: CodeInternal, Message: "internal error"}
}

type loggedKey struct{}

// Once returns a ctx in which each cause is logged once, even if it fails many fields.
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
