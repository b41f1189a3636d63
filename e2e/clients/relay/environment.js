import { Environment, Network, Observable, RecordSource, Store } from 'relay-runtime';

export function createEnvironment(url, tokens, socket) {
  async function post(body) {
    const { authorization } = tokens;
    const headers = { accept: 'application/graphql-response+json', authorization, 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body });
    return { authorization, response };
  }

  async function fetchOperation({ text }, variables) {
    const body = JSON.stringify({ query: text, variables });
    let { authorization, response } = await post(body);
    if (response.status === 401) {
      await tokens.renew(authorization);
      ({ response } = await post(body));
    }
    const result = await response.json(); // of every status: Relay throws if there is no data
    // Some failed fields have no error, so Relay would read them as null.
    if (result.errors?.at(-1).extensions?.code === 'TOO_MANY_ERRORS') result.data = null;
    return result;
  }

  function subscribe({ name, text }, variables) {
    return Observable.create((sink) => socket.subscribe({ operationName: name, query: text, variables }, sink));
  }

  return new Environment({ network: Network.create(fetchOperation, subscribe), store: new Store(new RecordSource()) });
}
