// Checks a witness or a receipt offline, with Node alone: node verify.mjs proof.json jwks.json [content]
import assert from 'node:assert'
import { createHash, createPublicKey, verify } from 'node:crypto'
import { readFileSync, realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** RFC 8785, for objects whose names are words. */
const canonicalize = object => JSON.stringify(object, (_, value) => (isObject(value) ? sortMembers(value) : value))
const isObject = value => typeof value === 'object' && value !== null && !Array.isArray(value)
const sortMembers = object => Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)))
const sha256 = bytes => createHash('sha256').update(bytes).digest('hex')
const decode = part => Buffer.from(part, 'base64url')

/** The key that signed a compact JWS, if the payload is the one that it has and no bit was added. */
function findSigner(jws, payload, keys) {
  const [head, , signature] = jws.split('.').map(decode)
  const signed = [head, Buffer.from(payload)].map(bytes => bytes.toString('base64url')).join('.')
  const key = keys.find(({ kid }) => kid === JSON.parse(head).kid)
  const isSigned = key && verify(null, Buffer.from(signed), createPublicKey({ key, format: 'jwk' }), signature)
  return isSigned && jws === `${signed}.${signature.toString('base64url')}` ? key : undefined
}

/** A file, if one is given, must be one that went into the call or came out of it. Returns what was signed. */
export function verifyReceipt({ receipt, payload }, { keys }, file) {
  const text = decode(receipt.split('.')[1] ?? '').toString()
  assert(!payload || canonicalize(payload) === text, 'the payload is not what was signed')
  const key = findSigner(receipt, text, keys)
  assert(key, 'the receipt is not what was signed')
  const signed = JSON.parse(text)
  assert(/^\w+\.receipt\/1$/.test(signed.typ), 'what was signed is no receipt')
  const [at, end] = [signed.issued_at, key.svc_not_after].map(Date.parse)
  assert(!(at > end), 'signed after the key was retired')
  const hashes = [...signed.inputs, ...signed.outputs].map(({ sha256: hash }) => hash)
  assert(!file || hashes.includes(sha256(file)), 'the file is none of those that went in or came out')
  return signed
}

export function verifyWitness({ statement, jws, created_at, entries }, { keys }, content) {
  assert(statement && jws, 'the first file is no proof')
  const key = findSigner(jws, canonicalize(statement), keys)
  assert(key, 'the statement is not what was signed')
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

/** A receipt may be the JWS alone. */
function readProof(text) {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text) ? { receipt: text } : JSON.parse(text)
}

function describeWitness(proof, keys, content) {
  const { entries, isChainChecked } = verifyWitness(proof, keys, content)
  const count = `${entries} ${entries === 1 ? 'entry' : 'entries'}`
  // Only a proof exported by one who may read the baton has what was hashed of each entry.
  const note = isChainChecked ? '' : ' (by the statement; the proof lists none of them)'
  return `with ${count}${note}${content ? '' : '; the content was not compared'}`
}

function describeReceipt(receipt, keys, file) {
  const { operation, status, price, payer, finished_at: at } = verifyReceipt(receipt, keys, file)
  const dollars = (Number(price.charged_micros) / 1e6).toFixed(6).replace(/0{1,4}$/, '')
  const note = file ? 'the file belongs to it' : 'no file was compared'
  return `${operation} ${status} at ${at}, ${dollars} USD charged to ${payer.wallet ?? payer.account_id}; ${note}`
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    const [proof, keys, content] = process.argv.slice(2).map(path => readFileSync(path))
    const given = readProof(proof.toString().trim())
    const describe = given.receipt ? describeReceipt : describeWitness
    process.stdout.write(`valid, ${describe(given, JSON.parse(keys), content)}\n`)
  } catch (error) {
    const reason =
      error.code === 'ERR_ASSERTION' || error.syscall ? error.message : `it cannot be read (${error.message})`
    process.stderr.write(`not valid: ${reason}\n`)
    process.exitCode = 1
  }
}
