import { isSameText, toBase64Url, utf8 } from './bytes.ts'
import { findKey, hexSha256, isSignedBy, isTooLate, type Jwks } from './jws.ts'

/** What a witness says of a baton. */
interface WitnessStatement {
  baton_id: string
  chain_head: string | null
  entries: number
  retain_until: string
  sha256: string
  size: number
  witnessed_at: string
  [name: string]: unknown
}

/** The answer of `client.baton.proof`. */
export interface WitnessProof {
  statement: WitnessStatement
  jws: string
  created_at?: string
  entries?: ReadonlyArray<{ seq: number; size: number; content_sha256: string; prev: string; hash: string }>
  [name: string]: unknown
}

export class WitnessError extends Error {
  override readonly name = 'WitnessError'
}

/**
 * Checks a witness without the service: that its statement was signed by one of the keys, that the content is the one
 * that was signed, and, if the proof lists the entries, that they are the chain that was signed.
 */
export async function verifyWitness(
  proof: WitnessProof,
  keys: Jwks,
  content?: Uint8Array<ArrayBuffer>,
): Promise<{ entries: number; isChainChecked: boolean }> {
  const { statement, jws, entries } = proof
  await checkSignature(statement, jws, keys)
  if (content && (await hexSha256(content)) !== statement.sha256)
    throw new WitnessError('the content is not what was signed')
  if (!entries) return { entries: statement.entries, isChainChecked: false }
  await checkChain(proof, entries, content)
  return { entries: entries.length, isChainChecked: true }
}

async function checkSignature(statement: WitnessStatement, jws: string, keys: Jwks): Promise<void> {
  const [head = '', , signature = ''] = jws.split('.')
  const key = findKey(head, keys)
  if (!key) throw new WitnessError('it was signed by none of these keys')
  const signed = `${head}.${toBase64Url(utf8(canonicalize(statement)))}`
  if (!isSameText(jws, `${signed}.${signature}`)) throw new WitnessError('the statement is not what was signed')
  if (!(await isSignedBy(key, signed, signature))) throw new WitnessError('the statement is not what was signed')
  if (isTooLate(statement.witnessed_at, key)) throw new WitnessError('it was signed after the key was retired')
}

async function checkChain(
  { statement, created_at }: WitnessProof,
  entries: NonNullable<WitnessProof['entries']>,
  content: Uint8Array<ArrayBuffer> | undefined,
): Promise<void> {
  let prev = await hexSha256(utf8(canonicalize({ v: 1, baton_id: statement.baton_id, created_at })))
  let start = 0
  for (const [index, { hash, ...header }] of entries.entries()) {
    const isNext = header.seq === index + 1 && header.prev === prev
    if (!isNext || hash !== (await hexSha256(utf8(canonicalize(header)))))
      throw new WitnessError(`entry ${index + 1} is not what was chained`)
    const bytes = content?.subarray(start, start + header.size)
    if (bytes && (await hexSha256(bytes)) !== header.content_sha256)
      throw new WitnessError(`entry ${index + 1} has other content`)
    prev = hash
    start += header.size
  }
  if (prev !== statement.chain_head || start !== statement.size || entries.length !== statement.entries)
    throw new WitnessError('the chain is not the one that was signed')
}

/** RFC 8785, for objects that hold no objects. */
function canonicalize(object: object): string {
  return JSON.stringify(object, Object.keys(object).sort())
}
