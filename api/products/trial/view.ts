import type { ApiContext } from '../../context.ts'
import { formatBytes, formatMoney, formatRate } from '../../pages/parts/format.ts'
import { type Html, html } from '../../pages/parts/html.ts'
import { docsPathOf } from '../../surfaces/docs/shell.ts'
import { isPaid, priceOf } from '../../surfaces/entries.ts'
import { readSurfaceState } from '../../surfaces/state.ts'
import { TRIES, type Try } from './tries.ts'

const DESCRIPTION = 'Ten operations on a file of your own, without an account.'

/** The list of what can be tried. */
export function describeOverview(context: ApiContext) {
  const cards = TRIES.map(attempt => {
    const price = renderPrice(context, attempt)
    const isMissing = !isAvailable(context, attempt)
    return html`<li><a class="card" href="/try/${attempt.name}"><strong>${attempt.title}</strong><span class="dim">${attempt.lead}</span><span class="cost">${isMissing ? 'not available here' : price}</span></a></li>`
  })
  const content = html`<header class="intro"><h1>Try it</h1><p class="lead">${DESCRIPTION} Each runs as a customer's call does, and the house pays. You see what it would cost, and the call to copy.</p></header>
${renderOff(context)}<ul class="cards">${cards}</ul>${renderTerms(context)}`
  return { title: 'Try it', description: DESCRIPTION, content }
}

interface Draft {
  values?: Readonly<Record<string, string>>
  notice?: Html
}

/** The form of one operation. It is sent as a plain form, so it needs no script. */
export function describeTry(context: ApiContext, attempt: Try, { values = {}, notice }: Draft = {}) {
  const { title, lead, file, fields, howTo, operation } = attempt
  const isOpen = isAvailable(context, attempt) && context.settings.get('trial.enabled')
  const entry = context.catalog.entries.find(({ name }) => name === operation)!
  const inputs = fields.map(field => renderField(field, values[field.name] ?? field.value))
  const button = file
    ? html`<button class="button" type="submit" name="use" value="file">Run it on my file</button><button class="button quiet" type="submit" name="use" value="sample">Use the sample</button>`
    : html`<button class="button" type="submit">Run it</button>`
  const form = html`<form class="card stack try-form" method="post" enctype="multipart/form-data" action="/try/${attempt.name}">
${file && html`<div class="field"><label for="file">Your file</label><input id="file" name="file" type="file" accept="${file.accept}" aria-describedby="file-hint"><p class="dim small" id="file-hint">${file.hint}, at most ${formatBytes(context.settings.get('trial.max_bytes'))}.</p></div>`}
${inputs}<div class="row">${button}</div></form>`
  const content = html`<header class="intro"><p class="eyebrow"><a href="/try">Try it</a></p><h1>${title}</h1><p class="lead">${lead}</p></header>
${notice}${renderOff(context)}
${!isAvailable(context, attempt) && html`<p class="note bad">What this needs is not installed here. <a href="/v1/capabilities">What works here</a></p>`}
${isOpen && form}
<p>With a key it costs ${renderPrice(context, attempt)}. <a href="/docs/how-to/${howTo}">How to call it</a>, <a href="${docsPathOf(entry)}">all its options</a>.</p>
${renderTerms(context)}`
  return { title, description: lead, content }
}

function renderField({ name, label, choices, maxLength }: Try['fields'][number], value: string): Html {
  const id = `try-${name}`
  const input = choices
    ? html`<select id="${id}" name="${name}">${choices.map(([choice, text]) => html`<option value="${choice}"${choice === value && html` selected`}>${text}</option>`)}</select>`
    : html`<input id="${id}" name="${name}" value="${value}" maxlength="${maxLength ?? 100}" autocomplete="off">`
  return html`<div class="field"><label for="${id}">${label}</label>${input}</div>`
}

export function isAvailable(context: ApiContext, { operation }: Try): boolean {
  return readSurfaceState(context).options.isAvailable?.(operation) !== false
}

function renderPrice({ catalog, settings }: ApiContext, { operation }: Try): string {
  const entry = catalog.entries.find(({ name }) => name === operation)
  return entry && isPaid(entry) ? formatRate(priceOf(entry, name => settings.ratesOf(name))) : ''
}

function renderOff({ settings }: ApiContext): Html | false {
  return (
    !settings.get('trial.enabled') &&
    html`<p class="note plain">Trials are switched off here. <a href="/sign-in">Sign in</a> to get a key.</p>`
  )
}

/** What becomes of a file, and the limits. */
function renderTerms({ settings }: ApiContext): Html {
  const hours = settings.get('cputools.scratch_hours')
  return html`<p class="dim small terms">Your file and the result are deleted after ${hours} hours, and whoever has the address of the result can see them until then. At most ${settings.get('trial.per_network')} trials a day from one network, ${formatMoney(BigInt(settings.get('trial.call_micros')))} for one, and ${formatMoney(BigInt(settings.get('trial.daily_micros')))} a day for all visitors together.</p>`
}
