import { createPublicKey, verify } from 'node:crypto'
import { ID_PREFIX } from '#kit'
import { encodePart, signJws } from './jws.ts'
import { publicJwk, type SigningKey } from './key.ts'

const RETAIN_YEARS = 7
const RECORD_TYPE = `${ID_PREFIX}-witness+jws`

/** What the service signs of a baton. */
export interface Statement {
  typ: string
  baton_id: string
  /** Hexadecimal SHA-256 of the content, for a log of all entries one after the other. */
  sha256: string
  size: number
  entries: number
  /** The hash of the last entry of a chain. */
  chain_head: string | null
  witnessed_at: string
  retain_until: string
}

export interface WitnessRecord {
  statement: Statement
  /** Compact JWS over the canonical JSON of the statement. */
  jws: string
}

interface WitnessedContent {
  batonId: string
  sha256: string
  size: number
  entries: number
  chainHead: string | null
}

export function buildStatement({ batonId, sha256, size, entries, chainHead }: WitnessedContent, at: Date): Statement {
  const until = new Date(at)
  until.setUTCFullYear(at.getUTCFullYear() + RETAIN_YEARS)
  return {
    typ: `${ID_PREFIX}.witness/1`,
    baton_id: batonId,
    ...{ sha256, size, entries, chain_head: chainHead },
    witnessed_at: formatSeconds(at),
    retain_until: formatSeconds(until),
  }
}

function formatSeconds(time: Date): string {
  return `${time.toISOString().slice(0, -5)}Z`
}

export function signStatement(statement: Statement, { kid, privateKey }: SigningKey, keysUrl: string): WitnessRecord {
  return { statement, jws: signJws({ kid, typ: RECORD_TYPE, jku: keysUrl }, statement, privateKey) }
}

/** The id of the key that a record names, or undefined if it is no record. */
export function readKeyId({ jws }: WitnessRecord): string | undefined {
  try {
    return String((JSON.parse(Buffer.from(jws.split('.', 1)[0]!, 'base64url').toString()) as { kid: unknown }).kid)
  } catch {
    return undefined
  }
}

/** Whether a record was signed by a key, over exactly the statement beside it. */
export function isSignedBy({ statement, jws }: WitnessRecord, { kid, x }: Pick<SigningKey, 'kid' | 'x'>): boolean {
  const [header = '', payload = '', signature = '', ...rest] = jws.split('.')
  const bytes = Buffer.from(signature, 'base64url')
  // One signature can be written in several ways, because base64url has bits to spare at its end.
  const isExact = rest.length === 0 && bytes.toString('base64url') === signature && payload === encodePart(statement)
  const key = createPublicKey({ key: { ...publicJwk(x) }, format: 'jwk' })
  return (
    isExact && readKeyId({ statement, jws }) === kid && verify(null, Buffer.from(`${header}.${payload}`), key, bytes)
  )
}
