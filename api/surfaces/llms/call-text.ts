import { type Entry, type Example, PROBLEMS, type ProblemCode, wireCode } from '#kit'
import { renderCurl } from '../code/curl.ts'
import { BY_PERSONS, describeMissing, isForPersons, isPaid, type SurfaceOptions } from '../entries.ts'
import { describePrice } from '../prices.ts'
import { type Detail, FIELD_NOTATION, joinCompactFields, listCompactFields, listFieldTexts } from './compact-fields.ts'

/** What an agent with little room can read at once, about 1,200 tokens. */
export const MAX_CALL_TEXT_LENGTH = 3_900

const DETAILS: readonly Detail[] = [
  { descriptions: 'all', typedDepth: 3 },
  { descriptions: 'first sentence', typedDepth: 2 },
  { descriptions: 'first sentence', typedDepth: 0 },
  { descriptions: 'none', typedDepth: 1 },
  { descriptions: 'none', typedDepth: 0 },
]

/** All that one call takes: every field, the errors, a command to paste and the answer. Longer lists say less a field. */
export function renderCallText(entry: Entry, options: SurfaceOptions): string {
  const texts = DETAILS.map(detail => renderWith(entry, options, detail))
  return texts.find(text => text.length <= MAX_CALL_TEXT_LENGTH) ?? texts.at(-1)!
}

/** What the page of a family says once for all of its calls. */
export interface SharedParts {
  fields: ReadonlySet<string>
  price: string | undefined
}

/** The same on one line, for the page of its family. */
export function renderCallLine(
  entry: Entry,
  options: SurfaceOptions,
  { shared, isNamesOnly }: { shared: SharedParts; isNamesOnly: boolean },
): string {
  const { name, summary } = entry
  const fields = listTaken(entry, isNamesOnly).filter(field => !shared.fields.has(field))
  const price = priceOf(entry, options)
  const parts = [
    summary,
    describeMissing(options, entry, 'Not available on this service.'),
    entry.auth.includes('session') && 'Made by a signed-in person, not with a key.',
    fields.length > 0 && `Takes ${fields.join(', ')}.`,
    price !== shared.price && sentence(price),
  ].filter(Boolean)
  return `- [${name}](${options.publicUrl}/llms/${name}.txt): ${parts.join(' ')}`
}

/** Every field of a call: with its type, or only its name. */
export function listTaken({ params, query, headers, body }: Entry, isNamesOnly: boolean): string[] {
  const schemas = [params, query, headers, body].filter(schema => schema !== undefined)
  return schemas.flatMap(schema => listFieldTexts(schema, isNamesOnly ? -1 : 0)).filter(Boolean)
}

export function priceOf(entry: Entry, { ratesOf }: SurfaceOptions): string {
  return isPaid(entry) ? describePrice(entry, ratesOf) : 'Free'
}

function renderWith(entry: Entry, options: SurfaceOptions, detail: Detail): string {
  const { name, method, path, summary, description, params, query, headers, body, reply, errors, examples } = entry
  const missing = describeMissing(options, entry, 'Currently not available on this service.')
  const schemas = [params, query, headers, body].filter(schema => schema !== undefined)
  const fields = schemas.flatMap(schema => listCompactFields(schema, detail))
  const answer = reply.schema && joinCompactFields(reply.schema, Math.min(detail.typedDepth, 1))
  const [example] = examples
  const parts = [
    `# ${name}`,
    `\`${method} ${path}${showQuery(entry)}\` ${summary}${missing ? ` ${missing}` : ''}`,
    description,
    isForPersons(entry) && BY_PERSONS,
    `Price: ${sentence(priceOf(entry, options))}`,
    fields.length > 0 && [`Fields (${FIELD_NOTATION}):`, ...fields].join('\n'),
    example && renderExample(entry, example, options),
    answer && `Answer: {${answer}}`,
    errors.length > 0 && `Errors: ${listErrors(errors)}${entry.stepErrors ? ', and those of its steps' : ''}.`,
    `Schema: ${options.publicUrl}/openapi.json?operations=${name}`,
  ]
  return `${parts.filter(Boolean).join('\n\n')}\n`
}

/** Of a call without a body whose method may have one: the fields that must stand in its address. */
function showQuery({ method, query, body }: Entry): string {
  const { required = [] } = (query ?? {}) as { required?: string[] }
  if (method === 'GET' || body || required.length === 0) return ''
  return `?${required.map(name => `${name}={${name}}`).join('&')}`
}

function renderExample(entry: Entry, example: Example, { publicUrl }: SurfaceOptions): string {
  const answer = example.answer ? `\n\nIt answers \`${JSON.stringify(example.answer)}\`.` : ''
  return `${example.title}:\n\n\`\`\`sh\n${renderCurl(entry, example, publicUrl)}\n\`\`\`${answer}`
}

function listErrors(errors: readonly ProblemCode[]): string {
  const byStatus = Map.groupBy(new Set(errors), code => PROBLEMS[code][0])
  return [...byStatus]
    .sort(([one], [other]) => one - other)
    .map(([status, codes]) => `${status} ${codes.map(wireCode).join(', ')}`)
    .join('; ')
}

export function sentence(text: string): string {
  return `${text.replace(/\.$/, '')}.`
}
