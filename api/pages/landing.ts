import { computeAmount, withRates } from '#kit'
import type { ApiContext } from '../context.ts'
import { formatMoney, formatRate } from './parts/format.ts'
import { type Html, html } from './parts/html.ts'
import { renderCode, renderPublicPage } from './parts/layout.ts'
import { definePublicPage } from './parts/page.ts'

/** What most visitors come for, with a title of its own. An operation that does not exist is left out. */
const BEST_OPERATIONS: readonly [name: string, title: string][] = [
  ['pdf.from-html', 'HTML to PDF'],
  ['pdf.to-markdown', 'PDF to Markdown'],
  ['pdf.redact', 'Redact a PDF, verified'],
  ['pdf.merge', 'Merge PDFs'],
  ['image.ocr', 'Text from pictures'],
  ['image.resize', 'Resize images'],
  ['csv.convert', 'CSV, JSON and back'],
  ['codes.qr', 'QR codes'],
]

export const landingPages = [
  definePublicPage('GET /', ({ session }, context) =>
    renderPublicPage(
      'File and data operations, paid per call',
      session !== undefined,
      renderLanding(context, session !== undefined),
    ),
  ),
]

function renderLanding(context: ApiContext, isSignedIn: boolean): Html {
  const { publicUrl } = context.config
  const exampleCall = `# your key, from the dashboard\nexport KEY=svc_live_…\n\ncurl ${publicUrl}/v1/utils/hash \\\n  -H "Authorization: Bearer $KEY" \\\n  -H "Content-Type: application/json" \\\n  -d '{"text":"hello"}'`
  const startButton = isSignedIn
    ? html`<a class="button" href="/dashboard">Open the dashboard</a>`
    : html`<a class="button" href="/sign-in">Start in two minutes</a>`
  return html`<section class="hero"><div>
<p class="eyebrow">For AI agents and developers</p>
<h1>File and data operations,<br>paid per call.</h1>
<p class="lead">${context.catalog.operations.length} file and data operations behind one API. Every call has an exact price, from a tenth of a cent. A failed call is free.</p>
<p class="row">${startButton}<a class="button quiet" href="/docs">Read the docs</a></p>
<p class="dim small">Prepaid. No subscription, no seats, no minimum.</p></div>
<div class="ticket">${renderCode(exampleCall, 'A first call')}<p class="reply"><span class="pill good">200</span> <code>X-Service-Charged-Micros: ${findFirstCharge(context)}</code></p></div></section>
${renderBestOperations(context)}
<section class="points">
<div><h2>Priced before it runs</h2><p>The price is known and held before a call runs. You are charged only for what was used; the rest is released. Add <code>"dryRun": true</code> to any call to see its price.</p></div>
<div><h2>Made for agents</h2><p>Every call is described in <a href="/openapi.json">OpenAPI</a> and in <a href="/llms.txt">llms.txt</a>. Keys can have a limit per call and per day.${context.payments && html` An agent with a wallet needs no account: it pays each call by x402.`}</p></div>
<div><h2>Safe to retry</h2><p>Send an <code>Idempotency-Key</code> to make sure that a retry is never charged twice. Long calls run in the background and return a ticket.</p></div>
</section>
<section class="start"><h2>Your first call in two minutes</h2><ol class="road">
<li><h3>Sign in</h3><p>All you need is an email address. There is no password.</p></li>
<li><h3>Top up</h3><p>From ${formatMoney(5_000_000n)}, which pays for up to 5,000 calls.</p></li>
<li><h3>Create a key</h3><p>Give it a daily limit and pass it to your agent.</p></li></ol></section>
`
}

/** What the call that is shown costs: it has no units beyond the base. */
function findFirstCharge({ catalog, settings }: ApiContext): string {
  const price = withRates(catalog.operation('utils.hash')!.price, settings.ratesOf('utils.hash'))
  return String(computeAmount(price, 0))
}

function renderBestOperations({ catalog, settings }: ApiContext): Html {
  const cards = BEST_OPERATIONS.map(([name, title]) => {
    const operation = catalog.operation(name)
    if (!operation) return false
    const { summary } = operation
    const price = withRates(operation.price, settings.ratesOf(name))
    return html`<li><a class="card" href="/pricing#${operation.family}"><strong>${title}</strong><span class="dim">${summary}</span><span class="cost">${price.variants && 'from '}${formatRate(price)}</span></a></li>`
  })
  return html`<section class="best"><header class="cap"><h2>What it does</h2><a href="/pricing">All ${catalog.operations.length} operations</a></header><ul class="cards">${cards}</ul></section>`
}
