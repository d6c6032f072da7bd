import bwip, { type RenderOptions } from 'bwip-js/node'
import { Problem } from '#kit'
import type { ModuleMatrix } from '../../tasks/formats/raster/image.ts'

// bwip-js draws every code, QR codes included; zxing reads each QR code back before it is returned (about 20 ms together).

export function bind() {
  return { encodeMatrix, readPrintedText, render: renderBarcode }
}

interface MatrixRequest {
  variant: 'qr' | 'micro' | 'rmqr'
  text: string
  ecc: string
  version?: number
}

const QR_ENCODERS = { qr: 'qrcode', micro: 'microqrcode', rmqr: 'rectangularmicroqrcode' } as const

/** The sizes of rectangular codes, smallest first. */
const RMQR_VERSIONS = [
  'R11x27',
  'R7x43',
  'R13x27',
  'R9x43',
  'R7x59',
  'R11x43',
  'R9x59',
  'R7x77',
  'R13x43',
  'R15x43',
  'R11x59',
  'R9x77',
  'R7x99',
  'R17x43',
  'R13x59',
  'R11x77',
  'R15x59',
  'R9x99',
  'R7x139',
  'R13x77',
  'R17x59',
  'R11x99',
  'R15x77',
  'R9x139',
  'R13x99',
  'R17x77',
  'R15x99',
  'R11x139',
  'R17x99',
  'R13x139',
  'R15x139',
  'R17x139',
]

/** Returns undefined if the text does not fit into the code. */
async function encodeMatrix({ variant, text, ecc, version }: MatrixRequest): Promise<ModuleMatrix | undefined> {
  const versions = variant === 'rmqr' ? RMQR_VERSIONS : [version === undefined ? undefined : String(version)]
  for (const candidate of versions) {
    const encoded = tryEncode(QR_ENCODERS[variant], text, ecc, candidate)
    if (encoded) return encoded
  }
  return undefined
}

function tryEncode(bcid: string, text: string, eclevel: string, version: string | undefined): ModuleMatrix | undefined {
  try {
    const [symbol] = bwip.raw({ bcid, text, eclevel, ...(version && { version }) } as never) as unknown as {
      pixs: number[]
      pixx: number
      pixy: number
    }[]
    return { width: symbol!.pixx, height: symbol!.pixy, modules: Uint8Array.from(symbol!.pixs) }
  } catch (error) {
    const message = String((error as Error).message ?? error)
    if (/NoValidSymbol|maximum length exceeded|too long|TooLong/i.test(message)) return undefined
    if (/eclevel|ErrorCorrection|error correction/i.test(message)) {
      throw new Problem('INVALID_PARAM', { field: 'ecc', detail: cleanMessage(message) })
    }
    throw new Problem('BARCODE_INVALID', { reason: cleanMessage(message) })
  }
}

interface RenderRequest {
  bcid: string
  text: string
  format: 'png' | 'svg'
  /** Further options under the names that bwip-js uses. */
  options: Record<string, string | number | boolean>
}

async function renderBarcode({ bcid, text, format, options }: RenderRequest): Promise<Uint8Array | string> {
  const settings = { ...options, bcid, text } as RenderOptions
  try {
    return format === 'svg' ? bwip.toSVG(settings) : new Uint8Array(await bwip.toBuffer(settings))
  } catch (error) {
    throw toProblem(error)
  }
}

function toProblem(error: unknown): unknown {
  const message = String((error as Error).message ?? error)
  if (/badCheckDigit|check digit/i.test(message))
    return new Problem('BARCODE_CHECKSUM', { reason: cleanMessage(message) })
  const isKnown = /^bwipp?\.|^bwip-js/.test(message)
  return isKnown ? new Problem('BARCODE_INVALID', { reason: cleanMessage(message) }) : error
}

/** The text below the bars, which includes the check characters that the engine adds. */
async function readPrintedText({ bcid, text, options }: Omit<RenderRequest, 'format'>): Promise<string> {
  const settings = { ...options, bcid, text, includetext: true, includecheckintext: true }
  try {
    const [symbol] = bwip.raw(settings as never) as unknown as { txt?: [string, ...unknown[]][] }[]
    return (symbol!.txt ?? []).map(([piece]) => piece).join('')
  } catch (error) {
    throw toProblem(error)
  }
}

/** Removes the engine's internal error code. */
function cleanMessage(message: string): string {
  return message.replace(/^bwip[\w.-]*#?\d*:\s*/, '').slice(0, 200)
}
