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

// Present returns the public form of an error, and logs its cause.
func Present(ctx context.Context, err error) *gqlerror.Error {
	presented := &gqlerror.Error{Path: graphql.GetPath(ctx), Locations: locations(ctx)}
	var wrapped *gqlerror.Error
	if errors.As(err, &wrapped) {
		if presented.Locations == nil {
			presented.Locations = wrapped.Locations
		}
		if isElement(wrapped.Path, presented.Path) {
			presented.Path = wrapped.Path
		}
	}
	public, cause := of(err, wrapped)
	if isPayload(ctx, presented.Path) {
		public = public.mayBeExecuted()
	}
	presented.Message, presented.Extensions = public.Message, public.extensions()
	if cause == err && wrapped != nil && wrapped.Err != nil {
		cause = wrapped.Err // without the path, so that Once recognises it in other fields
	}
	if cause != nil {
		log(ctx, public.Code, cause, presented.Path.String())
	}
	return presented
}

// isPayload reports whether path is in the payload of a mutation, which is read after the write.
func isPayload(ctx context.Context, path ast.Path) bool {
	if len(path) < 2 || !graphql.HasOperationContext(ctx) {
		return false
	}
	operation := graphql.GetOperationContext(ctx).Operation
	return operation != nil && operation.Operation == ast.Mutation
}

// isElement reports whether path is an element of the list. Other paths may be of arguments, which
// are not in the response.
func isElement(path, list ast.Path) bool {
	n := len(list)
	if len(path) != n+1 || path[:n].String() != list.String() {
		return false
	}
	_, ok := path[n].(ast.PathIndex)
	return ok
}

func locations(ctx context.Context) []gqlerror.Location {
	for field := graphql.GetFieldContext(ctx); field != nil; field = field.Parent {
		if field.Field.Field != nil && field.Field.Position != nil {
			return []gqlerror.Location{{Line: field.Field.Position.Line, Column: field.Field.Position.Column}}
		}
	}
	return nil
}

// of is [Of], but messages of syntax and validation errors are public.
func of(err error, wrapped *gqlerror.Error) (*Error, error) {
	if wrapped == nil {
		return Of(err)
	}
	switch wrapped.Extensions["code"] {
	case errcode.ParseFailed, errcode.ValidationFailed:
		presented := BadUserInput("%s", short(wrapped.Message))
		if why := (*Error)(nil); errors.As(wrapped.Err, &why) {
			presented.Code, presented.Extensions = why.Code, why.Extensions
		}
		return presented, nil
	}
	return Of(err)
}

// maxMessage is the maximum length in JSON of a message that may repeat input.
const maxMessage = 150

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

// Recover logs the stack of a panic, and returns an internal error. It returns an [Error]
// unchanged.
func Recover(ctx context.Context, panicked any) error {
	if public, ok := panicked.(*Error); ok {
		return public
	}
	zerolog.Ctx(ctx).Error().Bytes("stack", debug.Stack()).Msg(fmt.Sprintf("panic: %v", panicked))
	return &Error{Code: CodeInternal, Message: "internal error"}
}

type loggedKey struct{}

// Once returns a ctx that logs each cause only once.
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
