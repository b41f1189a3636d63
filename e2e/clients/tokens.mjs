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

  /** Replaces the token that the server rejected, once for all requests with it. */
  async renew(rejected) {
    if (rejected !== this.authorization) return;
    this.renewal ??= this.get()
      .then((token) => (this.token = token))
      .finally(() => (this.renewal = undefined));
    await this.renewal;
  }
}
