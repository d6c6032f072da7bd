import type { Floor } from '../floor.ts'
import { CSRF_FIELD, csrfToken } from '../intake/csrf.ts'
import type { Session } from '../intake/session.ts'
import { type Html, html } from './html.ts'

export const MARK = html`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><circle cx="16" cy="16" r="14" fill="#e0a526"/><circle cx="16" cy="16" r="10.5" fill="none" stroke="#8a5f0c" stroke-width="1.5"/><rect x="14.4" y="9.5" width="3.2" height="13" rx="1.6" fill="#4a3306"/></svg>`

/** The frame of every document. */
export function documentOf(title: string, body: Html, kind = 'plain'): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="Pay-per-call file and data operations for AI agents and developers.">
<title>${title} · coinop</title>
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

/** A page in the open: a bar on top, the content, a foot. */
export function openPage(title: string, isSignedIn: boolean, content: Html): Html {
  const door = isSignedIn
    ? html`<a class="button small" href="/dashboard">Dashboard</a>`
    : html`<a class="button small" href="/sign-in">Sign in</a>`
  const body = html`<header class="bar">
<a class="brand" href="/">${MARK}<span>coinop</span></a>
<nav aria-label="Site"><a href="/docs">Docs</a><a class="wide" href="/v1/prices">Prices</a><a class="wide" href="/llms.txt">llms.txt</a>${door}</nav>
</header>
<main id="content">${content}</main>
<footer class="foot"><p>${MARK} coinop, self-hosted</p><nav aria-label="For machines"><a href="/openapi.json">OpenAPI</a><a href="/llms.txt">llms.txt</a><a href="/v1/capabilities">Capabilities</a><a href="/health">Status</a></nav></footer>`
  return documentOf(title, body, 'open')
}

const PLACES = [
  ['/dashboard', 'Overview'],
  ['/dashboard/ledger', 'Ledger'],
  ['/dashboard/jobs', 'Jobs'],
  ['/dashboard/keys', 'API keys'],
  ['/dashboard/billing', 'Top up'],
  ['/dashboard/account', 'Account'],
] as const
export type Place = (typeof PLACES)[number][0]

/** A page of the dashboard: where else one can go stands beside it, on a phone above it. */
export function dashboardPage(
  floor: Floor,
  session: Session,
  { place, title, lead, content }: { place: Place; title: string; lead?: Html | string; content: Html },
): Html {
  const links = PLACES.map(([href, name]) =>
    href === place ? html`<a href="${href}" aria-current="page">${name}</a>` : html`<a href="${href}">${name}</a>`,
  )
  const isTest = session.caller.mode === 'test'
  const body = html`<div class="shell">
<aside class="side">
<a class="brand" href="/">${MARK}<span>coinop</span></a>
<nav class="places" aria-label="Dashboard">${links}<a class="out" href="/docs">Docs</a></nav>
<form method="post" action="/sign-out" class="leave">${csrfField(floor, session)}<button class="quiet" type="submit">Sign out</button></form>
</aside>
<main id="content" class="work">
${isTest && html`<p class="ribbon"><strong>Test account.</strong> Its money is play money: nothing here is ever charged to anybody.</p>`}
<header class="head"><h1>${title}</h1>${lead && html`<p class="lead">${lead}</p>`}</header>
${content}
</main>
</div>`
  return documentOf(title, body, 'dashboard')
}

export function csrfField({ config }: Floor, session: Session): Html {
  return html`<input type="hidden" name="${CSRF_FIELD}" value="${csrfToken(config, session.word)}">`
}

export function note(kind: 'good' | 'bad' | 'plain', text: Html | string): Html {
  return html`<p class="note ${kind}" role="${kind === 'bad' ? 'alert' : 'status'}">${text}</p>`
}

/** A command to paste, with a button that copies it where scripts run. */
export function code(text: string, label: string): Html {
  return html`<div class="code"><pre tabindex="0" aria-label="${label}"><code>${text}</code></pre><button class="copy" type="button" hidden>Copy</button></div>`
}
