// Pages by the fragment of the address, so that any static server can serve them.
import { type ComponentType, type ReactNode } from 'react';
import { type GraphQLTaggedNode, loadQuery, type PreloadedQuery } from 'react-relay';
import { type FetchPolicy, type IEnvironment, type OperationType } from 'relay-runtime';
import type { DepartmentsQuery } from './__generated__/DepartmentsQuery.graphql';
import type { DepartmentsTopQuery } from './__generated__/DepartmentsTopQuery.graphql';
import type { ProfileQuery } from './__generated__/ProfileQuery.graphql';
import type { TimelineQuery } from './__generated__/TimelineQuery.graphql';
import type { TwitPageQuery } from './__generated__/TwitPageQuery.graphql';
import { Department, departmentQuery, TopDepartments, topQuery } from './Departments';
import { Profile, profileQuery } from './Profile';
import { Timeline, timelineQuery } from './Timeline';
import { TwitPage, twitQuery } from './TwitPage';

/** An opened page, whose query was sent. */
export type OpenPage = { id: number; path: string; element: ReactNode; scroll: number; dispose: () => void };

function page<Query extends OperationType>(
  pattern: RegExp,
  Component: ComponentType<{ query: PreloadedQuery<Query> }>,
  query: GraphQLTaggedNode,
  variables: (part: string) => Query['variables'] = () => ({}),
) {
  function open(environment: IEnvironment, part: string, fetchPolicy?: FetchPolicy): [ReactNode, () => void] {
    const reference = loadQuery<Query>(environment, query, variables(part), { fetchPolicy });
    return [<Component query={reference} />, reference.dispose];
  }
  return { pattern, open };
}

const pages = [
  page<ProfileQuery>(/^\/user\/([^/]+)$/, Profile, profileQuery, (username) => ({ username })),
  page<TwitPageQuery>(/^\/twit\/([^/]+)$/, TwitPage, twitQuery, (id) => ({ id })),
  page<DepartmentsTopQuery>(/^\/departments$/, TopDepartments, topQuery),
  page<DepartmentsQuery>(/^\/departments\/([^/]+)$/, Department, departmentQuery, (code) => ({ code })),
  page<TimelineQuery>(/^/, Timeline, timelineQuery),
];

function decode(part = '') {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // typed by hand
  }
}

let opened = 0;
const scrolled = new Map<string, number>(); // positions of the pages that were left

/** Opens the page of the address. Its query is sent at once, before the page is rendered. */
export function openPage(environment: IEnvironment, left?: OpenPage, policy?: FetchPolicy): OpenPage {
  const path = location.hash.slice(1) || '/';
  if (left) scrolled.set(left.path, scrollY);
  const scroll = history.state === 'visited' ? (scrolled.get(path) ?? 0) : 0; // visited: by Back, Forward or Reload
  history.replaceState('visited', '');
  const page = pages.find(({ pattern }) => pattern.test(path))!;
  const [element, dispose] = page.open(environment, decode(page.pattern.exec(path)![1]), policy);
  return { id: opened++, path, element, scroll, dispose };
}
