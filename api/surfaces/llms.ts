import type { TSchema } from 'typebox'
import { type Entry, type Example, PROBLEMS, type ProblemCode, wireCode } from '#kit'
import { problemsByStatus } from './expected-problems.ts'
import { guide } from './guide.ts'
import { withoutSamples } from './openapi-examples.ts'
import { type Plain, plainSchema, SHARED_SCHEMAS } from './plain-schema.ts'
import { byFamily, familyInWords, isPaid, priceInWords, SUMMARY, type SurfaceOptions } from './surface.ts'

/** The short text for language models, in the form of llmstxt.org: one title, one quote, rules, then lists of links. */
export function llms(entries: readonly Entry[], options: SurfaceOptions): string {
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
export function llmsFull(entries: readonly Entry[], options: SurfaceOptions): string {
  const sections = [...byFamily(entries)].flatMap(([family, members]) => [
    `## ${family}`,
    familyInWords(family),
    ...members.map(entry => chapter(entry, options)),
  ])
  return `${[...head(entries, options), ...sections, '## Shapes', ...shapes(), '## Refusals', refusals()].join('\n\n')}\n`
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

function oneLine(entry: Entry, { rates, available }: SurfaceOptions): string {
  const price = isPaid(entry) ? priceInWords(entry, rates) : 'free'
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
    fieldsSection('Body', entry.body),
    fieldsSection('Answer', entry.reply.schema),
    `Refusals: ${codesOf(entry)}.`,
    ...entry.examples.slice(0, 2).map(example => exampleText(entry, example, options)),
  ]
  return parts.filter(Boolean).join('\n\n')
}

function codesOf(entry: Entry): string {
  const groups = [...problemsByStatus(entry)].map(
    ([status, codes]) => `${status} ${[...new Set(codes.map(wireCode))].join(', ')}`,
  )
  return groups.join('; ')
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

function fieldsSection(title: string, schema: TSchema | undefined): string | undefined {
  if (!schema) return undefined
  const lines = linesOf(plainSchema(schema), 0)
  return lines.length > 0 ? [`${title}:`, ...lines].join('\n') : undefined
}

const DEEPEST = 3

/** One line a field, those of inner objects below it; what goes deeper is left to the OpenAPI document. */
function linesOf(schema: Plain, depth: number): string[] {
  const indent = '  '.repeat(depth)
  const arms = (schema.oneOf ?? schema.anyOf) as Plain[] | undefined
  if (arms && depth === 0)
    return arms.flatMap((arm, index) => [`- either way ${index + 1}:`, ...linesOf(arm, depth + 1)])
  const required = new Set(schema.required as string[] | undefined)
  return Object.entries((schema.properties ?? {}) as Record<string, Plain>).flatMap(([name, field]) => {
    const optional = required.has(name) ? '' : ' (optional)'
    const said = field.description ? `: ${field.description}` : ''
    const inner = (field.items as Plain | undefined) ?? field
    const deeper = depth < DEEPEST ? linesOf({ ...inner, oneOf: undefined, anyOf: undefined }, depth + 1) : []
    return [`${indent}- \`${name}\` ${typeInWords(field)}${optional}${said}`, ...deeper]
  })
}

function typeInWords(field: Plain): string {
  const { $ref, type, items, default: usual } = field
  const unless = usual === undefined ? '' : `, ${JSON.stringify(usual)} unless said`
  if (typeof $ref === 'string') return $ref.slice($ref.lastIndexOf('/') + 1)
  const choices = choicesOf(field)
  if (choices) return `${choices}${unless}`
  if (type === 'array')
    return `list of ${items ? typeInWords(items as Plain) : 'anything'}${boundsOf(field, 'minItems', 'maxItems')}${unless}`
  return `${[type ?? 'anything'].flat().join(' or ')}${limitsOf(field)}${unless}`
}

function choicesOf({ enum: words, const: only, oneOf, anyOf }: Plain): string | undefined {
  if (only !== undefined) return JSON.stringify(only)
  if (Array.isArray(words)) return words.map(word => JSON.stringify(word)).join(' | ')
  const arms = (oneOf ?? anyOf) as Plain[] | undefined
  return arms?.map(typeInWords).join(' | ')
}

function limitsOf(field: Plain): string {
  return `${boundsOf(field, 'minimum', 'maximum')}${boundsOf(field, 'minLength', 'maxLength')}`
}

function boundsOf(field: Plain, least: string, most: string): string {
  if (field[least] === undefined && field[most] === undefined) return ''
  return ` ${field[least] ?? ''}..${field[most] ?? ''}`
}

function shapes(): string[] {
  return Object.entries(SHARED_SCHEMAS).map(([name, schema]) =>
    [`### ${name}`, String(schema.description), linesOf(schema, 0).join('\n')].join('\n\n'),
  )
}

function refusals(): string {
  return (Object.keys(PROBLEMS) as ProblemCode[])
    .map(code => `- ${PROBLEMS[code][0]} \`${wireCode(code)}\`: ${PROBLEMS[code][1]}`)
    .join('\n')
}
