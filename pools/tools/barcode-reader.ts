import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { prepareZXingModule, type ReaderOptions, readBarcodes } from 'zxing-wasm/reader'
import { Problem } from '#kit'
import type { Point, Size } from '../../tasks/formats/geometry/region.ts'
import type { GreyImage } from '../../tasks/formats/raster/image.ts'

export function bind() {
  return { read, readWithSize }
}

/** Grey pixels, or a file in a format that the reader supports: PNG, JPEG, BMP, GIF, PGM. */
type BarcodeImage = GreyImage | (Size & { greyPath: string }) | { path: string }

interface ReadOptions {
  formats?: readonly string[]
  max: number
  tryHarder: boolean
  tryInvert?: boolean
  charset?: string
}

interface FoundCode {
  format: string
  text: string
  bytes: string
  isText: boolean
  position: Point[]
  orientation: number
  isInverted: boolean
  isMirrored: boolean
  ecLevel: string
  version: string
  symbologyId: string
  structuredAppend?: { index: number; count: number; id: string }
}

const wasmFile = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm')
let wasmReady: Promise<void> | undefined

/** Loads the package's own file; by default the library downloads it. */
async function loadWasm(): Promise<void> {
  const wasmBinary = new Uint8Array(await readFile(wasmFile)).buffer
  await prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true })
}

async function read(image: BarcodeImage, options: ReadOptions): Promise<FoundCode[]> {
  wasmReady ??= loadWasm()
  await wasmReady
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
    const results = await readBarcodes(await toImageBytes(image), settings)
    return results
      .filter(({ isValid }) => isValid)
      .map(result => toFoundCode(result, settings.formats!.length === 0 || formats!.includes('UPCA')))
  } catch (error) {
    const { message } = error as Error
    if (/load image|decode|image data|Failed to/i.test(message))
      throw new Problem('IMAGE_DECODE_FAILED', { detail: message.slice(0, 200) })
    throw error
  }
}

async function readWithSize(image: BarcodeImage, options: ReadOptions): Promise<Size & { codes: FoundCode[] }> {
  const codes = await read(image, options)
  const { width, height } = 'path' in image ? await readPgmSize(image.path) : image
  return { codes, width, height }
}

async function readPgmSize(path: string): Promise<Size> {
  const header = (await readFile(path)).subarray(0, 100).toString('latin1')
  const [, width, height] = /^P5\s+(?:#.*\n)?(\d+)\s+(\d+)/.exec(header) ?? []
  return { width: Number(width), height: Number(height) }
}

/** Grey pixels are passed as PGM, which needs no compression. */
async function toImageBytes(image: BarcodeImage): Promise<Uint8Array> {
  if ('path' in image) return readFile(image.path)
  const grey = 'grey' in image ? image.grey : await readFile(image.greyPath)
  return Buffer.concat([Buffer.from(`P5\n${image.width} ${image.height}\n255\n`), grey])
}

type Result = Awaited<ReturnType<typeof readBarcodes>>[number]

/**
 * The reader gives every retail code as the 13 digits of an EAN. A UPC-A is an EAN-13 that begins with 0, and is given as
 * its 12 digits unless the caller wants EAN only; a UPC-E is given as its 8 digits.
 */
function readRetailCode(
  { format, text, extra }: Result,
  wantsUpc: boolean,
): { format: string; text: string } | undefined {
  const isUpcA = format === 'UPCA' || (format === 'EAN13' && wantsUpc)
  if (isUpcA && /^0\d{12}$/.test(text)) return { format: 'UPCA', text: text.slice(1) }
  const short = format === 'UPCE' ? /"UPCE":"(\d{8})"/.exec(String(extra))?.[1] : undefined
  return short === undefined ? undefined : { format, text: short }
}

function toFoundCode(result: Result, wantsUpc: boolean): FoundCode {
  const retail = readRetailCode(result, wantsUpc)
  const { topLeft, topRight, bottomRight, bottomLeft } = result.position
  const { sequenceSize, sequenceIndex, sequenceId } = result
  return {
    format: retail?.format ?? result.format,
    text: retail?.text ?? result.text,
    bytes: Buffer.from(retail?.text ?? result.bytes).toString('base64'),
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
