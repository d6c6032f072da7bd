import { type Entry, ID_PREFIX } from '#kit'
import { renderCodeSpans } from '../../pages/parts/code-spans.ts'
import { countOf } from '../../pages/parts/format.ts'
import { type Html, html } from '../../pages/parts/html.ts'
import { renderCode } from '../../pages/parts/layout.ts'
import { describeFamily, groupByFamily, isPaid, SUMMARY, type SurfaceOptions } from '../entries.ts'
import { buildGuide } from '../guide.ts'
import { listHowTos } from '../how-to/load.ts'
import type { DocsPage } from './shell.ts'

/** The first page of the reference: a call to paste, the rules for all calls, and the families. */
export function describeOverview(entries: readonly Entry[], options: SurfaceOptions): DocsPage {
  const { publicUrl } = options
  const call = `export KEY=${ID_PREFIX}_live_…   # from the dashboard\ncurl ${publicUrl}/v1/utils/hash -H "Authorization: Bearer $KEY" \\\n  -H 'Content-Type: application/json' -d '{"text":"hello"}'`
  const families = [...groupByFamily(entries.filter(isPaid))]
  const others = [...groupByFamily(entries.filter(entry => !isPaid(entry)))]
  const content = html`<h1>API reference</h1>
<p class="lead">${SUMMARY}</p>
${renderCode(call, 'A first call')}
<p><a href="/docs/how-to">How to: ${listHowTos(entries).length} tasks</a>, each with the call in curl, TypeScript, Python and MCP, what comes of it, and what to look out for.</p>
<h2 id="calls-by-family">Paid calls</h2>
${renderCards(families)}
<h2 id="free">Free calls</h2>
${renderCards(others)}
<h2 id="rules">How every call works</h2>
<div class="rules">${buildGuide(entries, options).map(({ title, text }) => html`<section><h3>${title}</h3><p>${renderCodeSpans(text)}</p></section>`)}</div>`
  return { path: '/docs', title: 'API reference', description: SUMMARY, content }
}

function renderCards(families: readonly (readonly [string, readonly Entry[]])[]): Html {
  return html`<ul class="cards">${families.map(
    ([family, members]) =>
      html`<li><a href="/docs/${family}"><strong>${family}</strong><span class="dim">${countOf(members.length, 'call')}</span><span>${describeFamily(family)}</span></a></li>`,
  )}</ul>`
}
