/** Whether an address can only be opened on this machine. */
export function isLoopback(url: string): boolean {
  return /^http:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|\/|$)/.test(url)
}
