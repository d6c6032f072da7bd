import bwip, { type RenderOptions } from 'bwip-js/node'
import { Problem } from '#kit'

export function bind() {
  return { matrix, draw }
}

export interface Matrix {
  width: number
  height: number
  /** Row by row; 1 is dark. */
  modules: Uint8Array
}

export interface MatrixOrder {
  variant: 'qr' | 'micro' | 'rmqr'
  text: string
  ecc: string
  version?: number
}

const KINDS = { qr: 'qrcode', micro: 'microqrcode', rmqr: 'rectangularmicroqrcode' } as const

/** The sizes of rectangular codes, the smallest first. */
const RECTANGLES = [
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

/** The dark and light squares of a code, or nothing where the text does not fit. */
async function matrix({ variant, text, ecc, version }: MatrixOrder): Promise<Matrix | undefined> {
  const versions = variant === 'rmqr' ? RECTANGLES : [version === undefined ? undefined : String(version)]
  for (const one of versions) {
    const drawn = drawnMatrix(KINDS[variant], text, ecc, one)
    if (drawn) return drawn
  }
  return undefined
}

function drawnMatrix(bcid: string, text: string, eclevel: string, version: string | undefined): Matrix | undefined {
  try {
    const [drawn] = bwip.raw({ bcid, text, eclevel, ...(version && { version }) } as never) as unknown as {
      pixs: number[]
      pixx: number
      pixy: number
    }[]
    return { width: drawn!.pixx, height: drawn!.pixy, modules: Uint8Array.from(drawn!.pixs) }
  } catch (error) {
    const message = String((error as Error).message ?? error)
    if (/NoValidSymbol|maximum length exceeded|too long|TooLong/i.test(message)) return undefined
    if (/eclevel|ErrorCorrection|error correction/i.test(message)) {
      throw new Problem('INVALID_PARAM', { field: 'ecc', detail: plain(message) })
    }
    throw new Problem('BARCODE_INVALID', { reason: plain(message) })
  }
}

export interface DrawOrder {
  bcid: string
  text: string
  format: 'png' | 'svg'
  /** What the encoder takes besides, in its own words. */
  options: Record<string, string | number | boolean>
}

async function draw({ bcid, text, format, options }: DrawOrder): Promise<Uint8Array | string> {
  const settings = { ...options, bcid, text } as RenderOptions
  try {
    return format === 'svg' ? bwip.toSVG(settings) : new Uint8Array(await bwip.toBuffer(settings))
  } catch (error) {
    const message = String((error as Error).message ?? error)
    if (/badCheckDigit|check digit/i.test(message)) throw new Problem('BARCODE_CHECKSUM', { reason: plain(message) })
    if (/^bwipp?\.|^bwip-js/.test(message)) throw new Problem('BARCODE_INVALID', { reason: plain(message) })
    throw error
  }
}

/** Without the engine's own name of the error. */
function plain(message: string): string {
  return message.replace(/^bwip[\w.-]*#?\d*:\s*/, '').slice(0, 200)
}
