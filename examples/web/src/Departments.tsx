import { graphql, type PreloadedQuery, useFragment, usePaginationFragment, usePreloadedQuery } from 'react-relay';
import type { Departments_link$key } from './__generated__/Departments_link.graphql';
import type { Departments_sub$key } from './__generated__/Departments_sub.graphql';
import type { Departments_top$key } from './__generated__/Departments_top.graphql';
import type { DepartmentsQuery } from './__generated__/DepartmentsQuery.graphql';
import type { DepartmentsSubQuery } from './__generated__/DepartmentsSubQuery.graphql';
import type { DepartmentsTopPageQuery } from './__generated__/DepartmentsTopPageQuery.graphql';
import type { DepartmentsTopQuery } from './__generated__/DepartmentsTopQuery.graphql';
import { Avatar, count, Empty, href, Icon, More, Page, type Pages } from './ui';

export const topQuery = graphql`
  query DepartmentsTopQuery @throwOnFieldError { ...Departments_top }
`;

/** The departments without a parent. */
export function TopDepartments({ query }: { query: PreloadedQuery<DepartmentsTopQuery> }) {
  const { data, ...pages } = usePaginationFragment<DepartmentsTopPageQuery, Departments_top$key>(
    graphql`
      fragment Departments_top on Query @refetchable(queryName: "DepartmentsTopPageQuery") @throwOnFieldError
      @argumentDefinitions(count: { type: "Int", defaultValue: 50 }, cursor: { type: "String" }) {
        topDepartments(first: $count, after: $cursor) @connection(key: "Departments_topDepartments") {
          edges { node { id ...Departments_link } }
        }
      }
    `,
    usePreloadedQuery<DepartmentsTopQuery>(topQuery, query),
  );
  return (
    <Page title="Departments">
      <DepartmentList edges={data.topDepartments.edges} pages={pages} />
    </Page>
  );
}

export const departmentQuery = graphql`
  query DepartmentsQuery($code: String!) @throwOnFieldError {
    department(code: $code) {
      name
      ancestors { id code name }
      roles(first: 100) {
        edges { node { id name users(first: 12) { totalCount edges { node { id username name avatarUrl } } } } }
      }
      ...Departments_sub
    }
  }
`;

/** A department with its roles, the users who have them, and its sub-departments. */
export function Department({ query }: { query: PreloadedQuery<DepartmentsQuery> }) {
  const { department } = usePreloadedQuery<DepartmentsQuery>(departmentQuery, query);
  if (!department) return <Empty>There is no such department.</Empty>;
  const { name, ancestors, roles } = department;
  const path = (
    <nav className="path" aria-label="Parent departments">
      <a href="#/departments">Departments</a>
      {ancestors.toReversed().map(({ id, code, name }) => <a key={id} href={href('departments', code)}>{name}</a>)}
    </nav>
  );
  return (
    <Page title={name} above={path}>
      {roles.edges.map(({ node: { id, name, users } }) => (
        <section key={id} className="role">
          <h2>{name} <span className="quiet">{count(users.totalCount ?? 0, 'user')}</span></h2>
          <ul className="users">
            {users.edges.map(({ node: user }) => (
              <li key={user.id}><a href={href('user', user.username)}><Avatar of={user} />{user.name}</a></li>
            ))}
          </ul>
        </section>
      ))}
      <SubDepartments department={department} />
    </Page>
  );
}

function SubDepartments({ department }: { department: Departments_sub$key }) {
  const { data, ...pages } = usePaginationFragment<DepartmentsSubQuery, Departments_sub$key>(
    graphql`
      fragment Departments_sub on Department @refetchable(queryName: "DepartmentsSubQuery") @throwOnFieldError
      @argumentDefinitions(count: { type: "Int", defaultValue: 50 }, cursor: { type: "String" }) {
        subDepartments(first: $count, after: $cursor) @connection(key: "Departments_subDepartments") {
          edges { node { id ...Departments_link } }
        }
      }
    `,
    department,
  );
  return <DepartmentList edges={data.subDepartments.edges} pages={pages} />;
}

type Edges = readonly { readonly node: Departments_link$key & { readonly id: string } }[];

const DepartmentList = ({ edges, pages }: { edges: Edges; pages: Pages }) => (
  <>
    <ul className="list">{edges.map(({ node }) => <DepartmentLink key={node.id} department={node} />)}</ul>
    <More pages={pages} />
  </>
);

function DepartmentLink({ department }: { department: Departments_link$key }) {
  const { code, name, subDepartments } = useFragment(
    graphql`
      fragment Departments_link on Department @throwOnFieldError { code name subDepartments(first: 1) { totalCount } }
    `,
    department,
  );
  const below = subDepartments.totalCount;
  return (
    <li>
      <a href={href('departments', code)}>
        <span><b>{name}</b><small>{code}</small></span>
        {!!below && <span className="quiet">{count(below, 'department')}</span>}
        <Icon name="next" />
      </a>
    </li>
  );
}
