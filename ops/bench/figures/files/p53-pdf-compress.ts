import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import sharp from 'sharp'
import type { Figure, Reading } from '../../figure.ts'
import { median } from '../../median.ts'
import { createPhotograph, createTextPdf } from '../../samples.ts'
import { openStack, requireNoFailedJobs, type Stack, storeUpload } from '../../stack.ts'
import { timeCall } from '../../timed-call.ts'
import { countLost, listParts, measureDifference } from './document-checks.ts'

const SAMPLES = fileURLToPath(new URL('../../../../tasks/samples/', import.meta.url))
/** One is cut off, and one is signed, so that it is returned as it is. */
const LEFT_OUT = new Set(['cut-off.pdf', 'signed.pdf'])
const PHOTOGRAPHS = 3
const run = promisify(execFile)

/** The documents of the tests, which are small, and beside them three of an ordinary size. */
export default {
  id: 'P53',
  title: 'pdf/compress over Ghostscript /ebook: what is left of each document, and what is lost',
  async measure({ environment, log }) {
    await using stack = await openStack(environment, { accounts: 1 })
    const folder = await mkdtemp(join(environment.folder, 'compress-'))
    const outcomes: Outcome[] = []
    for (const path of await collectDocuments(stack, folder)) {
      outcomes.push(await compressBoth(stack, path, folder))
      log(describe(outcomes.at(-1)!))
    }
    await rm(folder, { recursive: true, force: true })
    await requireNoFailedJobs(stack)
    return buildReadings(outcomes)
  },
} satisfies Figure

interface Side {
  /** Of the bytes; more than 1 if the document grew. */
  share: number
  /** In percent. */
  difference: number
  lost: number
}

interface Outcome {
  name: string
  ours: Side
  ghostscript: Side
}

function describe({ name, ours, ghostscript }: Outcome): string {
  const side = ({ share, difference, lost }: Side) =>
    `${(share * 100).toFixed(1)} %, differs by ${difference.toFixed(2)} %, ${lost} lost`
  return `${name}: ${side(ours)}; Ghostscript ${side(ghostscript)}`
}

function buildReadings(outcomes: readonly Outcome[]): Reading[] {
  const facts = { outcomes }
  const of = (side: 'ours' | 'ghostscript', field: keyof Side) => outcomes.map(outcome => outcome[side][field])
  const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)
  const reading = (label: string, unit: string, limitedBy: string) => ({ label, unit, limitedBy, facts })
  return [
    {
      ...reading('median of what is left', 'of the size', 'what Ghostscript leaves is the floor'),
      ...{ ours: median(of('ours', 'share')), floor: median(of('ghostscript', 'share')) },
      ...{ goal: { atMost: 1 }, judgedBy: 'ratio' },
    },
    {
      ...reading('largest difference of the pages', '%', 'images in fewer pixels and of a lower quality'),
      ...{ ours: Math.max(...of('ours', 'difference')), floor: Math.max(...of('ghostscript', 'difference')) },
      ...{ goal: { atMost: 2 }, judgedBy: 'ours' },
    },
    {
      ...reading('fields, links and bookmarks lost', 'parts', 'counted by qpdf'),
      ...{ ours: total(of('ours', 'lost')), floor: total(of('ghostscript', 'lost')) },
      ...{ goal: { atMost: 0 }, judgedBy: 'ours' },
    },
  ]
}

async function collectDocuments(stack: Stack, folder: string): Promise<string[]> {
  const names = (await readdir(SAMPLES)).filter(name => name.endsWith('.pdf') && !LEFT_OUT.has(name))
  const report = join(folder, 'report.pdf')
  await writeFile(report, createTextPdf(50, 'A report'))
  return [...names.map(name => join(SAMPLES, name)), report, await createAlbum(stack, folder), await createFax(folder)]
}

/** Photographs as large as cameras take them, a page each. */
async function createAlbum(stack: Stack, folder: string): Promise<string> {
  const photograph = await createPhotograph()
  const files = await Promise.all(
    Array.from({ length: PHOTOGRAPHS }, async (_, index) => {
      const turned = await sharp(photograph)
        .modulate({ hue: 40 * index })
        .jpeg({ quality: 90 })
        .toBuffer()
      return { inputKey: await storeUpload(stack, stack.accounts[0]!, turned, 'image/jpeg') }
    }),
  )
  const path = join(folder, 'album.pdf')
  await writeFile(path, await callForFile(stack, '/v1/pdf/from-images', { files }))
  return path
}

/** A scan in shades of grey of pages with text. */
async function createFax(folder: string): Promise<string> {
  const [source, scan] = [join(folder, 'source.pdf'), join(folder, 'grey-scan.pdf')]
  await writeFile(source, createTextPdf(3, 'A scanned letter'))
  await run('gs', ['-q', '-dSAFER', '-dBATCH', '-dNOPAUSE', '-sDEVICE=pdfimage8', '-r300', '-o', scan, source])
  return scan
}

async function callForFile(stack: Stack, path: string, body: object): Promise<Buffer> {
  const { result } = await timeCall(stack, path, { ...body, inlineOutput: 'never' })
  const { outputUrl: url } = result.output as { outputUrl: string }
  const reply = await fetch(new URL(url, stack.baseUrl))
  if (!reply.ok) throw new Error(`${url} answered ${reply.status}`)
  return Buffer.from(await reply.arrayBuffer())
}

async function compressBoth(stack: Stack, path: string, folder: string): Promise<Outcome> {
  const [ours, theirs] = [join(folder, 'ours.pdf'), join(folder, 'ghostscript.pdf')]
  const inputKey = await storeUpload(stack, stack.accounts[0]!, await readFile(path), 'application/pdf')
  await writeFile(ours, await callForFile(stack, '/v1/pdf/compress', { file: { inputKey } }))
  const settings = ['-sDEVICE=pdfwrite', '-dPDFSETTINGS=/ebook']
  await run('gs', ['-q', '-dSAFER', '-dBATCH', '-dNOPAUSE', ...settings, '-o', theirs, path])
  const name = path.slice(path.lastIndexOf('/') + 1)
  return { name, ours: await compare(path, ours, folder), ghostscript: await compare(path, theirs, folder) }
}

async function compare(before: string, after: string, folder: string): Promise<Side> {
  const [full, small] = [await stat(before), await stat(after)]
  const pages = await mkdtemp(join(folder, 'pages-'))
  const difference = await measureDifference(before, after, pages)
  await rm(pages, { recursive: true, force: true })
  return { share: small.size / full.size, difference, lost: countLost(await listParts(before), await listParts(after)) }
}
