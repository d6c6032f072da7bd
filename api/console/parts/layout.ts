import { randomUUID } from 'node:crypto'
import { type Html, html } from '../../pages/parts/html.ts'
import { LOGO, renderDocument } from '../../pages/parts/layout.ts'
import { CSRF_FIELD, FORM_FIELD, type OperatorSession } from '../access/session.ts'

const LINKS = [
  { path: '/', title: 'Today' },
  { path: '/accounts', title: 'Accounts' },
  { path: '/jobs', title: 'Jobs' },
  { path: '/refunds', title: 'Refunds' },
  { path: '/lanes', title: 'Lanes and workers' },
  { path: '/prices', title: 'Prices' },
  { path: '/plugins', title: 'Own operations' },
  { path: '/settings', title: 'Settings' },
  { path: '/payments', title: 'Payments' },
  { path: '/steps', title: 'Steps' },
  { path: '/incidents', title: 'Incidents' },
  { path: '/retention', title: 'Retention' },
  { path: '/log', title: 'Log' },
  { path: '/operators', title: 'Operators' },
]

/** Where pages of products stand, which are found by walking. */
const productLinks: { path: string; title: string }[] = []

export function addConsoleLinks(links: readonly { path: string; title: string }[]): void {
  productLinks.push(...links)
}

/** A page of the console, with the navigation at its side, or above it on a phone. */
export function renderConsolePage(
  session: OperatorSession,
  { path, title, lead, content }: { path: string; title: string; lead?: Html | string; content: Html },
): Html {
  const links = [...LINKS, ...productLinks].map(link =>
    link.path === path
      ? html`<a href="${link.path}" aria-current="page">${link.title}</a>`
      : html`<a href="${link.path}">${link.title}</a>`,
  )
  const { name, role } = session.operator
  const graphql = role !== 'read' && html`<a class="out" href="/graphiql">GraphQL</a>`
  const body = html`<div class="shell">
<aside class="side">
<a class="brand" href="/">${LOGO}<span>coinop console</span></a>
<nav class="places" aria-label="Console">${links}${graphql}</nav>
<form method="post" action="/sign-out" class="leave">${renderFormToken(session)}<span class="dim small">${name}, ${role}</span><button class="quiet" type="submit">Sign out</button></form>
</aside>
<main id="content" class="work">
<header class="head"><h1>${title}</h1>${lead && html`<p class="lead">${lead}</p>`}</header>
${content}
</main>
</div>`
  return renderDocument(title, body, { kind: 'dashboard' })
}

/** A page of the console before sign-in. */
export function renderOpenPage(title: string, content: Html): Html {
  return renderDocument(title, html`<main id="content"><section class="card narrow">${content}</section></main>`, {
    kind: 'open',
  })
}

function renderFormToken({ csrf }: OperatorSession): Html {
  return html`<input type="hidden" name="${CSRF_FIELD}" value="${csrf}"><input type="hidden" name="${FORM_FIELD}" value="${randomUUID()}">`
}

/** A form with one button, and a field for the reason where the log needs one. */
export function renderAct(
  session: OperatorSession,
  act: { action: string; label: string; fields?: Html; isDangerous?: boolean; needsReason?: boolean },
): Html {
  const { action, label, fields, isDangerous = false, needsReason = true } = act
  const id = `reason-${action.replaceAll(/\W+/g, '-')}`
  const reason = html`<div class="field"><label for="${id}">Reason</label><input id="${id}" name="reason" required maxlength="500"></div>`
  return html`<form method="post" action="${action}" class="limits">${renderFormToken(session)}${fields}${needsReason && reason}<button class="button small ${isDangerous ? 'danger' : ''}" type="submit">${label}</button></form>`
}

export function renderTable(head: readonly string[], rows: readonly Html[], empty: string): Html {
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`
  return html`<div class="sheet" tabindex="0" role="region" aria-label="${head.join(', ')}"><table class="table"><thead><tr>${head.map(name => html`<th scope="col">${name}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>`
}
