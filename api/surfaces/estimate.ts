import { closeSync, openSync, readSync, statSync } from 'node:fs'
import {
  type Facts,
  FILE_RULE,
  findMarkedValues,
  findTariff,
  type MediaFacts,
  type Quote,
  quoteOf,
  type Rates,
  replaceAt,
} from '#kit'
import { HEAD_BYTES, recogniseTypes } from '../../tasks/formats/file-types/recognise.ts'
import type { NamedOperation } from '../../tasks/index.ts'
import { makeInputReady } from '../intake/files/stage-files.ts'
import { validate } from '../intake/validate.ts'
import { SAMPLE_FILES } from './openapi/examples.ts'

/** What is known of each file of a call before there is one. */
export interface FileSize {
  pages: number
  megapixels: number
  /** Of a video of 1280×720 at 30 frames a second, or of sound. */
  seconds: number
  mebibytes: number
}

const MEASURES = ['pages', 'megapixels', 'seconds', 'mebibytes'] as const

/** Operations of which the price follows from their declared price alone, with the options of their first example. */
export function canEstimate({ composition, configure, needs, price, examples }: NamedOperation): boolean {
  return !composition && !configure && !needs && price.settings === undefined && examples.length > 0
}

/** What a dry run of the first example would say, if its files had this size. It is the same function. */
export async function estimateCall(operation: NamedOperation, size: Partial<FileSize>, rates?: Rates): Promise<Quote> {
  const { input: schema, examples, price } = operation
  const files = new Map(await Promise.all(listSampleNames(examples[0]!.input).map(describeSample)))
  const body = nameSources(structuredClone(examples[0]!.input))
  validate(schema, body)
  const marked = findMarkedValues(FILE_RULE, schema, body)
  const input = marked.reduce<unknown>(
    (filled, { path, value }) => replaceAt(filled, path, resize(value as SourceFile, files, size)),
    body,
  )
  const first = marked[0]?.value as SourceFile | undefined
  const type = first ? (files.get(first.inputKey ?? '')?.type ?? '') : ''
  const ready = makeInputReady(schema, input, describeFacts(size, type))
  return quoteOf(findTariff(price as never, ready as never, rates))
}

/** Which measures of its files the price depends on. */
export async function findMeasures(operation: NamedOperation): Promise<(typeof MEASURES)[number][]> {
  const unitsOf = (size: Partial<FileSize>) =>
    estimateCall(operation, size).then(
      ({ units }) => units,
      () => 0,
    )
  const plain = await unitsOf({ pages: 9 })
  const found = await Promise.all(
    MEASURES.map(async measure => (await unitsOf({ pages: 9, [measure]: 900 })) !== plain),
  )
  return MEASURES.filter((_, index) => found[index])
}

interface SourceFile {
  inputKey?: string
  text?: string
}

interface SampleFacts {
  type: string
  sizeBytes: number
}

const SAMPLE = 'sample:'

function listSampleNames(input: unknown): string[] {
  return [...new Set(JSON.stringify(input).match(/(?<="sample:)[^"]+/g))]
}

async function describeSample(name: string): Promise<[string, SampleFacts]> {
  const file = SAMPLE_FILES.get(name)!
  const { size: sizeBytes } = statSync(file)
  const head = Buffer.alloc(Math.min(sizeBytes, HEAD_BYTES))
  const handle = openSync(file, 'r')
  readSync(handle, head)
  closeSync(handle)
  const [type] = await recogniseTypes(head, head.length === sizeBytes)
  return [name, { type: type!, sizeBytes }]
}

/** Samples become sources, as a call would name them. */
function nameSources(value: unknown): unknown {
  if (typeof value === 'string' && value.startsWith(SAMPLE)) return { inputKey: value.slice(SAMPLE.length) }
  if (Array.isArray(value)) return value.map(nameSources)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, nameSources(item)]))
}

function resize(source: SourceFile, files: ReadonlyMap<string, SampleFacts>, { mebibytes }: Partial<FileSize>) {
  const sample = files.get(source.inputKey ?? '')
  const sizeBytes =
    mebibytes === undefined
      ? (sample?.sizeBytes ?? Buffer.byteLength(source.text ?? ''))
      : Math.ceil(mebibytes * 2 ** 20)
  return { type: sample?.type ?? 'text/csv', sizeBytes, inline: '' }
}

const AUDIO: MediaFacts['streams'][number] = { index: 1, type: 'audio', codec: 'aac' } as never

function describeFacts({ pages = 1, megapixels = 1, seconds = 1 }: Partial<FileSize>, type: string): Facts {
  const isVideo = !type.startsWith('audio/')
  const video = { index: 0, type: 'video', codec: 'h264', width: 1280, height: 720, fps: 30, avgFps: 30 } as never
  const media: MediaFacts = {
    container: isVideo ? 'mp4' : 'wav',
    seconds,
    startSeconds: 0,
    streams: isVideo ? [video, AUDIO] : [AUDIO],
    chapters: [],
    tags: {},
    issues: [],
  }
  return { pages, width: Math.ceil(megapixels * 1e6), height: 1, frames: 1, seconds, media }
}
