import { AnswerField, AnswerFile } from '../../how-to/declaration.ts'

const SAMPLE = 'sample:'
const WIDTH = 72

/** How a language writes values. */
export interface Notation {
  indent: string
  /** Whether the last of several lines ends with a comma too. */
  hasTrailingComma?: false
  /** Whether there is a space within braces. */
  hasInnerSpace?: false
  key(name: string): string
  text(value: string): string
  word(value: boolean | null): string
  sample(file: string): string
  field(field: AnswerField): string
  file(file: AnswerFile): string
}

/** What TypeScript and JavaScript have in common. */
export const JAVASCRIPT: Omit<Notation, 'sample' | 'file'> = {
  indent: '  ',
  key: name => (/^[A-Za-z_]\w*$/.test(name) ? name : quote(name)),
  text: quote,
  word: value => String(value),
  field: ({ step, path, fromEnd }) => {
    const value = step + path.map(name => (/^\d+$/.test(name) ? `[${name}]` : `.${name}`)).join('')
    return fromEnd === undefined ? value : `${value}.split('/').at(${-1 - fromEnd})`
  },
}

function quote(text: string): string {
  const inner = JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(/\\.|'/g, part => (part === '\\"' ? '"' : part === "'" ? String.raw`\'` : part))
  return `'${inner}'`
}

/** A value of the input of a step as a literal; on one line where it fits. */
export function printValue(value: unknown, notation: Notation, depth = 0): string {
  if (value instanceof AnswerField) return notation.field(value)
  if (value instanceof AnswerFile) return notation.file(value)
  if (typeof value === 'string')
    return value.startsWith(SAMPLE) ? notation.sample(value.slice(SAMPLE.length)) : notation.text(value)
  if (typeof value === 'number') return String(value)
  if (typeof value === 'boolean' || value === null || value === undefined) return notation.word(value ?? null)
  const isList = Array.isArray(value)
  const items = isList
    ? value.map(item => printValue(item, notation, depth + 1))
    : Object.entries(value).map(([name, item]) => `${notation.key(name)}: ${printValue(item, notation, depth + 1)}`)
  return printItems(items, isList ? '[]' : '{}', { ...notation, depth })
}

interface Layout extends Pick<Notation, 'indent'> {
  hasTrailingComma?: boolean
  hasInnerSpace?: boolean
  depth: number
}

/** Items between two brackets. */
export function printItems(
  items: readonly string[],
  brackets: string,
  { indent, hasTrailingComma = true, hasInnerSpace = true, depth }: Layout,
): string {
  const [open = '', close = ''] = brackets
  if (items.length === 0) return open + close
  const space = brackets === '{}' && hasInnerSpace ? ' ' : ''
  const line = `${open}${space}${items.join(', ')}${space}${close}`
  if (line.length + depth * indent.length <= WIDTH && !line.includes('\n')) return line
  const inner = indent.repeat(depth + 1)
  const end = hasTrailingComma ? ',' : ''
  return `${open}\n${items.map(item => inner + item).join(',\n')}${end}\n${indent.repeat(depth)}${close}`
}

/** The names of all sample files in the input of the steps, each once. */
export function listSamples(steps: readonly { input: unknown }[]): string[] {
  const names = steps.flatMap(({ input }) => findSamples(input))
  return [...new Set(names)]
}

function findSamples(value: unknown): string[] {
  if (typeof value === 'string') return value.startsWith(SAMPLE) ? [value.slice(SAMPLE.length)] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(findSamples) : []
}
