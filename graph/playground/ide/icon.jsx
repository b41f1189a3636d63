// A toolbar icon in the style of GraphiQL's.
export const Icon = ({ path }) => (
  <svg className="graphiql-toolbar-icon" viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="1.5" aria-hidden="true">
    <path d={path} strokeLinecap="round" strokeLinejoin="round" />
  </svg>
);
