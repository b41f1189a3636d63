import './ide.css';
import { createGraphiQLFetcher } from '@graphiql/toolkit';
import { GraphiQL } from 'graphiql';
import { createRoot } from 'react-dom/client';
import { Cost, CostButtons, costing } from './cost.jsx';

// build.mjs puts these in: what each worker's script is called, and the examples' texts in the order of their names.
/* global WORKERS, EXAMPLES */

globalThis.MonacoEnvironment = {
  getWorker: (_, label) => new Worker(new URL(WORKERS[label] ?? WORKERS.editor, import.meta.url)),
};

const headers = `{
  // Who are you? Paste here what "twibase token LiLei" prints.
  // "Authorization": "Bearer …",
  // What did it cost? The buttons beside the query ask for extensions.plan and extensions.report, as these do.
  // "X-Twibase-Report": "1",
  // "X-Twibase-Explain": "1"
}`;

const url = new URL('graphql', document.baseURI).href;
const subscriptionUrl = url.replace(/^http/, 'ws'); // the headers go into connection_init

createRoot(document.getElementById('ide')).render(
  <GraphiQL
    fetcher={costing(createGraphiQLFetcher({ url, subscriptionUrl, enableIncrementalDelivery: false }))}
    defaultTabs={EXAMPLES.map((query) => ({ query, headers }))}
    defaultHeaders={headers}
    defaultEditorToolsVisibility="headers"
    shouldPersistHeaders={false}
  >
    <GraphiQL.Toolbar>
      {({ prettify, merge, copy }) => (
        <>
          <CostButtons />
          {prettify}
          {merge}
          {copy}
        </>
      )}
    </GraphiQL.Toolbar>
    <GraphiQL.Footer>
      <Cost />
    </GraphiQL.Footer>
  </GraphiQL>,
);
