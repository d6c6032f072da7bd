import { products } from '../../../tasks/products/index.ts'
import type { ApiContext } from '../../context.ts'
import { CSRF_FIELD, makeCsrfToken } from '../../intake/identity/csrf.ts'
import type { Session } from '../../intake/identity/session.ts'
import { type Html, html } from './html.ts'

export const LOGO = html`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><circle cx="16" cy="16" r="14" fill="#e0a526"/><circle cx="16" cy="16" r="10.5" fill="none" stroke="#8a5f0c" stroke-width="1.5"/><rect x="14.4" y="9.5" width="3.2" height="13" rx="1.6" fill="#4a3306"/></svg>`

interface DocumentOptions {
  /** The class of the body. */
  kind?: 'plain' | 'open' | 'dashboard'
  locale?: string
  /** Stands behind the title of the page. */
  siteName?: string
  /** What the head has besides, in place of a general description. */
  head?: Html
}

const DESCRIPTION = html`<meta name="description" content="Pay-per-call file and data operations for AI agents and developers.">`

/** The head and body that every page shares. */
export function renderDocument(title: string, body: Html, options: DocumentOptions = {}): Html {
  const { kind = 'plain', locale = 'en', siteName = 'coinop', head = DESCRIPTION } = options
  return html`<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${head}
<title>${title} · ${siteName}</title>
<link rel="icon" type="image/svg+xml" href="/pages/coin.svg">
<link rel="stylesheet" href="/pages/pages.css">
<script src="/pages/pages.js" defer></script>
</head>
<body class="${kind}">
<a class="skip" href="#content">Skip to the content</a>
${body}
</body>
</html>
`
}

/** The name under which visitors know the installation. */
export function siteNameOf({ config }: Pick<ApiContext, 'config'>): string {
  return config.operator.name ?? 'coinop'
}

/** A page for everyone: header, content and footer. */
export function renderPublicPage(
  context: Pick<ApiContext, 'config'>,
  title: string,
  isSignedIn: boolean,
  content: Html,
  head?: Html,
): Html {
  const siteName = siteNameOf(context)
  const accountLink = isSignedIn
    ? html`<a class="button small" href="/dashboard">Dashboard</a>`
    : html`<a class="button small" href="/sign-in">Sign in</a>`
  const body = html`<header class="bar">
<a class="brand" href="/">${LOGO}<span>${siteName}</span></a>
<nav aria-label="Site"><a href="/docs">Docs</a><a class="wide" href="/docs/how-to">How to</a><a href="/pricing">Prices</a><a class="wide" href="/try">Try it</a>${accountLink}</nav>
</header>
<main id="content">${content}</main>
<footer class="foot"><p>${LOGO} ${renderOperator(context)}</p><nav aria-label="More"><a href="/compare">Do it yourself?</a><a href="/changelog">Changelog</a><a href="/status">Status</a><a href="/v1/capabilities">Capabilities</a><a href="/openapi.json">OpenAPI</a><a href="/llms.txt">llms.txt</a></nav></footer>`
  return renderDocument(title, body, { kind: 'open', siteName, head })
}

function renderOperator({ config: { operator } }: Pick<ApiContext, 'config'>): Html {
  const { name, url } = operator
  if (name === undefined) return html`coinop, self-hosted`
  return html`Run by ${url === undefined ? name : html`<a href="${url}">${name}</a>`}, with coinop`
}

const PLATFORM_LINKS = [
  { path: '/dashboard', title: 'Overview', position: 10 },
  { path: '/dashboard/inbox', title: 'Inbox', position: 15 },
  { path: '/dashboard/ledger', title: 'Ledger', position: 20 },
  { path: '/dashboard/jobs', title: 'Jobs', position: 30 },
  { path: '/dashboard/keys', title: 'API keys', position: 50 },
  { path: '/dashboard/billing', title: 'Top up', position: 80 },
  { path: '/dashboard/account', title: 'Account', position: 90 },
]
const PRODUCT_LINKS = products.flatMap(({ title, dashboard }) => (dashboard ? [{ title, ...dashboard }] : []))
const DASHBOARD_LINKS = [...PLATFORM_LINKS, ...PRODUCT_LINKS].sort((one, other) => one.position - other.position)

/** A page of the dashboard, with the navigation at its side, or above it on a phone. */
export function renderDashboardPage(
  context: ApiContext,
  session: Session,
  { path, title, lead, content }: { path: string; title: string; lead?: Html | string; content: Html },
): Html {
  const links = DASHBOARD_LINKS.map(link =>
    link.path === path
      ? html`<a href="${link.path}" aria-current="page">${link.title}</a>`
      : html`<a href="${link.path}">${link.title}</a>`,
  )
  const isTest = session.caller.mode === 'test'
  const body = html`<div class="shell">
<aside class="side">
<a class="brand" href="/">${LOGO}<span>coinop</span></a>
<nav class="places" aria-label="Dashboard">${links}<a class="out" href="/docs">Docs</a></nav>
<form method="post" action="/sign-out" class="leave">${renderCsrfField(context, session)}<button class="quiet" type="submit">Sign out</button></form>
</aside>
<main id="content" class="work">
${session.operator !== undefined && html`<p class="ribbon" role="status"><strong>You see what this account sees, as ${session.operator}.</strong> Nothing can be changed. Sign out to leave.</p>`}
${isTest && html`<p class="ribbon"><strong>Test account.</strong> It uses test money; nothing here costs real money.</p>`}
<header class="head"><h1>${title}</h1>${lead && html`<p class="lead">${lead}</p>`}</header>
${content}
</main>
</div>`
  return renderDocument(title, body, { kind: 'dashboard' })
}

export function renderCsrfField({ config }: ApiContext, session: Session): Html {
  return html`<input type="hidden" name="${CSRF_FIELD}" value="${makeCsrfToken(config, session.token)}">`
}

export function renderNotice(kind: 'good' | 'bad' | 'plain', text: Html | string): Html {
  return html`<p class="note ${kind}" role="${kind === 'bad' ? 'alert' : 'status'}">${text}</p>`
}

/** A block of code, with a copy button where JavaScript is enabled. */
export function renderCode(text: string, label: string): Html {
  return html`<div class="code"><pre tabindex="0" aria-label="${label}"><code>${text}</code></pre><button class="copy" type="button" hidden>Copy</button></div>`
}
