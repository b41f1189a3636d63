import { Suspense, useEffect, useEffectEvent, useLayoutEffect, useRef, useState, useTransition } from 'react';
import { graphql, RelayEnvironmentProvider, useLazyLoadQuery } from 'react-relay';
import { type FetchPolicy, type IEnvironment } from 'relay-runtime';
import type { AppQuery } from './__generated__/AppQuery.graphql';
import { openPage, type OpenPage } from './router';
import { signOut } from './session';
import { ErrorBoundary, href, Icon, type IconName, Loading, ViewerContext } from './ui';

export function App({ environment, first }: { environment: IEnvironment; first: OpenPage }) {
  return (
    <RelayEnvironmentProvider environment={environment}>
      <ErrorBoundary onRetry={() => dispatchEvent(new Event('session'))}>
        <Suspense fallback={<Loading />}>
          <Shell environment={environment} first={first} />
        </Suspense>
      </ErrorBoundary>
    </RelayEnvironmentProvider>
  );
}

/** What all pages have: the navigation, and the page of the address. */
function Shell({ environment, first }: { environment: IEnvironment; first: OpenPage }) {
  const { viewer } = useLazyLoadQuery<AppQuery>(
    graphql`
      query AppQuery @throwOnFieldError {
        viewer { id username }
      }
    `,
    {},
  );
  const [page, setPage] = useState(first);
  const [pending, startTransition] = useTransition();
  const opened = useRef([first]);
  const main = useRef<HTMLElement>(null);

  // The page that is left stays until the next one has its data.
  function open(policy?: FetchPolicy) {
    const next = openPage(environment, opened.current.at(-1), policy);
    opened.current.push(next);
    startTransition(() => setPage(next));
  }
  const onAddress = useEffectEvent(() => open());
  useEffect(() => {
    addEventListener('hashchange', onAddress);
    return () => removeEventListener('hashchange', onAddress);
  }, []);
  useLayoutEffect(() => {
    while (opened.current[0] !== page) opened.current.shift()!.dispose();
    scrollTo(0, page.scroll);
    if (page !== first) main.current?.focus({ preventScroll: true });
  }, [page, first]);

  const here = `#${page.path}`;
  const link = (to: string, icon: IconName, text: string) => (
    <a href={to} aria-current={here === to || here.startsWith(`${to}/`) ? 'page' : undefined}>
      <Icon name={icon} />
      {text}
    </a>
  );
  return (
    <ViewerContext value={viewer}>
      <button className="skip" onClick={() => main.current?.focus()}>Skip to content</button>
      <header>
        <a className="brand" href="#/">twibase</a>
        <nav aria-label="Pages">
          {link('#/', 'home', 'Timeline')}
          {link('#/departments', 'tree', 'Departments')}
          {viewer && link(href('user', viewer.username), 'person', 'Profile')}
        </nav>
        {viewer ? <button onClick={() => signOut()}>Sign out</button> : <a href="#/">Sign in</a>}
      </header>
      <main ref={main} tabIndex={-1} aria-busy={pending}>
        <Suspense fallback={<Loading />}>
          <ErrorBoundary key={page.id} onRetry={() => open('network-only')}>
            {page.element}
          </ErrorBoundary>
        </Suspense>
      </main>
    </ViewerContext>
  );
}
