import './ide.css';
import { createGraphiQLFetcher } from '@graphiql/toolkit';
import { GraphiQL } from 'graphiql';
import { createRoot } from 'react-dom/client';
import { Cost, CostButtons, costing } from './cost.jsx';

// Set by build.mjs: the script of each worker, and the texts of the examples.
/* global WORKERS, EXAMPLES */

globalThis.MonacoEnvironment = {
  getWorker: (_, label) => new Worker(new URL(WORKERS[label] ?? WORKERS.editor, import.meta.url)),
};

const headers = `{
  // Your token, as printed by "twibase token LiLei".
  // "Authorization": "Bearer …",
  // The cost, in extensions.report and extensions.plan, as with the buttons next to the query.
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
