import { graphql, useFragment, useLazyLoadQuery } from 'react-relay';
import type { Departments_list$key } from './__generated__/Departments_list.graphql';
import type { DepartmentsQuery } from './__generated__/DepartmentsQuery.graphql';
import type { DepartmentsTopQuery } from './__generated__/DepartmentsTopQuery.graphql';
import { Avatar, count, Empty, href, Icon, Title, useFetchOptions } from './ui';

export function Departments() {
  const { topDepartments } = useLazyLoadQuery<DepartmentsTopQuery>(
    graphql`
      query DepartmentsTopQuery @throwOnFieldError { topDepartments(first: 100) { ...Departments_list } }
    `,
    {},
    useFetchOptions(),
  );
  return (
    <>
      <Title>Departments</Title>
      <DepartmentList departments={topDepartments} />
    </>
  );
}

export function Department({ code }: { code: string }) {
  const { department } = useLazyLoadQuery<DepartmentsQuery>(
    graphql`
      query DepartmentsQuery($code: String!) @throwOnFieldError {
        department(code: $code) {
          name
          ancestors { id code name }
          roles(first: 100) {
            edges { node { id name users(first: 12) { totalCount edges { node { id username name avatarUrl } } } } }
          }
          subDepartments(first: 100) { ...Departments_list }
        }
      }
    `,
    { code },
    useFetchOptions(),
  );
  if (!department) return <Empty>There is no such department.</Empty>;
  return (
    <>
      <nav className="path" aria-label="Parent departments">
        <a href="#/departments">Departments</a>
        {department.ancestors.toReversed().map(({ id, code, name }) => (
          <a key={id} href={href('departments', code)}>{name}</a>
        ))}
      </nav>
      <Title>{department.name}</Title>
      {department.roles.edges.map(({ node: { id, name, users } }) => (
        <section key={id} className="role">
          <h2>{name} <span className="quiet">{count(users.totalCount ?? 0, 'user')}</span></h2>
          <ul className="users">
            {users.edges.map(({ node: user }) => (
              <li key={user.id}><a href={href('user', user.username)}><Avatar of={user} />{user.name}</a></li>
            ))}
          </ul>
        </section>
      ))}
      <DepartmentList departments={department.subDepartments} />
    </>
  );
}

function DepartmentList({ departments }: { departments: Departments_list$key }) {
  const { edges, pageInfo } = useFragment(
    graphql`
      fragment Departments_list on DepartmentConnection @throwOnFieldError {
        edges { node { id code name subDepartments(first: 1) { totalCount } } }
        pageInfo { hasNextPage }
      }
    `,
    departments,
  );
  return (
    <>
      <ul className="list">
        {edges.map(({ node: { id, code, name, subDepartments: { totalCount } } }) => (
          <li key={id}>
            <a href={href('departments', code)}>
              <span><b>{name}</b><small>{code}</small></span>
              {!!totalCount && <span className="quiet">{count(totalCount, 'department')}</span>}
              <Icon name="next" />
            </a>
          </li>
        ))}
      </ul>
      {pageInfo.hasNextPage && <Empty>These are the first {edges.length}.</Empty>}
    </>
  );
}
