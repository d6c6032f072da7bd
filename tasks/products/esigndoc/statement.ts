import { ID_PREFIX } from '#kit'
import { type SigningKey, signJws } from '../witness/index.ts'

/** What the service signs of an envelope: its documents, and the end of its log at a time. */
interface EnvelopeStatement {
  typ: string
  envelope_id: string
  status: string
  /** Of what was sealed, in order. */
  documents: { kind: 'signed' | 'certificate'; sha256: string }[]
  entries: number
  chain_head: string
  stated_at: string
}

interface Stated {
  id: string
  status: string
  documents: readonly { kind: 'signed' | 'certificate'; sha256: string }[]
  log: readonly { text: string; hash: string }[]
}

/** Signs the state of an envelope as a compact JWS over the canonical JSON of the statement. */
export function signEnvelope(
  { id, status, documents, log }: Stated,
  at: Date,
  { kid, privateKey }: SigningKey,
): { statement: EnvelopeStatement; jws: string } {
  const statement = {
    ...{ typ: `${ID_PREFIX}.envelope/1`, envelope_id: id, status },
    documents: documents.map(({ kind, sha256 }) => ({ kind, sha256 })),
    ...{ entries: log.length, chain_head: log.at(-1)?.hash ?? '', stated_at: at.toISOString() },
  }
  return { statement, jws: signJws({ kid, typ: `${ID_PREFIX}-envelope+jws` }, statement, privateKey) }
}
