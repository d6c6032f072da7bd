import { withRates } from '#kit'
import type { ApiContext } from '../../context.ts'
import { renderCurl } from '../../surfaces/code/curl.ts'
import { describeFamily, groupByFamily, isPaid } from '../../surfaces/entries.ts'
import { callsOf, findHowTo, howToPath, howTos } from '../../surfaces/how-to/load.ts'
import { readSurfaceState } from '../../surfaces/state.ts'
import { countOf, formatMoney, formatRate } from '../parts/format.ts'
import { type Html, html } from '../parts/html.ts'
import { renderCode } from '../parts/layout.ts'
import { defineSitePage } from '../parts/site.ts'

/** The call that is shown: the first of these that an installation has and that can run there. */
const SHOWN = ['image.ocr', 'csv.convert', 'utils.hash']

/** Tasks of many kinds, by their pages. */
const TASKS = [
  'make-a-pdf-searchable',
  'merge-and-number-pages',
  'redact-a-pdf',
  'print-html-as-a-pdf',
  'turn-any-document-into-markdown',
  'take-tables-out-of-a-pdf',
  'resize-images-for-the-web',
  'cut-a-clip-out-of-a-video',
  'query-a-csv-with-sql',
  'sign-and-verify-a-contract',
  'ask-a-person',
  'prove-that-a-document-existed',
]

const DESCRIPTION =
  'PDF, images, video, tables, documents, storage and signatures behind one API. The price of each call is known before it runs.'

export const landingPage = defineSitePage('/', ({ session }, context) => ({
  title: 'File and data operations, paid per call',
  description: DESCRIPTION,
  content: renderLanding(context, session !== undefined),
}))

function renderLanding(context: ApiContext, isSignedIn: boolean): Html {
  const { catalog, settings } = context
  const start = isSignedIn
    ? html`<a class="button quiet" href="/dashboard">Open the dashboard</a>`
    : html`<a class="button quiet" href="/sign-in">Get a key</a>`
  const hasTrials = settings.get('trial.enabled')
  const trial = hasTrials && html`<a class="button" href="/try">Try it on your own file</a>`
  return html`<section class="hero"><div>
<p class="eyebrow">For developers and AI agents</p>
<h1>File and data work,<br>one call at a time.</h1>
<p class="lead">${DESCRIPTION}</p>
<p class="row">${trial}${start}<a class="plain-link" href="/docs">Read the docs</a></p>
<p class="dim small">${catalog.operations.length} operations, from ${formatMoney(1_000n)} a call. ${hasTrials && 'No account to try. '}Prepaid, no subscription.</p></div>
${renderCall(context)}</section>
${renderReasons(context)}
${renderTasks()}
${renderFamilies(context)}
<section class="start"><h2>Your first call in two minutes</h2><ol class="road">
<li><h3>Sign in</h3><p>All you need is an email address. There is no password.</p></li>
<li><h3>Top up</h3><p>From ${formatMoney(BigInt(settings.get('billing.min_usd')) * 1_000_000n)}. ${context.payments ? 'An agent with a wallet needs neither: it pays each call by x402.' : 'It pays for any call.'}</p></li>
<li><h3>Create a key</h3><p>Give it a limit per call and per day, and pass it to your code or your agent.</p></li></ol></section>`
}

/** One call with its price and its answer. */
function renderCall(context: ApiContext): Html {
  const { catalog, config, settings } = context
  const { options } = readSurfaceState(context)
  const found = SHOWN.filter(name => options.isAvailable?.(name) !== false).map(name => catalog.operation(name))
  const operation = found.find(Boolean) ?? catalog.operations[0]!
  const entry = catalog.entries.find(({ name }) => name === operation.name)!
  const [example] = operation.examples
  const price = withRates(operation.price, settings.ratesOf(operation.name))
  return html`<div class="ticket">${renderCode(renderCurl(entry, example!, config.publicUrl), 'A call')}
<p class="reply"><span class="pill good">200</span> <span class="pill calm">${formatRate(price)}</span></p>
${renderCode(JSON.stringify(example!.answer ?? {}, null, 2), 'Its answer')}</div>`
}

function renderReasons({ settings, payments }: ApiContext): Html {
  const hours = settings.get('cputools.scratch_hours')
  const paid = payments && ' By x402 an agent pays from its wallet, without an account.'
  return html`<section class="points">
<div><h2>You know the price first</h2><p><code>"dryRun": true</code> tells the price and runs nothing. The most it can be is held, what was used is charged, and a failed call costs nothing. <a href="/pricing#calculator">Calculate yours</a>.</p></div>
<div><h2>Files are gone after ${hours} hours</h2><p>Engines that read files run in confined processes with limits on memory and time. What you send and what comes of it is deleted after ${hours} hours, unless you pay to keep it. The software is open: <a href="/compare">run it yourself</a> if you prefer.</p></div>
<div><h2>Code and agents use the same call</h2><p>REST, <a href="/docs/sdk">clients for TypeScript and Python</a>, a command line and <a href="${howToPath({ slug: 'find-the-right-tool-by-mcp' })}">MCP</a>, all made from one catalogue. A repeat with the same <code>Idempotency-Key</code> is charged once.${paid}</p></div>
</section>`
}

function renderTasks(): Html {
  const pages = TASKS.flatMap(slug => findHowTo(slug) ?? [])
  const cards = pages.map(
    page =>
      html`<li><a class="card" href="${howToPath(page)}"><strong>${page.title}</strong><span class="dim">${callsOf(page).join(', ')}</span></a></li>`,
  )
  return html`<section class="best"><header class="cap"><h2>What do you want to do?</h2><a href="/docs/how-to">All ${howTos.length} tasks</a></header><ul class="cards">${cards}</ul></section>`
}

function renderFamilies({ catalog }: ApiContext): Html {
  const families = [...groupByFamily(catalog.entries.filter(isPaid))]
  const items = families.map(
    ([family, members]) =>
      html`<li><a href="/docs/${family}"><strong>${family}</strong></a> <span class="dim small">${describeFamily(family)} ${countOf(members.length, 'call')}</span></li>`,
  )
  return html`<section class="best"><header class="cap"><h2>Everything</h2><a href="/pricing">All prices</a></header><ul class="families">${items}</ul></section>`
}
