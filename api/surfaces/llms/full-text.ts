import { type Entry, type Example, PROBLEMS, type ProblemCode, wireCode } from '#kit'
import {
  BY_PERSONS,
  describeFamily,
  describeMissing,
  groupByFamily,
  isForPersons,
  isPaid,
  SUMMARY,
  type SurfaceOptions,
  withNamedWildcards,
} from '../entries.ts'
import { buildGuide } from '../guide.ts'
import { replaceSamples } from '../openapi/examples.ts'
import { describeProblem, groupProblemsByStatus } from '../openapi/expected-problems.ts'
import { type Plain, sharedSchemas } from '../openapi/plain-schema.ts'
import { describePrice } from '../prices.ts'
import { commonFields, listFieldLines, renderFieldSection } from './field-list.ts'

/** The full text, with every field, price, error and example. */
export function renderFullText(catalog: readonly Entry[], options: SurfaceOptions): string {
  const entries = withNamedWildcards(catalog)
  const sections = [...groupByFamily(entries)].flatMap(([family, members]) => [
    `## ${family}`,
    describeFamily(family),
    ...members.map(entry => renderEntry(entry, options)),
  ])
  return `${[...renderHead(entries, options), ...sections, '## Schemas', ...renderSchemas(entries, options), '## Errors', renderProblems(entries)].join('\n\n')}\n`
}

function renderHead(entries: readonly Entry[], options: SurfaceOptions): string[] {
  return [
    '# coinop',
    `> ${SUMMARY}`,
    buildGuide(entries, options)
      .map(({ text }) => `- ${text}`)
      .join('\n'),
  ]
}

function describeEntry(entry: Entry, options: SurfaceOptions): string {
  const price = isPaid(entry) ? describePrice(entry, options.ratesOf) : 'free'
  const missing = describeMissing(options, entry, 'Currently not available on this service.')
  return `\`${entry.method} ${entry.path}\` ${entry.summary} (${price})${missing ? ` ${missing}` : ''}`
}

function renderEntry(entry: Entry, options: SurfaceOptions): string {
  const parts = [
    `### ${entry.name}`,
    describeEntry(entry, options),
    entry.description,
    isForPersons(entry) && BY_PERSONS,
    renderFieldSection('Path parameters', entry.params),
    renderFieldSection('Query parameters', entry.query),
    renderFieldSection('Headers', entry.headers),
    renderFieldSection('Body', entry.body, entry.kind === 'operation'),
    renderFieldSection('Response', entry.reply.schema),
    entry.errors.length > 0 && `Specific errors: ${listCodes(entry)}.`,
    ...entry.examples.slice(0, 2).map(example => renderExample(entry, example, options)),
  ]
  return parts.filter(Boolean).join('\n\n')
}

/** The errors of this entry alone; those that every call may return are listed once, at the end of the text. */
function listCodes({ errors }: Entry): string {
  const codes = errors.map(code => `${PROBLEMS[code][0]} ${wireCode(code)}`)
  return [...new Set(codes)].sort().join(', ')
}

function renderExample(
  { method, path }: Entry,
  { title, input, answer }: Example,
  { publicUrl }: SurfaceOptions,
): string {
  const call = [
    '```http',
    `${method} ${publicUrl}${path}`,
    'Content-Type: application/json',
    '',
    JSON.stringify(replaceSamples(input)),
    '```',
  ]
  const reply = answer ? ['', `Response: \`${JSON.stringify(answer)}\`.`] : []
  return [`${title}:`, '', ...call, ...reply].join('\n')
}

function renderSchemas(entries: readonly Entry[], options: SurfaceOptions): string[] {
  const inputs = entries.filter(({ kind }) => kind === 'operation').map(({ body }) => body)
  const common = commonFields(inputs)
  const shared = Object.entries(sharedSchemas(options)).map(([name, schema]) =>
    renderSchema(name, String(schema.description), schema),
  )
  return common ? [renderSchema('Every operation', EVERY_OPERATION, common), ...shared] : shared
}

const EVERY_OPERATION =
  'Every operation also accepts these fields, the last two only if it makes a file. The lists above leave them out.'

function renderSchema(title: string, description: string, schema: Plain): string {
  return [`### ${title}`, description, listFieldLines(schema).join('\n')].join('\n\n')
}

/** Every problem that this catalogue can return, including those common to all calls. */
function renderProblems(entries: readonly Entry[]): string {
  const codes = new Set(entries.flatMap(entry => [...groupProblemsByStatus(entry).values()].flat()))
  const sortedCodes = (Object.keys(PROBLEMS) as ProblemCode[]).filter(code => codes.has(code))
  return sortedCodes.map(code => `- ${PROBLEMS[code][0]} \`${wireCode(code)}\`: ${describeProblem(code)}`).join('\n')
}
