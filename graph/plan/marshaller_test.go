package plan

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"runtime/debug"
	"testing"

	"github.com/99designs/gqlgen/graphql"
)

func (fx *fixture) withMarshaller(marshal func(ctx context.Context, value any) graphql.Marshaler) *planned {
	schema := fx.build()
	leaf := schema.config.Types.Objects["T"].Fields["leaf"]
	leaf.AddsErrors = true
	leaf.Leaf = func(ctx context.Context, _ any, dst []byte, object any) ([]byte, bool) {
		return AppendMarshaler(dst, marshal(ctx, property(object, "leaf")))
	}
	return schema
}

func TestMarshallerErrorFailsItsFieldOnly(t *testing.T) {
	// marshal is like gqlgen's code of a leaf. For null it adds an error, unless the field has one.
	// NaN fails in MarshalGQL.
	marshal := func(ctx context.Context, value any) graphql.Marshaler {
		switch value {
		case nil:
			for range 2 {
				if !graphql.HasFieldError(ctx, graphql.GetFieldContext(ctx)) {
					graphql.AddErrorf(ctx, "the requested element is null")
				}
			}
			return graphql.Null
		case "NaN":
			return graphql.WrapContextMarshaler(ctx, graphql.MarshalFloatContext(math.NaN()))
		}
		return graphql.MarshalString(value.(string))
	}
	for _, test := range []struct {
		name, query string
		objects     []any
		want        string
	}{
		{"a value that can't be marshalled is null, with an error", `{list{list{x:leaf}}}`, list(obj("T", "list", list(obj("T", "leaf", "a"), obj("T", "leaf", "NaN")))),
			`{"errors":[` + errorJSON(`"list",0,"list",1,"x"`, "cannot marshal infinite no NaN float values", "12") + `],"data":{"list":[{"list":[{"x":"a"},{"x":null}]}]}}`},
		{"null with an error has no second error", `{list{leaf}}`, list(obj("T")),
			`{"errors":[` + errorJSON(`"list",0,"leaf"`, "the requested element is null", "7") + `],"data":{"list":[null]}}`},
		{"an error is not repeated if another leaf panics", `{list{leaf s}}`, list(obj("T", "leaf", "NaN", "s", panics{}), obj("T", "leaf", "b", "s", "s")),
			`{"errors":[` + errorJSON(`"list",0,"leaf"`, "cannot marshal infinite no NaN float values", "7") + `,` + errorJSON(`"list",0,"s"`, "panic of a leaf", "12") +
				`],"data":{"list":[{"leaf":null,"s":null},{"leaf":"b","s":"s"}]}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			schema := nullable().with(map[string]resolver{"Query.list": returns(test.objects)}).withMarshaller(marshal)
			schema.config.Types.Objects["T"].Fields["leaf"].NonNull = test.objects[0].(*testObject).fields["leaf"] == nil
			if got := execute(newExecutor(schema), test.query, "", nil); got != test.want {
				t.Errorf("response:\ngot  %s\nwant %s", got, test.want)
			}
		})
	}
	t.Run("a panic that does not recur is an error, with the marshaller in its stack", func(t *testing.T) {
		fx := nullable().with(map[string]resolver{"Query.list": returns(list(obj("T", "leaf", "a")))})
		e := newExecutor(fx.withMarshaller(new(panicsOnce).marshaller))
		var stack []byte
		e.SetRecoverFunc(func(_ context.Context, p any) error {
			stack = debug.Stack()
			return fmt.Errorf("panic of %v", p)
		})
		want := `{"errors":[{"message":"panic of a marshaller"}],"data":{"list":[{"leaf":"a"}]}}`
		if got := execute(e, `{list{leaf}}`, "", nil); got != want {
			t.Errorf("response:\ngot  %s\nwant %s", got, want)
		}
		if !bytes.Contains(stack, []byte("panicsOnce")) {
			t.Errorf("the stack of the panic is\n%s", stack)
		}
	})
	t.Run("a marshaller has the ctx of its field", func(t *testing.T) {
		type key struct{}
		fx := nullable().with(map[string]resolver{"Query.list": returns(list(obj("T", "leaf", "a")))})
		schema := fx.withMarshaller(func(ctx context.Context, value any) graphql.Marshaler {
			if graphql.GetFieldContext(ctx).Field.Alias != "x" || ctx.Value(key{}) != "outside" || ctx.Err() != nil {
				t.Errorf("ctx of %v", graphql.GetPath(ctx))
			}
			panic("a marshaller")
		})
		e := newExecutor(schema)
		e.AroundResponses(func(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
			return next(context.WithValue(ctx, key{}, "outside"))
		})
		want := `{"errors":[` + errorJSON(`"list",0,"x"`, "panic of a marshaller", "7") + `],"data":{"list":[{"x":null}]}}`
		if got := execute(e, `{list{x:leaf}}`, "", nil); got != want {
			t.Errorf("response:\ngot  %s\nwant %s", got, want)
		}
	})
}

func TestMarshallerErrorsCountTowardsTheBound(t *testing.T) {
	var objects []any
	for range 100 {
		objects = append(objects, obj("T", "leaf", "x"))
	}
	fx := nullable().with(map[string]resolver{"Query.list": returns(objects)})
	schema := fx.withMarshaller(func(ctx context.Context, _ any) graphql.Marshaler {
		graphql.AddError(ctx, errNo)
		return graphql.Null
	})
	bounds := &Bounds{Errors: 4}
	e := newExecutor(schema)
	e.AroundResponses(func(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
		response := next(WithBounds(ctx, bounds))
		if n := len(response.Errors) + bounds.Unreported; n != 100 {
			t.Errorf("%d errors, want 100", n)
		}
		return response
	})
	execute(e, `{list{leaf}}`, "", nil)
}

type panicsOnce struct{ panicked bool }

func (p *panicsOnce) marshaller(context.Context, any) graphql.Marshaler {
	if !p.panicked {
		p.panicked = true
		panic("a marshaller")
	}
	return graphql.MarshalString("a")
}
