import type { Entry } from '#kit'
import { renderCodeSpans } from '../../pages/parts/code-spans.ts'
import { formatMoney } from '../../pages/parts/format.ts'
import { type Html, html } from '../../pages/parts/html.ts'
import { renderCode } from '../../pages/parts/layout.ts'
import { listSamples } from '../code/program/values.ts'
import type { SurfaceOptions } from '../entries.ts'
import { callsOf, type HowToPage, howToPath, listHowTos, SUBJECTS } from '../how-to/load.ts'
import { printPrograms } from '../how-to/programs.ts'
import { readResult } from '../how-to/results.ts'
import { priceOf } from '../llms/call-text.ts'
import { listInstallCommands } from '../sdk/addresses.ts'
import { renderTabs } from './programs.ts'
import { type DocsPage, docsPathOf } from './shell.ts'

const INDEX_DESCRIPTION =
  'What people come to do, one page for each: the call, what comes of it, its price, and what to look out for.'

/** All tasks by subject. */
export function describeHowToIndex(entries: readonly Entry[]): DocsPage {
  const bySubject = Map.groupBy(listHowTos(entries), ({ subject }) => subject)
  const sections = [...bySubject].map(
    ([subject, pages]) => html`<h2 id="${subject}">${SUBJECTS[subject]}</h2>
<ul class="cards">${pages.map(page => html`<li><a href="${howToPath(page)}"><strong>${page.title}</strong><span class="dim">${callsOf(page).join(', ')}</span></a></li>`)}</ul>`,
  )
  const content = html`<h1>How to</h1><p class="lead">${INDEX_DESCRIPTION}</p>${sections}`
  return { path: '/docs/how-to', title: 'How to', description: INDEX_DESCRIPTION, content }
}

/** One task: its programs, its result, its price, and what to look out for. */
export function describeHowToPage(page: HowToPage, entries: readonly Entry[], options: SurfaceOptions): DocsPage {
  const { title, lead, pitfalls, steps, subject } = page
  const missing = steps.filter(({ call }) => options.isAvailable?.(call) === false)
  const content = html`<p class="eyebrow"><a href="/docs/how-to#${subject}">${SUBJECTS[subject]}</a></p>
<h1>${title}</h1>
<p class="lead">${renderCodeSpans(lead)}</p>
${missing.length > 0 && html`<p class="note bad">Not available on this service at present: ${missing.map(({ call }) => call).join(', ')}. <a href="/v1/capabilities">What works here</a></p>`}
<h2 id="call">The call</h2>
${renderTabs(printPrograms(page, entries, options.publicUrl), title)}
${renderSetUp(page, options)}
<div class="halves"><div><h2 id="result">What comes of it</h2>
${renderResult(page, options)}</div>
<div><h2 id="price">The price</h2>
${renderPrices(page, entries, options)}
<h2 id="pitfalls">What to look out for</h2>
<ul class="pitfalls">${pitfalls.map(text => html`<li>${renderCodeSpans(text)}</li>`)}</ul></div></div>`
  return { path: howToPath(page), title, description: lead, content }
}

function renderSetUp({ steps, payer }: HowToPage, options: SurfaceOptions): Html {
  const { npm, pip } = listInstallCommands(options)
  const samples = listSamples(steps).map(
    (name, index) => html`${index > 0 && ', '}<a href="/docs/samples/${name}">${name}</a>`,
  )
  const credential =
    payer === 'wallet'
      ? html`<code>WALLET</code> holds the private key of a wallet with USDC.`
      : html`<code>KEY</code> holds your key from <a href="/dashboard/keys">the dashboard</a>.`
  return html`<details class="set-up"><summary>Before you run it</summary><p>${credential}${samples.length > 0 && html` The sample: ${samples}.`} The commands use <code>jq</code> where a value is passed on.</p>
${renderCode(`${npm}\n${pip}`, 'Installing the clients')}</details>`
}

function renderPrices(page: HowToPage, entries: readonly Entry[], options: SurfaceOptions): Html {
  const calls = callsOf(page).map(name => entries.find(entry => entry.name === name)!)
  const rows = calls.map(
    entry =>
      html`<li><a href="${docsPathOf(entry)}"><code>${entry.name}</code></a><p class="dim small">${priceOf(entry, options)}</p></li>`,
  )
  const charged = readResult(page)?.chargedMicros
  const isListed = calls.every(({ name }) => options.ratesOf?.(name) === undefined)
  return html`<ul class="list">${rows}</ul>${charged !== undefined && isListed && html`<p class="small">As printed, this costs ${formatMoney(charged)}.</p>`}`
}

function renderResult(page: HowToPage, { publicUrl }: SurfaceOptions): Html {
  const result = readResult(page)
  if (!result) return html`<p class="dim">Run it to see.</p>`
  const { image, answer } = result
  const shown =
    image &&
    html`<p class="seen"><img src="/docs/how-to/${page.slug}.webp" width="${image.width}" height="${image.height}" alt="What this page makes: ${page.title}" loading="lazy"></p>`
  const json = JSON.stringify(answer, null, 2).replaceAll('{url}', publicUrl)
  return html`${shown}${renderCode(json, 'The answer')}`
}
