import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RelayEnvironmentProvider } from 'react-relay';
import { App } from './App';
import { environment } from './environment';
import { ErrorBoundary } from './ui';

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <RelayEnvironmentProvider environment={environment}>
      <ErrorBoundary onRetry={() => location.reload()}>
        <App />
      </ErrorBoundary>
    </RelayEnvironmentProvider>
  </StrictMode>,
);
