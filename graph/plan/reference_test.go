package plan

// The tests of graphql-js (src/execution/__tests__), and the tests here of the same behaviour:
//
//	executor    merged fields, arbitrary code                  TestEachSelectedFieldIsResolvedOnce,
//	                                                           TestMergedFieldHasThePlaceOfItsFirstSelectionAtEachDepth
//	            info, path, root value and arguments           TestResolverContextDescribesTheField
//	            errors, promise rejection, null subtrees       TestErrorsAreInTheOrderOfTheResponse,
//	                                                           TestBatchErrorsArePerParent
//	            response path of non-null fields               TestErrorOfANonNullChainNullsTheChainOnly
//	            operation by name, inline, unknown             TestOperationIsSelectedByName
//	            invalid documents                              TestInvalidDocumentCallsNoResolver; graphql-js executes some
//	            field order                                    TestResponseFieldsAreInQueryOrder
//	            isTypeOf fails                                 TestFragmentsApplyToTheTypesOfObjects, with an unknown type
//	            serialize returns no value                     TestNullPropagatesToTheNearestNullableField,
//	                                                           TestNullInALeafListPropagatesAsItsTypeSays
//	            no document, no schema                         graph/endpoint/request_test.go
//	            custom resolvers, maximum of coercion errors   none
//	lists       values, null, errors in each nullability       TestNullInAListPropagatesAsItsTypeSays,
//	                                                           TestNullInALeafListPropagatesAsItsTypeSays
//	nonnull     nullable field, object, top                    TestNullPropagatesToTheNearestNullableField,
//	                                                           TestResolverErrorFailsTheFieldOfItsParents
//	            tree of nullable fields, chain of non-null     TestErrorOfANullableFieldNullsItOnly,
//	                                                           TestErrorOfANonNullChainNullsTheChainOnly
//	            non-null arguments                             TestVariablesAreCoercedToArguments,
//	                                                           with generated code: TestGeneratedCodeDecodesInputObjects
//	abstract    unions, interfaces, type conditions            TestFragmentsApplyToTheTypesOfObjects
//	            introspection of them                          TestIntrospectionCallsNoResolver
//	            resolveType, isTypeOf                          none: the Go type has one object type
//	variables   input objects, lists, null, defaults, errors   TestVariablesAreCoercedToArguments,
//	                                                           TestInvalidArgumentFailsItsFieldOnly,
//	                                                           with generated code: TestGeneratedCodeDecodesInputObjects
//	            custom scalars, enums                          TestGeneratedCodeDecodesInputObjects,
//	                                                           TestVariablesAreCoercedToArguments
//	directives  scalars and fragments                          TestSkipAndIncludeOmitSelections,
//	                                                           TestEveryCombinationOfSkipAndInclude
//	mutations   serial execution, errors                       TestMutationsAreSerial
//	resolve     properties, methods, resolvers                 TestEachSelectedFieldIsResolvedOnce; methods in e2e
//	schema      a complex schema                               e2e
//	sync        no promise without asynchronous fields         TestEachFieldOfALevelHasItsGoroutine
//	oneof                                                      none: the schema has none
//	subscribe   source, errors, order, end, number of fields   subscription_test.go
