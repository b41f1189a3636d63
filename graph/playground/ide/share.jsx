// A link that opens the operation in another browser, and a curl command that sends it.
import { ToolbarButton, tryParseJSONC, useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { useEffect, useRef, useState } from 'react';
import { authorized } from './viewer.js';
import { Icon } from './icon.jsx';

export const shared = Object.fromEntries(
  ['query', 'variables', 'operationName'].flatMap((name) => {
    const value = new URLSearchParams(location.search).get(name);
    return value ? [[name, value]] : [];
  }),
);
// A reload must show the current tabs instead of the link's operation.
if (shared.query) history.replaceState(null, '', location.pathname);

// SharedOperation selects the operation of the page's link when its document is parsed, only the
// first time: later documents may be of other tabs.
export function SharedOperation() {
  const { setOperationName } = useGraphiQLActions();
  const parsed = useGraphiQL(({ documentAST }) => Boolean(documentAST));
  const selected = useRef(!shared.operationName);
  useEffect(() => {
    if (!parsed || selected.current) return;
    selected.current = true;
    setOperationName(shared.operationName);
  }, [parsed, setOperationName]);
  return null;
}

export function ShareButtons() {
  const state = useGraphiQL((state) => state);
  const current = () => ({
    query: state.queryEditor?.getValue() ?? '',
    variables: state.variableEditor?.getValue().trim() ?? '',
    operationName: state.operationName ?? '',
  });
  return (
    <>
      <CopyButton label="Copy a link to this operation" className="share-link" text={() => linkTo(current())}>
        <Icon path="M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1" />
      </CopyButton>
      <CopyButton
        label="Copy as curl"
        className="share-curl"
        text={async () => curl(current(), await authorized(parse('Headers', state.headerEditor?.getValue() ?? '')))}
      >
        <Icon path="M4 5h16v14H4zM7 9l3 3-3 3M12 15h5" />
      </CopyButton>
    </>
  );
}

function CopyButton({ label, className, text, children }) {
  const [result, setResult] = useState('');
  const copy = async () => {
    try {
      await toClipboard(await text());
      setResult('Copied');
    } catch ({ message }) {
      setResult(`Not copied: ${message}`);
    }
    setTimeout(() => setResult(''), 2000);
  };
  return (
    <>
      <ToolbarButton label={result || label} className={className} onClick={copy}>
        {result === 'Copied' ? <Icon path="M5 12l5 5L19 7" /> : children}
      </ToolbarButton>
      <span className="visually-hidden" role="status">{result}</span>
    </>
  );
}

function linkTo(operation) {
  const link = new URL(location.pathname, location.href);
  for (const [name, value] of Object.entries(operation)) {
    if (value) link.searchParams.set(name, value);
  }
  return link.href;
}

function parse(name, text) {
  try {
    return tryParseJSONC(text);
  } catch ({ message }) {
    throw new Error(`${name} ${message}`);
  }
}

// curl returns a command for a POSIX shell. The token is a variable, because shells store commands.
function curl({ query, variables, operationName }, headers) {
  const body = { query };
  if (variables) body.variables = parse('Variables', variables);
  if (operationName) body.operationName = operationName;
  const lines = [`curl ${quote(new URL('graphql', document.baseURI).href)}`, `-H 'Content-Type: application/json'`];
  for (const [name, value] of Object.entries(headers ?? {})) {
    lines.push(name.toLowerCase() === 'authorization' ? `-H "Authorization: Bearer $TOKEN"` : `-H ${quote(`${name}: ${value}`)}`);
  }
  return [...lines, `-d ${quote(JSON.stringify(body))}`].join(' \\\n  ');
}

const quote = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

// toClipboard also works on pages without TLS, which have no navigator.clipboard.
async function toClipboard(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.body.appendChild(document.createElement('textarea'));
  area.value = text;
  area.select();
  document.execCommand('copy');
  area.remove();
}
