const MAX_URI_CHARS = 2_000
/** Schemes that a browser handles itself, so that no application can be reached by them. */
const BROWSER_SCHEMES = new Set(
  'about blob chrome data file filesystem ftp javascript mailto resource sms tel vbscript view-source ws wss'
    .split(' ')
    .map(name => `${name}:`),
)
const LOOPBACK_HOSTS = new Set(['127.0.0.1', '[::1]', 'localhost'])

/** Whether an application may be reached there: over TLS, on the user's own machine, or by a scheme of its own. */
export function isRedirectUri(text: unknown): text is string {
  if (typeof text !== 'string' || text.length > MAX_URI_CHARS || !/^[!-~]+$/.test(text) || text.includes('#'))
    return false
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') return false
  if (url.protocol === 'https:') return true
  if (url.protocol === 'http:') return LOOPBACK_HOSTS.has(url.hostname)
  return !BROWSER_SCHEMES.has(url.protocol)
}

/** The same, character for character; on the user's own machine any port will do, because programs get a free one. */
export function matchesRedirectUri(registered: string, given: string): boolean {
  if (registered === given) return true
  const [first, second] = [withoutLoopbackPort(registered), withoutLoopbackPort(given)]
  return first !== undefined && first === second
}

function withoutLoopbackPort(text: string): string | undefined {
  if (!isRedirectUri(text)) return undefined
  const [, origin, rest] = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?((?:[/?].*)?)$/.exec(text) ?? []
  return origin === undefined ? undefined : origin + rest
}

/** Where a code goes, as a person can judge it. */
export function describeRedirect(text: string): string {
  const url = new URL(text)
  if (url.protocol === 'https:') return url.host
  return url.protocol === 'http:' ? 'this computer' : `an application that opens ${url.protocol}//`
}

/** The source for the policy of a page whose form leads there. */
export function toPolicySource(text: string): string {
  const url = new URL(text)
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.origin : url.protocol
}

/** The address with further parameters; those it has stay. */
export function addParameters(text: string, parameters: Record<string, string | undefined>): string {
  const pairs = Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return `${text}${text.includes('?') ? '&' : '?'}${new URLSearchParams(pairs).toString()}`
}
