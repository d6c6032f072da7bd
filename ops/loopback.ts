/** Whether an address can only be opened on this machine. */
export function isLoopback(url: string): boolean {
  return /^http:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|\/|$)/.test(url)
}

/**
 * The host of an address by which this machine reaches a server of its own that listens on `host`. No name is looked up,
 * because a container may have none.
 */
export function reachOwn(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
