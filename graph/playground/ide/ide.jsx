import './ide.css';
import { explorerPlugin } from '@graphiql/plugin-explorer';
import { GraphiQL, HISTORY_PLUGIN } from 'graphiql';
import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { useEffect } from 'react';
import { createRoot } from 'react-dom/client';
import { Cost, CostButtons } from './cost.jsx';
import { fetcher } from './fetcher.js';
import { ShareButtons, SharedOperation, shared } from './share.jsx';
import { Viewer } from './viewerform.jsx';

// Set by build.mjs: the script of each worker, and the texts of the examples.
/* global WORKERS, EXAMPLES */

globalThis.MonacoEnvironment = {
  getWorker: (_, label) => new Worker(new URL(WORKERS[label] ?? WORKERS.editor, import.meta.url)),
};

const headers = `{
  // Headers of this tab. A token here takes precedence over the viewer at the top.
  // "Authorization": "Bearer …"
}`;
const tabs = EXAMPLES.map((query) => ({ query, headers }));
const plugins = [explorerPlugin({ showAttribution: false }), HISTORY_PLUGIN];

// SystemTheme follows the system's colour scheme, which GraphiQL reads only at the start.
function SystemTheme() {
  const { setTheme } = useGraphiQLActions();
  const chosen = useGraphiQL(({ theme }) => theme);
  useEffect(() => {
    if (chosen) return undefined;
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const follow = () => setTheme(null);
    dark.addEventListener('change', follow);
    return () => dark.removeEventListener('change', follow);
  }, [chosen, setTheme]);
  return null;
}

createRoot(document.getElementById('ide')).render(
  <GraphiQL
    fetcher={fetcher}
    plugins={plugins}
    defaultTabs={shared.query ? [{ ...shared, headers }, ...tabs] : tabs}
    initialQuery={shared.query}
    initialVariables={shared.variables}
    defaultHeaders={headers}
    defaultEditorToolsVisibility="variables"
    shouldPersistHeaders={false}
  >
    <GraphiQL.Logo>
      <Viewer />
    </GraphiQL.Logo>
    <GraphiQL.Toolbar>
      {({ prettify, merge, copy }) => (
        <>
          <CostButtons />
          {prettify}
          {merge}
          {copy}
          <ShareButtons />
        </>
      )}
    </GraphiQL.Toolbar>
    <GraphiQL.Footer>
      <Cost />
    </GraphiQL.Footer>
    <SharedOperation />
    <SystemTheme />
  </GraphiQL>,
);
