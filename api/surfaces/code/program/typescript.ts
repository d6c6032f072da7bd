import { methodNameOf } from '../../sdk/typescript/names.ts'
import type { ProgramStep } from './step.ts'
import { JAVASCRIPT, type Notation, printValue } from './values.ts'

/** The steps as a program that uses the TypeScript client of this service. */
export function printTypeScript(steps: readonly ProgramStep[], payer?: 'wallet'): string {
  const [option, variable] = payer === 'wallet' ? ['wallet', 'WALLET'] : ['key', 'KEY']
  const lines = steps.flatMap((step, index) => printStep(step, index === steps.length - 1))
  const client = `
const client = new Coinop({ ${option}: process.env.${variable} })`
  return ["import { Coinop } from 'coinop'", client, ...lines].join('\n')
}

const NOTATION: Notation = { ...JAVASCRIPT, sample: JAVASCRIPT.text, file: ({ step }) => `${step}.output` }

function printStep({ entry, note, input, as, saves }: ProgramStep, isLast: boolean): string[] {
  const { async: isBackground, ...others } = input
  const call = `${methodNameOf(entry)}${isBackground === true ? '.start' : ''}`
  const given = Object.keys(others).length > 0 ? printValue(others, NOTATION) : ''
  const answer = as ?? (isLast || saves !== undefined ? 'answer' : undefined)
  const made = `await client.${entry.family}.${call}(${given})`
  return [
    ...(note === undefined ? [] : ['', `// ${note}`]),
    answer === undefined ? made : `const ${answer} = ${made}`,
    ...(saves === undefined ? [] : [`await client.save(${answer}.output, ${JAVASCRIPT.text(saves)})`]),
    ...(isLast ? [`console.log(${answer}${saves === undefined ? '' : '.output.sizeBytes'})`] : []),
  ]
}
