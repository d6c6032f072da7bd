import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { LocalStore } from '../../../ops/providers/storage/local.ts'
import type { Pools } from '../../../pools/index.ts'
import { openDb } from '../../../sql/db.ts'
import type {
  CertificateData,
  CertifiedRecipient,
  SealRequest,
  StoredFile,
} from '../../../tasks/products/esigndoc/document.ts'
import { type DocumentContext, openDocuments } from '../../../workers/products/esigndoc/documents.ts'
import { freshDatabase } from '../database/fresh.ts'
import { freshFolder } from '../machine/folder.ts'
import { sharedPools } from '../pools/open.ts'

const SECRET = 'a secret of more than enough letters'
const PUBLIC_URL = 'https://sign.example.com'

/** The document engine as a worker has it, with a store and a database of its own. */
export async function openEngine(config: Partial<DocumentContext['config']> = {}) {
  const [folder, database, pools] = await Promise.all([freshFolder(), freshDatabase(), sharedPools()])
  const db = openDb(database.url, { name: 'signing tests' })
  const store = new LocalStore({ dataDir: folder.path, secret: SECRET, publicUrl: PUBLIC_URL })
  const context = { config: { secret: SECRET, publicUrl: PUBLIC_URL, ...config }, db, store, pools: pools as Pools }
  const put = async (bytes: Uint8Array, name = 'letter.pdf', type = 'application/pdf'): Promise<StoredFile> => {
    const key = `signing/${randomBytes(8).toString('hex')}`
    await store.put(key, bytes, { contentType: type })
    return { key, name, type, sizeBytes: bytes.length }
  }
  return {
    documents: openDocuments(context),
    ...{ context, db, put, folder: folder.path },
    path: (name: string) => join(folder.path, name),
    async [Symbol.asyncDispose]() {
      await db.end()
      await Promise.all([folder[Symbol.asyncDispose](), database[Symbol.asyncDispose]()])
    },
  }
}

export const NEVER = new AbortController().signal

export const IDA: CertifiedRecipient = {
  ...{ name: 'Ida Brandt', email: 'ida@example.com', role: 'signer', status: 'completed' },
  ...{ authentication: ['link', 'email_otp'], ip: '192.0.2.7', userAgent: 'Mozilla/5.0 (X11; Linux x86_64)' },
  ...{ notifiedAt: '2026-11-20T08:00:00Z', viewedAt: '2026-11-20T09:00:00Z', signedAt: '2026-11-20T09:05:00Z' },
  consent: { version: '2026-11', text: 'I agree to sign electronically.', at: '2026-11-20T09:04:00Z' },
  mark: { mode: 'type', text: 'Ida Brandt' },
}

/** What is asked of the seal; each test names what matters to it. */
export function sealRequest(
  request: Partial<SealRequest> & Pick<SealRequest, 'files'>,
  certificate: Partial<CertificateData> = {},
): SealRequest {
  return {
    ...{ id: '019ab3c4-5d6e-7f80-9a1b-2c3d4e5f6071', joins: true, fields: [] },
    ...{ certificatePlace: 'appended', level: 'B-B', sealedAt: '2026-11-20T09:06:00Z' },
    certificate: {
      ...{ language: 'en', envelopeId: 'env_019ab3c45d6e7f809a1b2c3d4e5f6071', title: 'Lease of the flat' },
      ...{ sender: 'Harbour office', issuer: PUBLIC_URL, brand: null },
      ...{ createdAt: '2026-11-19T08:00:00Z', sentAt: '2026-11-20T08:00:00Z', completedAt: '2026-11-20T09:06:00Z' },
      documents: [{ name: 'letter.pdf', sha256: 'ab'.repeat(32), pages: 2 }],
      recipients: [IDA],
      events: [
        { at: '2026-11-19T08:00:00Z', text: 'created', actor: 'owner', hash: '01'.repeat(32) },
        { at: '2026-11-20T09:05:00Z', text: 'signed', actor: 'ida@example.com', hash: '02'.repeat(32) },
      ],
      chainHead: { entries: 2, hash: '02'.repeat(32) },
      ...certificate,
    },
    ...request,
  }
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
