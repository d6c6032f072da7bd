import type { Floor } from '../floor.ts'
import { type Html, html } from './html.ts'
import { code, openPage } from './layout.ts'
import { publicPage } from './page.ts'
import { money } from './words.ts'

const SHOWN_PRICES = 8

export const landingPages = [
  publicPage('GET /', ({ session }, floor) =>
    openPage(
      'File and data operations, paid by the call',
      session !== undefined,
      landing(floor, session !== undefined),
    ),
  ),
]

function landing(floor: Floor, isSignedIn: boolean): Html {
  const { publicUrl } = floor.config
  const first = `# your key, from the dashboard\nexport KEY=svc_live_…\n\ncurl ${publicUrl}/v1/utils/hash \\\n  -H "Authorization: Bearer $KEY" \\\n  -H "Content-Type: application/json" \\\n  -d '{"text":"hello"}'`
  const start = isSignedIn
    ? html`<a class="button" href="/dashboard">Open the dashboard</a>`
    : html`<a class="button" href="/sign-in">Start in two minutes</a>`
  return html`<section class="hero"><div>
<p class="eyebrow">For AI agents and developers</p>
<h1>Drop a coin in,<br>get the work out.</h1>
<p class="lead">${floor.catalog.operations.length} file and data operations behind one API. Every call has an exact price, from a tenth of a cent; a call that fails is free.</p>
<p class="row">${start}<a class="button quiet" href="/docs">Read the docs</a></p>
<p class="dim small">Prepaid. No subscription, no seats, no minimum.</p></div>
<div class="ticket">${code(first, 'A first call')}<p class="reply"><span class="pill good">200</span> <code>X-Service-Charged-Micros: 1000</code></p></div></section>
<section class="points">
<div><h2>Priced before it runs</h2><p>The price is known and held first. Only what was used is charged, the rest is given back. Ask any call with <code>"dryRun": true</code>.</p></div>
<div><h2>Made for agents</h2><p>One declaration makes the route, its OpenAPI entry and its line in <a href="/llms.txt">llms.txt</a>. Keys have daily and per-call limits.</p></div>
<div><h2>Safe to retry</h2><p>Send an <code>Idempotency-Key</code>, and nothing is ever charged twice. Long work answers with a ticket and goes on.</p></div>
</section>
<section class="start"><h2>Two minutes to the first call</h2><ol class="road">
<li><h3>Sign in</h3><p>A mail address is enough. There is no password to lose.</p></li>
<li><h3>Top up</h3><p>From ${money(5_000_000n)}; that is up to 5,000 calls.</p></li>
<li><h3>Create a key</h3><p>Give it a limit for the day, and hand it to your agent.</p></li></ol></section>
${prices(floor)}`
}

function prices({ catalog, settings }: Floor): Html {
  const perFamily = Map.groupBy(catalog.operations, ({ family }) => family)
  const shown = [...perFamily.values()].flatMap(some => some.slice(0, 2)).slice(0, SHOWN_PRICES)
  const rows = shown.map(({ name, summary, price }) => {
    const rate = settings.rateOf(name) ?? price.rateMicros
    return html`<tr><td class="what"><code>${name}</code><span class="dim wide">${summary}</span></td><td class="num">${money(rate)} <span class="dim">per ${price.unit}</span></td></tr>`
  })
  return html`<section class="card flush pricelist"><header class="cap"><h2>A few prices</h2><a href="/v1/prices">All of them</a></header><table class="table"><tbody>${rows}</tbody></table></section>`
}
