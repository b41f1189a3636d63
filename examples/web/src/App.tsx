import { Suspense, useEffect, useState, useTransition } from 'react';
import { graphql, useLazyLoadQuery } from 'react-relay';
import type { FetchPolicy } from 'relay-runtime';
import type { AppQuery } from './__generated__/AppQuery.graphql';
import { Department, Departments } from './Departments';
import { Profile } from './Profile';
import { signOut, token } from './session';
import { Timeline } from './Timeline';
import { TwitPage } from './TwitPage';
import { ErrorBoundary, FetchOptions, href, Icon, type IconName, Loading } from './ui';

/** The page of a URL fragment: any static server can serve it. */
function Page({ address }: { address: string }) {
  const [, kind, part] = address.split('/');
  const key = part && decodeURIComponent(part);
  if (kind === 'user' && key) return <Profile username={key} />;
  if (kind === 'twit' && key) return <TwitPage id={key} />;
  if (kind === 'departments') return key ? <Department code={key} /> : <Departments />;
  return <Timeline />;
}

// shown is called when the page is rendered.
type Visit = { address: string; fetchKey: number; fetchPolicy?: FetchPolicy; shown: () => void };

export function App() {
  const [visit, setVisit] = useState<Visit>({ address: location.hash, fetchKey: 0, shown: () => {} });
  const [pending, startTransition] = useTransition();

  // The current page stays until the next one has data.
  function open(shown: () => void, fetchPolicy?: FetchPolicy) {
    const address = location.hash;
    startTransition(() => setVisit(({ fetchKey }) => ({ address, fetchKey: fetchKey + 1, fetchPolicy, shown })));
  }
  useEffect(() => {
    function onNavigate(event: NavigateEvent) {
      if (event.hashChange) event.intercept({ handler: () => new Promise<void>((resolve) => open(resolve)) });
    }
    navigation.addEventListener('navigate', onNavigate);
    return () => navigation.removeEventListener('navigate', onNavigate);
  }, []);
  useEffect(() => visit.shown(), [visit]); // the browser scrolls now

  return (
    <>
      <header>
        <a className="brand" href="#/">twibase</a>
        <Suspense fallback={<nav />}><Navigation address={visit.address} /></Suspense>
        {token() ? <button onClick={() => signOut()}>Sign out</button> : <a href="#/">Sign in</a>}
      </header>
      <main aria-busy={pending}>
        <Suspense fallback={<Loading />}>
          <FetchOptions value={visit}>
            <ErrorBoundary key={visit.fetchKey} onRetry={() => open(() => {}, 'network-only')}>
              <Page address={visit.address} />
            </ErrorBoundary>
          </FetchOptions>
        </Suspense>
      </main>
    </>
  );
}

function Navigation({ address }: { address: string }) {
  const { viewer } = useLazyLoadQuery<AppQuery>(
    graphql`
      query AppQuery @throwOnFieldError { viewer { username } }
    `,
    {},
  );
  const link = (to: string, icon: IconName, text: string) => (
    <a href={to} aria-current={`${address || '#/'}/`.startsWith(`${to}/`) ? 'page' : undefined}>
      <Icon name={icon} />
      {text}
    </a>
  );
  return (
    <nav aria-label="Pages">
      {link('#/', 'home', 'Timeline')}
      {link('#/departments', 'tree', 'Departments')}
      {viewer && link(href('user', viewer.username), 'person', 'Profile')}
    </nav>
  );
}
