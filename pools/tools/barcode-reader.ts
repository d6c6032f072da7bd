import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { prepareZXingModule, type ReaderOptions, readBarcodes } from 'zxing-wasm/reader'
import { Problem } from '#kit'

export function bind() {
  return { read, readSized }
}

/** Grey pixels, or a picture in a form the reader knows: PNG, JPEG, BMP, GIF. */
export type Picture =
  | { grey: Uint8Array; width: number; height: number }
  | { greyPath: string; width: number; height: number }
  | { path: string }

export interface ReadOptions {
  formats?: readonly string[]
  max: number
  tryHarder: boolean
  tryInvert?: boolean
  charset?: string
}

export interface FoundCode {
  format: string
  text: string
  bytes: string
  isText: boolean
  position: { x: number; y: number }[]
  orientation: number
  isInverted: boolean
  isMirrored: boolean
  ecLevel: string
  version: string
  symbologyId: string
  structuredAppend?: { index: number; count: number; id: string }
}

const wasmFile = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm')
let ready: Promise<void> | undefined

/** From the package's own file: left alone, the library fetches it from the network. */
async function prepare(): Promise<void> {
  const wasmBinary = new Uint8Array(await readFile(wasmFile)).buffer
  await prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true })
}

async function read(picture: Picture, options: ReadOptions): Promise<FoundCode[]> {
  ready ??= prepare()
  await ready
  const { formats, max, tryHarder, tryInvert = tryHarder, charset } = options
  const settings = {
    formats: formats ?? [],
    maxNumberOfSymbols: max,
    tryHarder,
    tryRotate: tryHarder,
    tryInvert,
    tryDownscale: tryHarder,
    textMode: 'Plain',
    ...(charset && { characterSet: charset }),
  } as ReaderOptions
  try {
    const results = await readBarcodes(await bytesOf(picture), settings)
    return results.filter(({ isValid }) => isValid).map(codeOf)
  } catch (error) {
    const { message } = error as Error
    if (/load image|decode|image data|Failed to/i.test(message))
      throw new Problem('IMAGE_DECODE_FAILED', { detail: message.slice(0, 200) })
    throw error
  }
}

/** The codes with the size of the picture they are in. */
async function readSized(
  picture: Picture,
  options: ReadOptions,
): Promise<{ codes: FoundCode[]; width: number; height: number }> {
  const codes = await read(picture, options)
  const { width, height } = 'path' in picture ? await sizeOfGreyMap(picture.path) : picture
  return { codes, width, height }
}

async function sizeOfGreyMap(path: string): Promise<{ width: number; height: number }> {
  const head = (await readFile(path)).subarray(0, 100).toString('latin1')
  const [, width, height] = /^P5\s+(?:#.*\n)?(\d+)\s+(\d+)/.exec(head) ?? []
  return { width: Number(width), height: Number(height) }
}

/** Grey pixels travel as a portable grey map, the simplest picture there is. */
async function bytesOf(picture: Picture): Promise<Uint8Array> {
  if ('path' in picture) return readFile(picture.path)
  const grey = 'grey' in picture ? picture.grey : await readFile(picture.greyPath)
  return Buffer.concat([Buffer.from(`P5\n${picture.width} ${picture.height}\n255\n`), grey])
}

type Result = Awaited<ReturnType<typeof readBarcodes>>[number]

function codeOf(result: Result): FoundCode {
  const { topLeft, topRight, bottomRight, bottomLeft } = result.position
  const { sequenceSize, sequenceIndex, sequenceId } = result
  return {
    format: result.format,
    text: result.text,
    bytes: Buffer.from(result.bytes).toString('base64'),
    isText: result.contentType === 'Text' || result.contentType === 'GS1' || result.contentType === 'ISO15434',
    position: [topLeft, topRight, bottomRight, bottomLeft].map(({ x, y }) => ({ x, y })),
    orientation: result.orientation,
    isInverted: result.isInverted,
    isMirrored: result.isMirrored,
    ecLevel: String(result.ecLevel ?? ''),
    version: result.version,
    symbologyId: result.symbologyIdentifier,
    ...(sequenceSize > 0 && { structuredAppend: { index: sequenceIndex, count: sequenceSize, id: sequenceId } }),
  }
}
