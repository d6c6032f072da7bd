import {
  computeAmount,
  type Facts,
  findTariff,
  mapFiles,
  markInputFile,
  type Price,
  type Rates,
  type Tariff,
} from '#kit'
import { validate } from '../../api/intake/validate.ts'
import type { PaidEntry } from '../../api/surfaces/entries.ts'
import { inlineSamples, SAMPLE_FILES } from '../../api/surfaces/openapi/examples.ts'
import { requireAcceptedType } from '../../tasks/formats/file-types/accept.ts'
import { recogniseTypes } from '../../tasks/formats/file-types/recognise.ts'
import { SAMPLE_FACTS } from './sample-facts.ts'

interface ReadyExample {
  title: string
  /** As a run of it gets its input, with the facts of its files. */
  input: unknown
}

/** The first `count` of the printed examples of a call. */
export function readExamples(entry: PaidEntry, count = entry.examples.length): Promise<ReadyExample[]> {
  return Promise.all(
    entry.examples.slice(0, count).map(async ({ title, input }) => {
      return { title, input: entry.body ? await makeReady(entry, input) : input }
    }),
  )
}

/** What an example pays. What a language model takes comes on top and is no part of it. */
export function priceExample(entry: PaidEntry, { input }: ReadyExample, rates?: Rates): Tariff {
  const { extraMicros: _ofModels, expectedExtraMicros: _likewise, ...price } = entry.price as Price<unknown>
  return findTariff(price, input, rates)
}

export function expectedAmount(tariff: Tariff): bigint {
  return computeAmount(tariff, tariff.expectedUnits)
}

async function makeReady({ body: schema }: PaidEntry, example: object): Promise<unknown> {
  const body = structuredClone(inlineSamples(example))
  validate(schema!, body)
  return mapFiles(schema!, body, async (source, slot) => {
    const bytes = contentOf(source as Source)
    const types = await recogniseTypes(bytes, true)
    const name = (source as Source).inline && sampleNames().get((source as Source).inline!)
    const facts: Facts = (name && SAMPLE_FACTS[name]) || {}
    return markInputFile({ type: requireAcceptedType(types, bytes.length, slot), sizeBytes: bytes.length, name, facts })
  })
}

let names: ReadonlyMap<string, string> | undefined

/** The sample that has these bytes, in Base64. */
function sampleNames(): ReadonlyMap<string, string> {
  names ??= new Map(
    [...SAMPLE_FILES.keys()].map(name => [(inlineSamples(`sample:${name}`) as { inline: string }).inline, name]),
  )
  return names
}

interface Source {
  inline?: string
  text?: string
  rows?: unknown
}

function contentOf({ inline, text, rows }: Source): Buffer {
  return inline === undefined ? Buffer.from(text ?? JSON.stringify(rows ?? [])) : Buffer.from(inline, 'base64')
}
