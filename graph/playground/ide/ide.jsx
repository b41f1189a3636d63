import './ide.css';
import { createGraphiQLFetcher } from '@graphiql/toolkit';
import { GraphiQL } from 'graphiql';
import { createRoot } from 'react-dom/client';

// build.mjs puts these in: what each worker's script is called, and the examples' texts in the order of their names.
/* global WORKERS, EXAMPLES */

globalThis.MonacoEnvironment = {
  getWorker: (_, label) => new Worker(new URL(WORKERS[label] ?? WORKERS.editor, import.meta.url)),
};

const headers = `{
  // Who are you? Paste here what "twibase token LiLei" prints.
  // "Authorization": "Bearer …",
  // What did it cost? See extensions.report in the answer.
  // "X-Twibase-Report": "1"
}`;

createRoot(document.getElementById('ide')).render(
  <GraphiQL
    fetcher={createGraphiQLFetcher({ url: new URL('graphql', document.baseURI).href })}
    defaultTabs={EXAMPLES.map((query) => ({ query, headers }))}
    defaultHeaders={headers}
    defaultEditorToolsVisibility="headers"
    shouldPersistHeaders={false}
  />,
);
