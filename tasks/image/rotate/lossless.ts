import { type InputFile, Problem } from '#kit'
import type { Tools } from '../../kit/operation.ts'
import { toImageResult } from '../schema.ts'

interface TurnOptions {
  degrees: number
  flip: boolean
  flop: boolean
  format: string
  lossless: boolean
  metadata: 'strip' | 'keep' | 'copyright'
  tolerant: boolean
  quality?: number
  dpi?: number
  page?: number
}

const EDGES_TRIMMED = {
  code: 'EDGES_TRIMMED',
  message: 'Up to 15 rows or columns of pixels at an edge were removed: they fill no whole block of the JPEG.',
}

/** Whether a JPEG is to be turned as it is. For other formats `lossless` is about their encoding. */
export function isLosslessTurn(
  { type }: InputFile,
  { lossless, format }: Pick<TurnOptions, 'lossless' | 'format'>,
): boolean {
  return lossless && type === 'image/jpeg' && (format === 'keep' || format === 'jpeg')
}

export async function turnJpeg(file: InputFile, options: TurnOptions, { sharp }: Pick<Tools, 'sharp'>) {
  const { degrees, flip, flop, metadata, tolerant } = options
  const fields = [
    ...(degrees % 90 === 0 ? [] : ['degrees']),
    ...(metadata === 'copyright' ? ['metadata'] : []),
    ...(['quality', 'dpi', 'page'] as const).filter(name => options[name] !== undefined),
  ]
  if (fields.length > 0) throw new Problem('CONFLICTING_OPTIONS', { fields: ['lossless', ...fields] })
  const { orientation } = await sharp.describe(file.path, { stats: false, hashes: false })
  const keepsMetadata = metadata === 'keep'
  const turn = { degrees, flip, flop, orientation, keepsMetadata, tolerant }
  const { path, isTrimmed } = await sharp.turnLosslessly(file.path, turn)
  const [facts] = await sharp.inspect([path])
  if (!facts || 'unreadable' in facts) throw new Problem('IMAGE_DECODE_FAILED', { detail: facts?.unreadable })
  const { width, height } = facts
  const image = { path, width, height, format: 'jpeg' as const, pages: 1, hasAlpha: false }
  return { result: toImageResult(image, 'rotated'), warnings: isTrimmed ? [EDGES_TRIMMED] : [] }
}
