import { type Micros, Problem, type Quote } from '#kit'
import type { NamedOperation } from '../../../tasks/index.ts'
import type { ApiContext } from '../../context.ts'
import { canEstimate, estimateCall, type FileSize, findMeasures } from '../../surfaces/estimate.ts'
import { formatMoney } from '../parts/format.ts'
import { type Html, html } from '../parts/html.ts'

const DEFAULT_OPERATION = 'pdf.ocr-searchable'
const DEFAULT_CALLS = 1_000
const MAX_CALLS = 1_000_000_000
const MAX_SIZE = 1_000_000
const DEFAULT_SIZE: FileSize = { pages: 10, megapixels: 12, seconds: 60, mebibytes: 1 }
const LABELS: Record<keyof FileSize, string> = {
  pages: 'Pages of each file',
  megapixels: 'Megapixels of each image',
  seconds: 'Seconds of each recording',
  mebibytes: 'MiB of each file',
}

/** What a month of calls costs, by the function that prices them. A form that is sent by GET, so it works without scripts. */
export async function renderCalculator(context: ApiContext, query: Record<string, string>): Promise<Html> {
  const { catalog, settings } = context
  const operations = catalog.operations.filter(canEstimate)
  const operation = operations.find(({ name }) => name === (query.op ?? DEFAULT_OPERATION)) ?? operations[0]
  if (!operation) return html``
  const calls = readNumber(query.calls, DEFAULT_CALLS, MAX_CALLS)
  const measures = await findMeasures(operation)
  const size = Object.fromEntries(
    measures.map(measure => [measure, readNumber(query[measure], DEFAULT_SIZE[measure], MAX_SIZE)]),
  )
  const rates = settings.ratesOf(operation.name)
  const quote = await estimateCall(operation, size, rates).catch(describeRefusal)
  const fields = measures.map(
    measure =>
      html`<div class="field"><label for="${measure}">${LABELS[measure]}</label><input id="${measure}" name="${measure}" type="number" min="0" max="${MAX_SIZE}" step="any" value="${size[measure]}" inputmode="decimal"></div>`,
  )
  return html`<section class="card stack calculator" id="calculator"><h2>Calculator</h2>
<form action="/pricing#calculator" class="limits" data-auto>${renderOperations(operations, operation)}
<div class="field"><label for="calls">Calls a month</label><input id="calls" name="calls" type="number" min="0" max="${MAX_CALLS}" value="${calls}" inputmode="numeric"></div>
${fields}<button class="button" type="submit">Calculate</button></form>
<div aria-live="polite">${typeof quote === 'string' ? html`<p class="note bad">${quote}</p>` : renderSum(operation, quote, calls)}</div></section>`
}

function renderOperations(operations: readonly NamedOperation[], chosen: NamedOperation): Html {
  const groups = [...Map.groupBy(operations, ({ family }) => family)].map(
    ([family, members]) =>
      html`<optgroup label="${family}">${members.map(({ name }) => html`<option${name === chosen.name && html` selected`}>${name}</option>`)}</optgroup>`,
  )
  return html`<div class="field"><label for="op">Operation</label><select id="op" name="op">${groups}</select></div>`
}

function renderSum({ name, examples, price }: NamedOperation, quote: Quote, calls: number): Html {
  const { expected, atMost, unit, units, variant } = quote
  const isRange = expected !== atMost
  const [one, most] = [BigInt(expected), BigInt(atMost)]
  const month = (micros: Micros) => formatMoney(micros * BigInt(Math.round(calls)))
  return html`<p class="sum"><output class="big" for="op calls">${month(one)}</output> a month${isRange && html`, at most ${month(most)}`}</p>
<p class="dim small">${formatMoney(one)} for each call${isRange && html` (at most ${formatMoney(most)})`}: ${units} × ${unit}${variant !== undefined && html`, at the rate if ${variant.replaceAll('`', '')}`}. This is the price of <code>${name}</code> with the options of its first example, “${examples[0]!.title}”.${price.note !== undefined && html` ${price.note}`}</p>`
}

/** A size that no call can have is told in the words in which the call would refuse it. */
function describeRefusal(error: unknown): string {
  if (error instanceof Problem) return error.message
  throw error
}

function readNumber(text: string | undefined, fallback: number, most: number): number {
  const number = Number(text)
  return text === undefined || text.trim() === '' || !Number.isFinite(number) || number < 0
    ? fallback
    : Math.min(number, most)
}
