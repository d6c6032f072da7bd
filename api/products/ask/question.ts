import type { FileView } from '../../../sql/ask/asks.ts'
import type { ReplyTerms } from '../../../sql/ask/replies.ts'
import { formatBytes, renderTime } from '../../pages/parts/format.ts'
import { type Html, html } from '../../pages/parts/html.ts'
import { renderMarkup } from '../../pages/parts/markup.ts'
import { isOpen } from './replying.ts'

/** What is asked, and all that one must know to reply. */
export function renderFacts(terms: ReplyTerms, token: string): Html {
  const { question, context, proposal, allowEdit, attachments, expiresAt } = terms
  const isEdited = allowEdit && isOpen(terms) && !terms.hasReplied
  return html`<div class="question">${renderMarkup(question)}</div>
${context !== null && html`<details class="filter" open><summary>What you should know</summary>${renderValue(context)}</details>`}
${proposal !== null && !isEdited && html`<h2>The proposal</h2>${renderValue(proposal)}`}
${attachments.length > 0 && html`<h2>Attached</h2><ul class="plain">${attachments.map(file => renderFile(file, token))}</ul>`}
${isOpen(terms) && html`<p class="dim">Reply until ${renderTime(expiresAt)} UTC.</p>`}`
}

/** A text as text, anything else as JSON. */
export function renderValue(value: unknown): Html {
  if (typeof value === 'string') return html`<div class="question">${renderMarkup(value)}</div>`
  return html`<pre class="text" tabindex="0">${JSON.stringify(value, null, 2)}</pre>`
}

function renderFile({ id, name, contentType, sizeBytes }: FileView, token: string): Html {
  const address = `/v1/bridge/reply/${encodeURIComponent(token)}/files/${id}`
  return html`<li><a href="${address}" download>${name}</a> <span class="dim">${contentType}, ${formatBytes(sizeBytes)}</span></li>`
}
