import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { Problem } from '#kit'
import { clearJpegOrientation } from '../../../../tasks/formats/image-metadata/orientation.ts'
import type { HostContext } from '../../../host-context.ts'
import { addInputFile, checkOutputFile, type ProgramResult } from '../../../programs/run.ts'

export interface LosslessTurn {
  /** How the pixels are turned, after the EXIF orientation. */
  degrees: number
  flip: boolean
  flop: boolean
  orientation: number
  keepsMetadata: boolean
  tolerant: boolean
}

/** Where the axes of the image go: x' = a x + b y, y' = c x + d y, with y pointing down. */
type Turn = readonly [a: number, b: number, c: number, d: number]

const UPRIGHT: Turn = [1, 0, 0, 1]
const QUARTER: Turn = [0, -1, 1, 0]
const FLIP: Turn = [1, 0, 0, -1]
const FLOP: Turn = [-1, 0, 0, 1]
const ORIENTATIONS: readonly Turn[] = [
  ...([UPRIGHT, FLOP, [-1, 0, 0, -1], FLIP] as const),
  ...([[0, 1, 1, 0], QUARTER, [0, -1, -1, 0], [0, 1, -1, 0]] as const),
]
const ARGUMENTS: Record<string, string[]> = {
  '1,0,0,1': [],
  '-1,0,0,1': ['-flip', 'horizontal'],
  '1,0,0,-1': ['-flip', 'vertical'],
  '0,-1,1,0': ['-rotate', '90'],
  '-1,0,0,-1': ['-rotate', '180'],
  '0,1,-1,0': ['-rotate', '270'],
  '0,1,1,0': ['-transpose'],
  '0,-1,-1,0': ['-transverse'],
}

/** jpegtran ends with this code if it met damage but wrote an image. */
const EXIT_DAMAGED = 2

/** Rearranges the blocks of a JPEG. Reports whether rows or columns had to go because they fill no whole block. */
export async function turnLosslessly(
  context: HostContext,
  path: string,
  turn: LosslessTurn,
): Promise<{ path: string; isTrimmed: boolean }> {
  if (!existsSync('/usr/bin/jpegtran')) {
    const install = 'apt-get install -y libjpeg-turbo-progs'
    throw new Problem('PROVIDER_NOT_CONFIGURED', { capability: 'turn jpeg without loss', install })
  }
  const whole = await run(context, path, turn, '-perfect')
  const isTrimmed = whole.code === 1 && /not perfect/i.test(whole.stderr)
  const { code, stderr } = isTrimmed ? await run(context, path, turn, '-trim') : whole
  if (code !== 0 && !(code === EXIT_DAMAGED && turn.tolerant))
    throw new Problem('IMAGE_DECODE_FAILED', { detail: stderr.trim().split('\n')[0]?.slice(0, 200) })
  const turned = await checkOutputFile(context, context.out('turned.jpg'), 'jpegtran')
  if (!turn.keepsMetadata) return { path: turned, isTrimmed }
  const bytes = await readFile(turned)
  clearJpegOrientation(bytes)
  const upright = context.out('upright.jpg')
  await writeFile(upright, bytes, { flag: 'wx' })
  return { path: upright, isTrimmed }
}

async function run(
  context: HostContext,
  path: string,
  turn: LosslessTurn,
  edges: '-perfect' | '-trim',
): Promise<ProgramResult> {
  const name = await addInputFile(context, path)
  const markers = turn.keepsMetadata ? 'all' : 'icc'
  const args = ['-copy', markers, edges, ...ARGUMENTS[combine(turn).join()]!, '-outfile', './turned.jpg', name]
  return context.programs.run(context, 'jpegtran', args, { readOnly: [basename(name)] })
}

function combine({ degrees, flip, flop, orientation }: LosslessTurn): Turn {
  const quarters = Array.from({ length: degrees / 90 }, () => QUARTER)
  const steps = [...quarters, ...(flip ? [FLIP] : []), ...(flop ? [FLOP] : [])]
  return steps.reduce(applyAfter, ORIENTATIONS[orientation - 1] ?? UPRIGHT)
}

function applyAfter([a, b, c, d]: Turn, [e, f, g, h]: Turn): Turn {
  return [e * a + f * c, e * b + f * d, g * a + h * c, g * b + h * d].map(value => value || 0) as unknown as Turn
}
