import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './App';
import { createEnvironment } from './environment';
import { openPage } from './router';

const root = createRoot(document.getElementById('root')!);
let sessions = 0;

// Each session has a store of its own, so that nothing of one viewer is shown to the next.
function start() {
  const environment = createEnvironment();
  root.render(
    <StrictMode>
      <App key={sessions++} environment={environment} first={openPage(environment)} />
    </StrictMode>,
  );
}

history.scrollRestoration = 'manual';
addEventListener('session', start);
start();
