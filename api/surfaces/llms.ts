import { type Entry, type Example, PROBLEMS, type ProblemCode, wireCode } from '#kit'
import { problemsByStatus, sentenceOf } from './expected-problems.ts'
import { commonFields, fieldsSection, linesOf } from './fields-in-words.ts'
import { guide } from './guide.ts'
import { withoutSamples } from './openapi-examples.ts'
import { type Plain, SHARED_SCHEMAS } from './plain-schema.ts'
import { byFamily, familyInWords, isPaid, priceInWords, SUMMARY, type SurfaceOptions, shown } from './surface.ts'

/** The short text for language models, in the form of llmstxt.org: one title, one quote, rules, then lists of links. */
export function llms(catalog: readonly Entry[], options: SurfaceOptions): string {
  const entries = shown(catalog)
  const { publicUrl } = options
  const sections = [...byFamily(entries)].map(([family, members]) => [
    `## ${family}`,
    members
      .map(entry => `- [${entry.name}](${publicUrl}/llms-full.txt#${entry.name}): ${oneLine(entry, options)}`)
      .join('\n'),
  ])
  const optional = [
    `- [All of it in one text](${publicUrl}/llms-full.txt): every field, every refusal, with examples`,
    `- [OpenAPI 3.1](${publicUrl}/openapi.json): the same for machines`,
    `- [Reference with a form to try each call](${publicUrl}/docs): for people`,
  ].join('\n')
  return `${[...head(entries, options), ...sections.flat(), '## Optional', optional].join('\n\n')}\n`
}

/** The same with every field, price, refusal and example written out. */
export function llmsFull(catalog: readonly Entry[], options: SurfaceOptions): string {
  const entries = shown(catalog)
  const sections = [...byFamily(entries)].flatMap(([family, members]) => [
    `## ${family}`,
    familyInWords(family),
    ...members.map(entry => chapter(entry, options)),
  ])
  return `${[...head(entries, options), ...sections, '## Shapes', ...shapes(entries), '## Refusals', refusals(entries)].join('\n\n')}\n`
}

function head(entries: readonly Entry[], options: SurfaceOptions): string[] {
  return [
    '# coinop',
    `> ${SUMMARY}`,
    guide(entries, options)
      .map(rule => `- ${rule}`)
      .join('\n'),
  ]
}

function oneLine(entry: Entry, { rateOf, available }: SurfaceOptions): string {
  const price = isPaid(entry) ? priceInWords(entry, rateOf) : 'free'
  const missing =
    entry.kind === 'operation' && available?.(entry.name) === false ? ' Not available here at present.' : ''
  return `\`${entry.method} ${entry.path}\` ${entry.summary} (${price})${missing}`
}

function chapter(entry: Entry, options: SurfaceOptions): string {
  const parts = [
    `### ${entry.name}`,
    oneLine(entry, options),
    entry.description,
    fieldsSection('In the path', entry.params),
    fieldsSection('In the query', entry.query),
    fieldsSection('Body', entry.body, entry.kind === 'operation'),
    fieldsSection('Answer', entry.reply.schema),
    entry.errors.length > 0 && `Refusals of its own: ${codesOf(entry)}.`,
    ...entry.examples.slice(0, 2).map(example => exampleText(entry, example, options)),
  ]
  return parts.filter(Boolean).join('\n\n')
}

/** What any call of the kind refuses with stands once, at the end of the text. */
function codesOf({ errors }: Entry): string {
  const codes = errors.map(code => `${PROBLEMS[code][0]} ${wireCode(code)}`)
  return [...new Set(codes)].sort().join(', ')
}

function exampleText(
  { method, path }: Entry,
  { title, input, answer }: Example,
  { publicUrl }: SurfaceOptions,
): string {
  const call = [
    '```http',
    `${method} ${publicUrl}${path}`,
    'Content-Type: application/json',
    '',
    JSON.stringify(withoutSamples(input)),
    '```',
  ]
  const reply = answer ? ['', `Answers with \`${JSON.stringify(answer)}\`.`] : []
  return [`${title}:`, '', ...call, ...reply].join('\n')
}

function shapes(entries: readonly Entry[]): string[] {
  const inputs = entries.filter(({ kind }) => kind === 'operation').map(({ body }) => body)
  const common = commonFields(inputs)
  const shared = Object.entries(SHARED_SCHEMAS).map(([name, schema]) =>
    chapterOf(name, String(schema.description), schema),
  )
  return common ? [chapterOf('Every operation', EVERY_OPERATION, common), ...shared] : shared
}

const EVERY_OPERATION =
  'These fields go with every operation, the last two with those that make a file; the lists above leave them out.'

function chapterOf(title: string, said: string, schema: Plain): string {
  return [`### ${title}`, said, linesOf(schema).join('\n')].join('\n\n')
}

/** Only what this catalogue can answer with, the refusals of every call included. */
function refusals(entries: readonly Entry[]): string {
  const codes = new Set(entries.flatMap(entry => [...problemsByStatus(entry).values()].flat()))
  const listed = (Object.keys(PROBLEMS) as ProblemCode[]).filter(code => codes.has(code))
  return listed.map(code => `- ${PROBLEMS[code][0]} \`${wireCode(code)}\`: ${sentenceOf(code)}`).join('\n')
}
