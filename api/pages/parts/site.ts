import type { ApiContext } from '../../context.ts'
import { type Html, html } from './html.ts'
import { renderPublicPage, siteNameOf } from './layout.ts'
import { definePublicPage, type Page, type PageRequest } from './page.ts'

interface SitePage {
  title: string
  description: string
  content: Html
  /** Its address without parameters, if that is not where it was asked for. */
  path?: string
  /** Search engines leave it out: it is of one visitor. */
  isUnlisted?: boolean
  /** The page is loaded again after so many seconds. */
  refreshSeconds?: number
}

/** A page of the website: search engines know it by one address, and it says nothing of its visitor, so it is compressed. */
export function defineSitePage(
  path: `/${string}`,
  render: (page: PageRequest, context: ApiContext) => Promise<SitePage> | SitePage,
): Page {
  const page = definePublicPage(`GET ${path}`, async (asked, context) =>
    renderSitePage(context, asked, { path, ...(await render(asked, context)) }),
  )
  return { ...page, isCompressed: true }
}

export function renderSitePage(
  context: ApiContext,
  { session }: Pick<PageRequest, 'session'>,
  { title, description, content, path, isUnlisted, refreshSeconds }: SitePage,
): Html {
  const address = context.config.publicUrl + (path === '/' ? '/' : (path ?? ''))
  const listed = html`<link rel="canonical" href="${address}">
<meta property="og:type" content="website"><meta property="og:title" content="${title}"><meta property="og:description" content="${description}"><meta property="og:url" content="${address}"><meta property="og:site_name" content="${siteNameOf(context)}">`
  const head = html`<meta name="description" content="${description}">
${isUnlisted ? html`<meta name="robots" content="noindex">` : listed}${refreshSeconds !== undefined && html`<meta http-equiv="refresh" content="${refreshSeconds}">`}`
  return renderPublicPage(context, title, session !== undefined, content, head)
}
