import { readFile, writeFile } from 'node:fs/promises'
import { type InputFile, Problem } from '#kit'
import type { SentImage } from '../../../ops/providers/vision/contract.ts'
import type { Region, Size } from '../../../tasks/formats/geometry/region.ts'
import type { ModelInput } from '../../../tasks/formats/vision/manifest.ts'
import type { HostContext } from '../../host-context.ts'
import type { VisionInput, VisionInputOptions } from '../sharp/analyse/vision-input.ts'
import { bind as bindSharp } from '../sharp/tool.ts'

// Every provider gets an upright JPEG of at most 1920 pixels a side and 4.5 MB; boxes come back as fractions, so they
// fit the original. Small faces in very large photos can be missed.

const MIN_SIDE = 80
/** Each provider takes images of this size, whatever they show. */
const SENT: VisionInputOptions = { kind: 'jpeg', maxSide: 1920, maxBytes: 4_500_000 }
/** Of the pixels that faces are cut out of. */
const FACES: VisionInputOptions = { kind: 'pixels', maxSide: 1600 }

export interface ReadyPixels {
  path: string
  original: Size
  input: Size
  placement: Region
}

/** Decodes an image in the sandbox for a provider. */
export async function prepareSentImage(
  context: HostContext,
  file: InputFile,
): Promise<{ original: Size; sent: SentImage }> {
  const prepared = await prepare(context, file, SENT)
  if (Math.min(prepared.input.width, prepared.input.height) < MIN_SIDE / 2)
    throw new Problem('IMAGE_TOO_SMALL', { limit: MIN_SIDE, reason: 'the image is too narrow for its length' })
  return { original: prepared.original, sent: { bytes: await readBytes(prepared), ...prepared.input } }
}

/** Decodes an image in the sandbox to the pixels that a model takes. */
export function prepareModelPixels(context: HostContext, file: InputFile, input: ModelInput): Promise<ReadyPixels> {
  const { width, height, fit, anchor, pad } = input
  return preparePixels(context, file, { kind: 'pixels', width, height, fit, anchor, pad })
}

export function prepareFacePixels(context: HostContext, file: InputFile): Promise<ReadyPixels> {
  return preparePixels(context, file, FACES)
}

let files = 0

async function preparePixels(context: HostContext, file: InputFile, options: VisionInputOptions): Promise<ReadyPixels> {
  const { path, bytes, original, input, placement } = await prepare(context, file, options)
  if (path !== undefined) return { path, original, input, placement }
  const written = context.out(`pixels-${++files}`)
  await writeFile(written, bytes!)
  return { path: written, original, input, placement }
}

async function prepare(context: HostContext, file: InputFile, options: VisionInputOptions): Promise<VisionInput> {
  const prepared = await bindSharp(context).prepareVisionInput(file.path, options)
  const { width, height } = prepared.original
  if (Math.min(width, height) < MIN_SIDE) throw new Problem('IMAGE_TOO_SMALL', { limit: MIN_SIDE, width, height })
  return prepared
}

async function readBytes({ bytes, path }: VisionInput): Promise<Uint8Array> {
  return bytes ?? readFile(path!)
}
