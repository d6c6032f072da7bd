import { writeFile } from 'node:fs/promises'
import { Problem } from '#kit'
import type { HostContext } from '../../host-context.ts'
import { encodeBasic, type SiteAccess, toProblem } from '../chromium/site/requests.ts'
import type { SitePage } from '../chromium/site/visit.ts'

/** Fetches from the web, if the operator allows it. */
export function bind(context: HostContext) {
  return {
    /** Throws URL_NOT_ALLOWED for an address that need not be looked up to know that it is not fetched. */
    check: async (url: string) => checkAddress(context, url),
    fetch: (site: SiteAccess, to: string) => fetchSite(context, site, to),
  }
}

/** The tool is there where the operator allows calls to reach the web. */
export async function version({ outbound }: HostContext): Promise<string> {
  requireOutbound(outbound)
  return 'public'
}

function requireOutbound(outbound: HostContext['outbound']): NonNullable<HostContext['outbound']> {
  if (!outbound) throw new Problem('PROVIDER_NOT_CONFIGURED', { capability: 'web', set: 'OUTBOUND=public' })
  return outbound
}

function checkAddress(context: HostContext, url: string): void {
  const outbound = requireOutbound(context.outbound)
  try {
    outbound.check(url)
  } catch (error) {
    throw toProblem(error)
  }
}

const MAX_BYTES = 50 * 2 ** 20
const INLINE_BYTES = 2 ** 20
const MAX_REDIRECTS = 5
const ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

interface FetchedSite {
  page: SitePage
  /** Of what is small; everything else is in the file. */
  bytes?: Uint8Array
}

/** Fetches what is at an address, without a browser. Redirects are followed, and each is checked like the address. */
async function fetchSite(context: HostContext, site: SiteAccess, to: string): Promise<FetchedSite> {
  const outbound = requireOutbound(context.outbound)
  const startMs = performance.now()
  const { origin, href } = new URL(site.url)
  let url = href
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const headers = buildHeaders(site, new URL(url).origin === origin)
    const response = await outbound(url, { headers, bytes: MAX_BYTES, signal: context.signal }).catch(error => {
      context.signal.throwIfAborted()
      throw toProblem(error)
    })
    const { status, body } = response
    const { location } = response.headers
    if (status >= 300 && status < 400 && typeof location === 'string') {
      url = new URL(location, url).href
      continue
    }
    if (status >= 400 && !site.allowErrorStatus) throw new Problem('FETCH_FAILED', { status, finalUrl: url })
    const contentType = String(response.headers['content-type'] ?? '').toLowerCase()
    const loadMs = Math.round(performance.now() - startMs)
    const page = { finalUrl: url, status, title: '', contentType, loadMs, redirects }
    if (body.length <= INLINE_BYTES && /html/.test(contentType)) return { page, bytes: body }
    await writeFile(to, body)
    return { page }
  }
  throw new Problem('FETCH_FAILED', { reason: `more than ${MAX_REDIRECTS} redirects` })
}

/** Secrets of the caller go to the origin that they were given for, and to no other. */
function buildHeaders(
  { headers, cookies, auth, userAgent, locale }: SiteAccess,
  isOwn: boolean,
): Record<string, string> {
  const plain = {
    accept: ACCEPT,
    'accept-language': locale,
    ...(userAgent !== undefined && { 'user-agent': userAgent }),
  }
  if (!isOwn) return plain
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  const own = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return { ...plain, ...own, ...(cookie !== '' && { cookie }), ...(auth && { authorization: encodeBasic(auth) }) }
}
