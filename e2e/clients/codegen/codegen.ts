// recipe: config
import { addTypenameSelectionDocumentTransform } from '@graphql-codegen/client-preset';
import type { CodegenConfig } from '@graphql-codegen/cli';

const config: CodegenConfig = {
  schema: '../__generated__/schema.graphql', // curl https://…/schema.graphql
  documents: ['main.ts', 'apollo.ts'],
  generates: {
    './__generated__/': {
      preset: 'client',
      documentTransforms: [addTypenameSelectionDocumentTransform], // for stores: see below
      presetConfig: { persistedDocuments: true, fragmentMasking: { unmaskFunctionName: 'readFragment' } },
      config: {
        strictScalars: true,
        nullability: { errorHandlingClient: true }, // fields with @semanticNonNull are not null: see below
        scalars: { Date: 'string', DateTime: 'string', URL: 'string' },
      },
    },
  },
};
export default config;
// end of recipe
