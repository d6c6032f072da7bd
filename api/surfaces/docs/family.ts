import type { Entry } from '#kit'
import { renderCodeSpans } from '../../pages/parts/code-spans.ts'
import { html } from '../../pages/parts/html.ts'
import { describeFamily, type SurfaceOptions } from '../entries.ts'
import { priceOf } from '../llms/call-text.ts'
import { type DocsPage, docsPathOf } from './shell.ts'

/** The page of one family: its calls with what they do and cost. */
export function describeFamilyPage(family: string, members: readonly Entry[], options: SurfaceOptions): DocsPage {
  const rows = members.map(
    entry =>
      html`<li><a href="${docsPathOf(entry)}"><code>${entry.name}</code></a><p>${renderCodeSpans(entry.summary)}</p><p class="dim small">${priceOf(entry, options)}</p></li>`,
  )
  const content = html`<h1>${family}</h1>
<p class="lead">${describeFamily(family)}</p>
<ul class="list">${rows}</ul>`
  return { path: `/docs/${family}`, title: family, description: describeFamily(family), content }
}
