import type { Entry, Example } from '#kit'
import { fileFieldsOf } from '../../intake/body/file-fields.ts'

const SAMPLE = 'sample:'

/** The input of an example, as the programs that are printed for it send it. */
interface SampleInput {
  /** Names of the sample files, each once. */
  samples: string[]
  /** The parts of a form: the field and the name of its file. Empty if files stand deeper in the input. */
  parts: [string, string][]
  /** The other fields, or the whole input if there are no parts. */
  fields: Record<string, unknown>
}

export function readSampleInput({ body }: Entry, { input }: Example): SampleInput {
  const given = input as Record<string, unknown>
  const files = body ? fileFieldsOf(body) : new Map<string, string>()
  const isPart = ([name, value]: [string, unknown]) =>
    files.has(name) && [value].flat().every(one => sampleName(one).length > 0)
  const others = Object.fromEntries(Object.entries(given).filter(pair => !isPart(pair)))
  const samples = [...new Set(JSON.stringify(given).match(/(?<="sample:)[^"]+/g))]
  const isDeeper = JSON.stringify(others).includes(`"${SAMPLE}`)
  if (samples.length === 0 || isDeeper) return { samples, parts: [], fields: given }
  const parts = Object.entries(given)
    .filter(isPart)
    .flatMap(([name, value]) =>
      [value]
        .flat()
        .flatMap(sampleName)
        .map((file): [string, string] => [name, file]),
    )
  return { samples, parts, fields: others }
}

/** The input as text in which every sample is replaced by what stands for its file in the program. */
export function printWithSamples(input: unknown, indent: number, printFile: (name: string) => string): string {
  return JSON.stringify(input, null, indent).replaceAll(/"sample:([^"]+)"/g, (_, name: string) => printFile(name))
}

/** The file that a value of an example stands for: `sample:sign.png`. */
export function sampleName(value: unknown): string[] {
  return typeof value === 'string' && value.startsWith(SAMPLE) ? [value.slice(SAMPLE.length)] : []
}
