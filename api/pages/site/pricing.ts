import { findPriceRange } from '#kit'
import type { ApiContext } from '../../context.ts'
import { buildCapabilities } from '../../surfaces/capabilities.ts'
import { groupByFamily, isPaid, type PaidEntry, priceOf } from '../../surfaces/entries.ts'
import { listVariants } from '../../surfaces/prices.ts'
import { formatMoney, formatRate } from '../parts/format.ts'
import { type Html, html } from '../parts/html.ts'
import { defineSitePage } from '../parts/site.ts'
import { renderCalculator } from './calculator.ts'

export const pricingPage = defineSitePage('/pricing', async ({ query }, context) => ({
  title: 'Prices',
  description: 'What each call costs, by family, and a calculator for a month of calls.',
  content: await renderPricing(context, query),
}))

async function renderPricing(context: ApiContext, query: Record<string, string>): Promise<Html> {
  const wanted = (query.q ?? '').trim().slice(0, 100)
  const paid = context.catalog.entries.filter(isPaid)
  const words = wanted.toLowerCase().split(/\s+/)
  const found = paid.filter(({ name, summary }) =>
    words.every(word => `${name} ${summary}`.toLowerCase().includes(word)),
  )
  const families = [...groupByFamily(found)].sort(([one], [other]) => one.localeCompare(other))
  const chips = families.map(([family]) => html`<a href="#${family}">${family}</a>`)
  return html`<header class="intro"><h1>Prices</h1>
<p class="lead">Each call has its own price in US dollars. The highest possible amount is held before a call runs, and only what was used is charged. A failed call is free.</p></header>
${await renderCalculator(context, query)}
<h2 id="list">All prices</h2>
<form class="search" role="search" action="/pricing#list"><label class="hidden" for="q">Search operations</label><input id="q" name="q" type="search" value="${wanted}" placeholder="Search: merge, resize, CSV…"><button class="button" type="submit">Search</button></form>
${families.length > 1 && html`<nav class="chips" aria-label="Families">${chips}</nav>`}
${families.length === 0 && html`<p class="card empty">Nothing is called that. <a href="/pricing">All prices</a></p>`}
${families.map(([family, entries]) => renderFamily(context, family, entries))}
<p class="dim small">For programs: <a href="/v1/prices">/v1/prices</a> lists the same as JSON, and <code>"dryRun": true</code> in a call returns its exact price.</p>`
}

function renderFamily(context: ApiContext, family: string, entries: readonly PaidEntry[]): Html {
  const { operations } = buildCapabilities(entries, context.availability.tools())
  const rows = entries.map(entry => {
    const isMissing = operations[entry.name]?.available === false
    const price = renderPrice(context, entry)
    const link = `/docs/${family}/${entry.name.slice(family.length + 1)}`
    return html`<tr><td class="what"><a href="${link}"><code>${entry.name}</code></a>${isMissing && html` <span class="pill">not on this installation</span>`}<span class="dim summary">${entry.summary}</span></td><td class="num">${price}</td></tr>`
  })
  return html`<section class="card flush pricelist" id="${family}"><header class="cap"><h2>${family}</h2></header><table class="table"><thead class="hidden"><tr><th scope="col">Operation</th><th scope="col">Price</th></tr></thead><tbody>${rows}</tbody></table></section>`
}

function renderPrice({ settings }: ApiContext, entry: PaidEntry): Html {
  const price = priceOf(entry, settings.ratesOf)
  // What follows from a quote has no rate that says anything.
  if (price.unit.startsWith('micro-dollar'))
    return html`<strong>by quote</strong><span class="dim small">a quote is free</span>`
  const variants = listVariants(price).map(
    ({ when, unit, rateMicros }) =>
      html`<span class="dim small">${formatMoney(rateMicros)}${unit !== price.unit && html` per ${unit}`} if ${renderCondition(when)}</span>`,
  )
  const { max } = findPriceRange(price)
  const isBounded = price.unit !== 'call' && html`<span class="dim small">at most ${formatMoney(max)} per call</span>`
  return html`<strong>${formatRate(price)}</strong>${variants}${isBounded}`
}

/** Conditions name options between backquotes. */
function renderCondition(text: string): Html {
  return html`${text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`
}
