package plan

// The tests of graphql-js (src/execution/__tests__), and the tests here of the same behaviour:
//
//	executor    merged fields, arbitrary code                  TestExecution, TestFieldMerging
//	            info, path, root value and arguments           TestResolverContext
//	            errors, promise rejection, null subtrees       TestErrorsOfSeveralFields, TestBatchErrorsArePerParent
//	            response path of non-null fields               TestNonNullChain
//	            operation by name, inline, unknown             TestOperationIsSelectedByName
//	            invalid documents                              TestInvalidDocumentCallsNoResolver; graphql-js executes some
//	            field order                                    TestResponseFieldsAreInQueryOrder
//	            isTypeOf fails                                 TestAbstractTypes, with an unknown type
//	            serialize returns no value                     TestNullPropagation, TestLeafListNullability
//	            no document, no schema                         graph/endpoint/request_test.go
//	            custom resolvers, maximum of coercion errors   none
//	lists       values, null, errors in each nullability       TestListNullability, TestLeafListNullability
//	nonnull     nullable field, object, top                    TestNullPropagation, TestResolverErrors
//	            tree of nullable fields, chain of non-null     TestNullableTree, TestNonNullChain
//	            non-null arguments                             TestVariables; with generated code TestInputs
//	abstract    unions, interfaces, type conditions            TestAbstractTypes
//	            introspection of them                          TestIntrospection
//	            resolveType, isTypeOf                          none: the Go type has one object type
//	variables   input objects, lists, null, defaults, errors   TestVariables, TestArgumentErrors; with generated code TestInputs
//	            custom scalars, enums                          TestInputs, TestVariables
//	directives  scalars and fragments                          TestDirectives, TestEveryCombinationOfSkipAndInclude
//	mutations   serial execution, errors                       TestMutationsAreSerial
//	resolve     properties, methods, resolvers                 TestExecution; methods in e2e
//	schema      a complex schema                               e2e
//	sync        no promise without asynchronous fields         TestGoroutinesPerLevel
//	oneof                                                      none: the schema has none
//	subscribe   source, errors, order, end, number of fields   subscription_test.go
