import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openStore } from '../../../../ops/providers/storage/open.ts'
import { openPools } from '../../../../pools/index.ts'
import { openDb } from '../../../../sql/db.ts'
import type {
  DocumentEngine,
  FilledField,
  SealRequest,
  StoredFile,
} from '../../../../tasks/products/esigndoc/document.ts'
import { openDocuments } from '../../../../workers/products/esigndoc/index.ts'
import { loadConfig } from '../../../config.ts'
import type { BenchEnvironment } from '../../environment.ts'
import type { Bench, Figure, Reading } from '../../figure.ts'
import { median } from '../../median.ts'
import { createTextPdf } from '../../samples.ts'

const SILENT_LOG = { info() {}, warn: console.warn, error: console.error }
const LANES = { thread: 1, native: 2, program: 2, remote: 1 }
const GOALS = [
  { pages: 20, seconds: 1 },
  { pages: 200, seconds: 5 },
]

/** From the file in the store to the sealed bytes; the floor inspects the same document, which reads all of it once. */
export default {
  id: 'P83',
  title: 'seal of a document with a signature on every page, its certificate and its check',
  async measure(bench) {
    await using engine = await openEngine(bench.environment)
    const readings: Reading[] = []
    for (const goal of GOALS) readings.push(await measureSeal(bench, engine, goal))
    return readings
  },
} satisfies Figure

interface Engine extends AsyncDisposable {
  documents: DocumentEngine
  put(bytes: Uint8Array): Promise<StoredFile>
}

async function openEngine({ folder: parent, newDatabase }: BenchEnvironment): Promise<Engine> {
  const [folder, database] = [await mkdtemp(join(parent, 'signing-')), await newDatabase()]
  const config = loadConfig({ DATA_DIR: folder, DATABASE_URL: database.url, SECRET: 'x'.repeat(32) })
  const db = openDb(database.url, { name: 'bench', size: 2 })
  const store = openStore(config)
  const workRoot = join(folder, 'work')
  const pools = await openPools({ workRoot, lanes: LANES, sandbox: 'auto', production: false, log: SILENT_LOG })
  let files = 0
  return {
    documents: openDocuments({ config, db, store, pools }),
    async put(bytes) {
      const key = `signing/bench-${++files}`
      await store.put(key, bytes, { contentType: 'application/pdf' })
      return { key, name: 'report.pdf', type: 'application/pdf', sizeBytes: bytes.length }
    },
    async [Symbol.asyncDispose]() {
      await pools.close()
      await db.end()
      await database.drop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function measureSeal(
  { profile }: Bench,
  { documents, put }: Engine,
  { pages, seconds }: (typeof GOALS)[number],
): Promise<Reading> {
  const request = buildRequest(await put(createTextPdf(pages, 'A report')), pages)
  const seal = () => documents.seal(request, new AbortController().signal)
  await seal()
  const times: number[] = []
  const inspections: number[] = []
  for (let round = 0; round < profile.rounds * 3; round++) {
    times.push(await time(seal))
    inspections.push(await time(() => documents.inspect(request.files[0]!, new AbortController().signal)))
  }
  return {
    ...{ label: `${pages} pages`, unit: 's', ours: median(times), floor: median(inspections) },
    ...{ goal: { atMost: seconds }, judgedBy: 'ours' },
    limitedBy: 'libpdf in one process: it reads the document, draws, writes, and checks what it has written',
    facts: { slowest: Math.max(...times) },
  }
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return (performance.now() - startedAt) / 1_000
}

const AT = '2026-11-20T09:00:00Z'
const STROKES = [Array.from({ length: 80 }, (_, index) => [index * 2, 20 + 15 * Math.sin(index / 5)] as const)]

function buildRequest(file: StoredFile, pages: number): SealRequest {
  const mark = { mode: 'draw' as const, width: 160, height: 40, strokes: STROKES }
  const person = { name: '山田 太郎', email: 'taro@example.com', role: 'signer', status: 'completed' }
  const visit = { authentication: ['link'], ip: '192.0.2.1', userAgent: 'Mozilla/5.0', notifiedAt: AT, viewedAt: AT }
  const recipient = { ...person, ...visit, signedAt: AT, consent: { version: '1', text: 'I agree.', at: AT }, mark }
  const fields = Array.from({ length: pages }, (_, index): FilledField[] => {
    const place = { file: 0, page: index + 1, x: 10, w: 30, h: 4 }
    return [
      { ...place, id: `s${index}`, type: 'signature', y: 80, value: { kind: 'mark', mark } },
      { ...place, id: `n${index}`, type: 'name', y: 86, value: { kind: 'text', text: person.name } },
    ]
  })
  const hash = 'ab'.repeat(32)
  return {
    ...{ id: 'bench', files: [file], joins: true, fields: fields.flat(), certificatePlace: 'appended' },
    ...{ level: 'B-B', sealedAt: AT },
    certificate: {
      ...{ language: 'en', envelopeId: 'env_1', title: 'A report', sender: 'Bench', issuer: 'https://example.com' },
      ...{ createdAt: AT, sentAt: AT, completedAt: AT, documents: [{ name: 'report.pdf', sha256: hash, pages }] },
      ...{ recipients: [recipient], events: [{ at: AT, text: 'signed', actor: 'taro', hash }] },
      ...{ chainHead: { entries: 1, hash }, brand: null },
    },
  }
}
