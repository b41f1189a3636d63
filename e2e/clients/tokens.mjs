/** The viewer's token, for requests and for WebSockets. `get` asks for a new one. */
export class Tokens {
  constructor(get, token) {
    this.get = get;
    this.token = token;
  }

  /** The value of the header Authorization, and of authorization in connection_init. */
  get authorization() {
    return `Bearer ${this.token}`;
  }

  /** Replaces the token that the server refused, once for all requests that it was refused to. */
  async renew(refused) {
    if (refused !== this.authorization) return;
    this.renewal ??= this.get()
      .then((token) => (this.token = token))
      .finally(() => (this.renewal = undefined));
    await this.renewal;
  }
}
