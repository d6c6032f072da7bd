import { execFile } from 'node:child_process'
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import sharp from 'sharp'

const run = promisify(execFile)
const DPI = 60

interface Json {
  qpdf?: [unknown, Record<string, { value?: unknown; stream?: { dict?: unknown } }>]
  acroform?: { fields?: { fullname?: string }[] }
  outlines?: Outline[]
}

interface Outline {
  title: string
  kids?: Outline[]
}

/** What a reader can use of a document besides its pages, as qpdf finds it. */
export async function listParts(path: string): Promise<string[]> {
  const keys = ['--json-key=acroform', '--json-key=outlines', '--json-key=qpdf']
  const { stdout } = await run('qpdf', ['--json=2', ...keys, path], { maxBuffer: 2 ** 28 }).catch(acceptWarnings)
  const { qpdf, acroform, outlines = [] } = JSON.parse(stdout) as Json
  const objects = Object.values(qpdf?.[1] ?? {}).map(({ value }) => value as Record<string, unknown> | undefined)
  const links = objects.filter(object => object?.['/Subtype'] === '/Link').map(() => 'link')
  const fields = (acroform?.fields ?? []).map(({ fullname }) => `field ${fullname}`)
  return [...links, ...fields, ...listTitles(outlines)]
}

/** qpdf exits with 3 for a document that it could read with warnings. */
function acceptWarnings(error: unknown): { stdout: string } {
  const { code, stdout } = error as { code?: number; stdout?: string }
  if (code !== 3 || stdout === undefined) throw error
  return { stdout }
}

function listTitles(outlines: readonly Outline[]): string[] {
  return outlines.flatMap(({ title, kids = [] }) => [`bookmark ${title}`, ...listTitles(kids)])
}

/** How many parts of one document the other lacks. */
export function countLost(before: readonly string[], after: readonly string[]): number {
  const left = [...after]
  return before.filter(part => {
    const at = left.indexOf(part)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  }).length
}

/** By how much the pages of two documents differ: the mean over all pixels, in percent of the distance from black to white. */
export async function measureDifference(one: string, other: string, folder: string): Promise<number> {
  const [before, after] = [await renderPages(one, join(folder, 'one')), await renderPages(other, join(folder, 'other'))]
  if (before.length !== after.length) throw new Error(`${other} has ${after.length} pages, not ${before.length}`)
  const differences = await Promise.all(before.map(async (page, index) => comparePages(page, after[index]!)))
  return (differences.reduce((sum, difference) => sum + difference, 0) / differences.length) * 100
}

async function renderPages(path: string, prefix: string): Promise<string[]> {
  await run('pdftoppm', ['-gray', '-png', '-r', String(DPI), path, prefix])
  const pages = await Array.fromAsync(glob(`${prefix}-*.png`))
  return pages.sort()
}

async function comparePages(one: string, other: string): Promise<number> {
  const first = await sharp(one).raw().toBuffer({ resolveWithObject: true })
  const { width, height } = first.info
  const second = await sharp(other).resize(width, height, { fit: 'fill' }).raw().toBuffer()
  let sum = 0
  for (const [index, value] of first.data.entries()) sum += Math.abs(value - second[index]!)
  return sum / first.data.length / 255
}
