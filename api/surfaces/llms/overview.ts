import { type Entry, formatUsd, ID_PREFIX, PRICE_CEILING, PRICE_FLOOR } from '#kit'
import { describeFamily, groupByFamily, isPaid, isPlatformFamily, type SurfaceOptions } from '../entries.ts'

// x402 is named only where payments can be settled, so that no agent signs one that nobody accepts.

/**
 * The first text that a language model reads, in the form of llmstxt.org: how to authenticate, where the pages are, how
 * files are given, and which families there are. With the page of a call it tells all that a task needs, so it stays
 * below 700 tokens.
 */
export function renderOverview(entries: readonly Entry[], options: SurfaceOptions): string {
  const { hasMcp } = options
  const pages = [
    '- [Search](/v1/search?q=shrink+photo): by wish, with fields',
    '- [One call](/llms/pdf.merge.txt): fields, errors, an example',
    '- [One family](/llms/pdf.txt): its calls',
    '- [Everything](/llms-full.txt): long; [OpenAPI](/openapi.json)',
    '- [Clients](/docs/sdk): npm, pip',
    ...(hasMcp ? ['- [MCP](/mcp/full): all as tools'] : []),
  ]
  const sections = [
    '# coinop',
    '> Pay-per-call file and data operations.',
    listRules(entries, options)
      .map(rule => `- ${rule}`)
      .join('\n'),
    '## Pages',
    pages.join('\n'),
    '## Families',
    listFamilies(entries)
      .map(family => `- ${family}`)
      .join('\n'),
  ]
  return `${sections.join('\n\n')}\n`
}

/** One line each, and one for all that serve the platform itself, whose names say what they hold. */
function listFamilies(entries: readonly Entry[]): string[] {
  const families = [...groupByFamily(entries).keys()]
  const offered = families.filter(family => !isPlatformFamily(family))
  const platform = families.filter(isPlatformFamily)
  return [
    ...offered.map(family => `${family}: ${shorten(describeFamily(family))}`),
    ...(platform.length > 0 ? [`${platform.join(', ')}: account and server`] : []),
  ]
}

function listRules(entries: readonly Entry[], { publicUrl, canFetch }: SurfaceOptions): string[] {
  const hasPrices = entries.some(isPaid)
  const acceptsX402 = entries.some(({ auth }) => auth.includes('x402'))
  const sources = ['{"inline": "<base64>"}', '{"text"}', ...(canFetch ? ['{"url"}'] : []), '{"inputKey"}']
  return [
    `Base URL ${publicUrl}. \`pdf.merge\` is \`POST /v1/pdf/merge\` with JSON unless its page differs.`,
    `Auth: \`Authorization: Bearer ${ID_PREFIX}_live_...\`${acceptsX402 ? `, or x402: ${X402}` : hasPrices ? NO_X402 : ''}.`,
    ...(hasPrices ? [MONEY] : []),
    `A Source (file) is ${sources.map(source => `\`${source}\``).join(', ')} or \`{"batonId"}\`; a NamedSource may have a \`name\`. Above 4 MiB: POST /v1/cputools/upload-url. Or send its bytes as the body, other fields in the query.`,
    'Result files: `output.inline` or `output.outputUrl`; give `output.outputKey` on as `inputKey`.',
    'Slow calls answer 202 with a `ticket` (`Prefer: respond-async`: at once); GET /v1/jobs/{ticket}?wait=30.',
    'Errors: `{error, code}` with hints; retry 429 and 503 after `Retry-After`.',
  ]
}

const X402 =
  'sign one entry of `accepts` of the 402 (header `PAYMENT-REQUIRED`) and send again with `PAYMENT-SIGNATURE`'

const NO_X402 = '; after a 402, ask a person for a key (/sign-in) or for funds (/dashboard/billing)'

const MONEY = `${formatUsd(PRICE_FLOOR)} to ${formatUsd(PRICE_CEILING)} USD a call; failures are free. \`dryRun: true\` tells the price. \`Idempotency-Key\` makes repeats free.`

/** Of a long description the parts that fit, up to a comma. */
function shorten(description: string): string {
  if (description.length <= 48) return description.replace(/\.$/, '')
  return description.slice(0, 48).replace(/[:.,][^:.,]*$/, '')
}
