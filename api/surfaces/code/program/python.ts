import type { AnswerField } from '../../how-to/declaration.ts'
import type { ProgramStep } from './step.ts'
import { type Notation, printItems, printValue } from './values.ts'

const KEYWORDS = new Set([
  'from',
  'in',
  'is',
  'with',
  'as',
  'class',
  'def',
  'global',
  'import',
  'pass',
  'return',
  'not',
])

/** The steps as a program that uses the Python client of this service. */
export function printPython(steps: readonly ProgramStep[], payer?: 'wallet'): string {
  const credential = payer === 'wallet' ? 'wallet=os.environ["WALLET"]' : 'key=os.environ["KEY"]'
  const tickets = new Set(steps.flatMap(({ input, as = '' }) => (input.async === true ? [as] : [])))
  const notation = makeNotation(tickets)
  const lines = steps.flatMap((step, index) => printStep(step, index === steps.length - 1, notation))
  return ['import os', 'from coinop import Coinop', '', `client = Coinop(${credential})`, ...lines].join('\n')
}

function makeNotation(tickets: ReadonlySet<string>): Notation {
  return {
    indent: '    ',
    hasInnerSpace: false,
    key: name => JSON.stringify(name),
    text: value => JSON.stringify(value),
    word: value => (value === null ? 'None' : value ? 'True' : 'False'),
    sample: file => JSON.stringify(file),
    field: field => printField(field, tickets.has(field.step)),
    file: ({ step }) => `${step}["output"]`,
  }
}

/** A ticket is an object with an id; any other answer is a dictionary. */
function printField({ step, path, fromEnd }: AnswerField, isTicket: boolean): string {
  const value = isTicket
    ? `${step}.${path.join('.')}`
    : step + path.map(name => (/^\d+$/.test(name) ? `[${name}]` : `["${name}"]`)).join('')
  return fromEnd === undefined ? value : `${value}.split("/")[${-1 - fromEnd}]`
}

function printStep({ entry, note, input, as, saves }: ProgramStep, isLast: boolean, notation: Notation): string[] {
  const { async: isBackground, ...others } = input
  const name = entry.name.slice(entry.family.length + 1).replaceAll('-', '_')
  const call = `${KEYWORDS.has(name) ? `${name}_` : name}${isBackground === true ? '.start' : ''}`
  const answer = as ?? (isLast || saves !== undefined ? 'answer' : undefined)
  const made = `client.${entry.family}.${call}${printArguments(others, notation)}`
  return [
    ...(note === undefined ? [] : ['', `# ${note}`]),
    answer === undefined ? made : `${answer} = ${made}`,
    ...(saves === undefined ? [] : [`client.save(${answer}["output"], "${saves}")`]),
    ...(isLast ? [`print(${answer}${saves === undefined ? '' : '["output"]["sizeBytes"]'})`] : []),
  ]
}

function printArguments(input: Readonly<Record<string, unknown>>, notation: Notation): string {
  const items = Object.entries(input).map(([name, value]) => {
    const argument = KEYWORDS.has(name) ? `${name}_` : name
    return `${argument}=${printValue(value, notation, 1)}`
  })
  return printItems(items, '()', { indent: notation.indent, depth: 0 })
}
