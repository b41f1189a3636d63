import { Component, createContext, use, useEffect, useEffectEvent, useRef, useState, type ReactNode } from 'react';
import { type GraphQLTaggedNode, useMutation, type UseMutationConfig, type usePaginationFragment } from 'react-relay';
import type { FetchPolicy, MutationParameters } from 'relay-runtime';

export const FetchOptions = createContext<{ fetchKey: number; fetchPolicy?: FetchPolicy }>({ fetchKey: 0 });

/** The fetch options of a page's query. Each visit has its own key, so that it repeats a failed query. */
export const useFetchOptions = () => use(FetchOptions);

export const href = (...parts: string[]) => `#/${parts.map(encodeURIComponent).join('/')}`;

const numbers = new Intl.NumberFormat('en', { notation: 'compact' });

/** Such as "1 follower" or "12K followers". */
export const count = (n: number, noun: string) => `${numbers.format(n)} ${noun}${n === 1 ? '' : 's'}`;

const icons = {
  home: 'M4 11 12 4l8 7v9h-5v-6H9v6H4z',
  tree: 'M9 3h6v5H9zM3 16h6v5H3zM15 16h6v5h-6zM12 8v4M6 16v-4h12v4',
  person: 'M12 4a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM4 21c0-4 3.5-6.5 8-6.5s8 2.5 8 6.5',
  heart: 'M12 20.5C4 15 3 11.5 3 9a4.7 4.7 0 0 1 9-2 4.7 4.7 0 0 1 9 2c0 2.5-1 6-9 11.5z',
  comment: 'M21 11.5a8 8 0 0 1-11.5 7.2L4 20l1.3-5A8 8 0 1 1 21 11.5z',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  next: 'm9 5 7 7-7 7',
};
export type IconName = keyof typeof icons;

/** Screen readers ignore an icon without a label. */
export const Icon = ({ name, label }: { name: IconName; label?: string }) => (
  <svg className="icon" viewBox="0 0 24 24" role={label && 'img'} aria-label={label} aria-hidden={!label}>
    <path d={icons[name]} />
  </svg>
);

export const Picture = ({ url, alt }: { url: string; alt: string }) => (
  <img src={url} alt={alt} loading="lazy" onError={({ currentTarget }) => (currentTarget.hidden = true)} />
);

type Person = { readonly username: string; readonly name: string; readonly avatarUrl: string | null };

/** The picture covers the letter, if it can be loaded. */
export function Avatar({ of: { username, name, avatarUrl } }: { of: Person }) {
  const hue = [...username].reduce((sum, letter) => sum + letter.codePointAt(0)! * 47, 0) % 360;
  return (
    <span className="avatar" style={{ '--hue': hue } as object} aria-hidden="true">
      {[...name][0].toUpperCase()}
      {avatarUrl && <Picture url={avatarUrl} alt="" />}
    </span>
  );
}

const times = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

const Time = ({ at }: { at: string }) => <time dateTime={at}>{times.format(new Date(at))}</time>;

type EntryProps = { noun: string; author: Person; at: string; link?: string; mark?: ReactNode; children: ReactNode };

/** A twit or a comment. */
export const Entry = ({ noun, author, at, link, mark, children }: EntryProps) => (
  <article aria-label={`${noun} of ${author.username}`}>
    <Avatar of={author} />
    <div>
      <p className="by">
        <a href={href('user', author.username)}>{author.name}</a> @{author.username} ·{' '}
        {link ? <a href={link}><Time at={at} /></a> : <Time at={at} />} {mark}
      </p>
      {children}
    </div>
  </article>
);

export const Title = ({ beside, children }: { beside?: ReactNode; children: string }) => (
  <>
    <title>{`${children} · twibase`}</title>
    <div className="title"><h1>{children}</h1>{beside}</div>
  </>
);

export const Empty = ({ children }: { children: ReactNode }) => <p className="empty">{children}</p>;

export const Loading = () => <p className="loading"><progress aria-label="Loading" /></p>;

/** Replaces Relay's message for an error of a field. */
export const Failure = ({ error: { message }, onRetry }: { error: Error; onRetry?: () => void }) => (
  <div className="failure" role="alert">
    <p>{message.startsWith('Relay:') ? 'This could not be loaded completely.' : message}</p>
    {onRetry && <button onClick={onRetry}>Try again</button>}
  </div>
);

export class ErrorBoundary extends Component<{ onRetry?: () => void; children: ReactNode }, { error?: Error }> {
  state: { error?: Error } = {};
  static getDerivedStateFromError = (error: Error) => ({ error });
  render() {
    const { error } = this.state;
    return error ? <Failure error={error} onRetry={this.props.onRetry} /> : this.props.children;
  }
}

type Pages = Pick<ReturnType<typeof usePaginationFragment>, 'hasNext' | 'isLoadingNext' | 'loadNext'>;
type ListProps = { label: string; pages: Pages; none: string; children: readonly ReactNode[] };

/** Loads the next page when its end is almost visible. A page may be empty without being the last. */
export function List({ label, pages: { hasNext, isLoadingNext, loadNext }, none, children }: ListProps) {
  const end = useRef<HTMLDivElement>(null);
  const [error, setError] = useState<Error | null>(null);
  const load = () => loadNext(20, { onComplete: setError });
  const onNear = useEffectEvent(load);
  const waiting = hasNext && !isLoadingNext && !error;
  useEffect(() => {
    if (!waiting) return;
    const observer = new IntersectionObserver(([entry]) => entry.isIntersecting && onNear(), { rootMargin: '600px' });
    observer.observe(end.current!);
    return () => observer.disconnect();
  }, [waiting]);
  return (
    <>
      {children.length > 0 && <div role="feed" aria-label={label} aria-busy={isLoadingNext}>{children}</div>}
      {children.length === 0 && !hasNext && <Empty>{none}</Empty>}
      {error ? <Failure error={error} onRetry={load} /> : <div ref={end}>{hasNext && <Loading />}</div>}
    </>
  );
}

/** Commits a mutation, and keeps the error of the request, a field or the input. */
export function useAction<Mutation extends MutationParameters>(mutation: GraphQLTaggedNode) {
  const [commit, pending] = useMutation<Mutation>(mutation);
  const [failure, setFailure] = useState('');
  function act(config: UseMutationConfig<Mutation>, onSuccess?: () => void) {
    setFailure('');
    commit({
      ...config,
      onError: ({ message }) => setFailure(message),
      onCompleted(response, errors) {
        const payloads = Object.values(response as Record<string, { userErrors: { message: string }[] } | null>);
        const problem = errors?.[0] ?? payloads.flatMap((payload) => payload?.userErrors ?? [])[0];
        if (problem) setFailure(problem.message);
        else onSuccess?.();
      },
    });
  }
  return [act, pending, failure && <span className="error" role="alert">{failure}</span>] as const;
}
