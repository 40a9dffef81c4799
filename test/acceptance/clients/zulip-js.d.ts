declare module 'zulip-js' {
  /** The published client; it has no types of its own. */
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
  export default function zulip(config: { username: string; apiKey: string; realm: string }): Promise<any>
}
