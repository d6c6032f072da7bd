// Checks a witness offline, with Node alone: node verify.mjs proof.json jwks.json [content]
import assert from 'node:assert'
import { createHash, createPublicKey, verify } from 'node:crypto'
import { readFileSync, realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** RFC 8785, for objects that hold no objects. */
const canonicalize = object => JSON.stringify(object, Object.keys(object).sort())
const sha256 = bytes => createHash('sha256').update(bytes).digest('hex')

export function verifyWitness({ statement, jws, created_at, entries }, { keys }, content) {
  assert(statement && jws, 'the first file is no proof')
  const [head, , signature] = jws.split('.').map(part => Buffer.from(part, 'base64url'))
  const signed = [head, Buffer.from(canonicalize(statement))].map(bytes => bytes.toString('base64url')).join('.')
  const key = keys.find(({ kid }) => kid === JSON.parse(head).kid)
  const isSigned = key && verify(null, Buffer.from(signed), createPublicKey({ key, format: 'jwk' }), signature)
  assert(isSigned && jws === `${signed}.${signature.toString('base64url')}`, 'the statement is not what was signed')
  const [at, end] = [statement.witnessed_at, key.svc_not_after].map(Date.parse)
  assert(!(at > end), 'signed after the key was retired')
  assert(!content || sha256(content) === statement.sha256, 'the content is not what was signed')
  if (!entries) return { entries: statement.entries, isChainChecked: false }
  let [prev, start] = [sha256(canonicalize({ v: 1, baton_id: statement.baton_id, created_at })), 0]
  for (const [index, { hash, ...header }] of entries.entries()) {
    const isNext = header.seq === index + 1 && header.prev === prev
    assert(isNext && hash === sha256(canonicalize(header)), `entry ${index + 1} is not what was chained`)
    const bytes = content?.subarray(start, start + header.size)
    assert(!bytes || sha256(bytes) === header.content_sha256, `entry ${index + 1} has other content`)
    ;[prev, start] = [hash, start + header.size]
  }
  assert(prev === statement.chain_head && start === statement.size, 'the chain is not the one that was signed')
  assert(entries.length === statement.entries, 'there are more or fewer entries than were signed')
  return { entries: entries.length, isChainChecked: true }
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    const [proof, keys, content] = process.argv.slice(2).map(path => readFileSync(path))
    const checked = verifyWitness(JSON.parse(proof), JSON.parse(keys), content)
    const count = `${checked.entries} ${checked.entries === 1 ? 'entry' : 'entries'}`
    // Only a proof exported by one who may read the baton has what was hashed of each entry.
    const note = checked.isChainChecked ? '' : ' (by the statement; the proof lists none of them)'
    process.stdout.write(`valid, with ${count}${note}${content ? '' : '; the content was not compared'}\n`)
  } catch (error) {
    const reason =
      error.code === 'ERR_ASSERTION' || error.syscall ? error.message : `it cannot be read (${error.message})`
    process.stderr.write(`not valid: ${reason}\n`)
    process.exitCode = 1
  }
}
