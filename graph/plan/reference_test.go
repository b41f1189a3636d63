package plan

// What graphql-js's tests of execution (src/execution/__tests__) show, and where it is shown here:
//
//	executor      throws without document, schema; variables that are no object   the endpoint's: graph/endpoint/request_test.go
//	              executes arbitrary code; merges parallel fragments              TestExecution, TestFieldMerging
//	              info of a resolver; path with complex types; threads root
//	              value, context and arguments                                    TestResolverContext
//	              nulls out error subtrees; promise rejection; sync errors
//	              combined with rejections                                        TestErrorsOfSeveralFields, TestBatchErrorsArePerParent
//	              full response path for non-nullable fields                      TestNonNullChain
//	              inline, only and named operation; none, unknown, empty name;
//	              query, mutation and subscription schema                         TestOperationIsSelectedByName
//	              schema does not support operation; avoids recursion; missing
//	              sub selections; illegal fields; non-executable definitions      TestInvalidDocumentCallsNoResolver: unlike there nothing invalid is executed
//	              field ordering despite execution order                          TestResponseFieldsAreInQueryOrder
//	              arguments that were not set                                     TestVariables, TestInputs
//	              isTypeOf check is not met                                       TestAbstractTypes: a testObject of no type
//	              serialize does not return a value                               TestNullPropagation, TestLeafListNullability: a leaf's code that answers null, or panics
//	              custom field and type resolver                                  none: the code is generated
//	              max coercion errors                                             none: the first is told
//	lists         iterables                                                       none: Go's types say what a list is
//	              contains values, null, error; is null; results in error,
//	              in all four nullabilities                                       TestListNullability, TestLeafListNullability
//	nonnull       nullable field, returned object, first nullable above, top      TestNullPropagation, TestResolverErrors
//	              complex tree of nullable fields                                 TestNullableTree
//	              long chain of non-null fields                                   TestNonNullChain
//	              non-null argument: literal, variable, default, missing, null    TestVariables; with generated code TestInputs, which has an exception
//	union-        introspection of unions and interfaces                          TestIntrospection
//	interface,    unions, interfaces, inline and named fragments, abstract
//	abstract      conditions                                                      TestAbstractTypes
//	              execution info in resolveType; promises of isTypeOf             none: a Go type is its object's, whoever asks
//	              resolveType throws, or yields what is no type                   TestAbstractTypes: a testObject of no type
//	variables     complex input, inline and as a variable; single value to list;
//	              null, also in lists; undefined; defaults; errors of nested,
//	              unknown, omitted and null fields; lists in all nullabilities;
//	              types that are no input                                         TestVariables; with generated code TestInputs
//	              custom scalars, and faulty oneParent                                 TestInputs: URL
//	              enums, custom oneParent that stand for null or NaN                   TestVariables, TestInputs; ours stand for themselves
//	              argument's defaults; not if it can't be coerced                 TestVariables, TestArgumentErrors
//	directives    scalars, fragment spreads, inline and anonymous oneParent, both      TestDirectives, TestEveryCombinationOfSkipAndInclude
//	mutations     serially; with a failed one                                     TestMutationsAreSerial
//	              illegal fields                                                  TestInvalidDocumentCallsNoResolver
//	resolve       properties, methods with arguments, a resolver                  TestExecution; methods e2e: avatarUrl, totalCount, introspection's fields
//	schema        a complex schema                                                e2e: all of ours
//	sync          no promise if nothing is asynchronous                           goroutine_test.go: a level with one resolver starts none
//	oneof         objects of which exactly one field is given                     none: the schema has none
//	subscribe     the source, its errors, its order, its end                      subscription_test.go
//	              more than one field; unknown field                              subscription_test.go, and validation
//
// Beyond it constant_test.go holds what is kept between requests, since graphql-js keeps nothing.
