/** What a page may load, and from where. Nothing leads out of the console but links. */
export function policyOf(source: string): string {
  return `default-src 'none'; style-src ${source}; script-src ${source}; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; worker-src ${source}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`
}
