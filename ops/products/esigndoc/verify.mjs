// Checks the evidence of an envelope without the service. It needs only Node, and reads nothing but the files it is given:
//   node verify.mjs evidence.json sealed.pdf [certificate.pdf ...] [keys.json]
// Without a key set of your own, that of the evidence is used: then the statement shows only that nothing was changed since.
import { createHash, createPublicKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'

const [evidencePath, ...otherPaths] = process.argv.slice(2)
if (!evidencePath) {
  console.error('Usage: node verify.mjs evidence.json sealed.pdf [certificate.pdf ...] [keys.json]')
  process.exit(2)
}

const faults = []

function check(isRight, fault) {
  if (!isRight) faults.push(fault)
}

const sha256 = bytes => createHash('sha256').update(bytes).digest('hex')

/** RFC 8785: keys in the order of their UTF-16 units, no spaces. */
function canonicalize(value) {
  if (Array.isArray(value)) return `[${value.map(canonicalize).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${members.map(([name, member]) => `${canonicalize(name)}:${canonicalize(member)}`).join(',')}}`
}

/** Every entry is as it was hashed and names the one before. Returns what the entries say. */
function checkLog({ envelope, log }) {
  let previous = null
  return log.map(({ text, hash }, index) => {
    check(sha256(text) === hash, `entry ${index + 1} of the log has another hash`)
    const [kind, id, seq, , actor, action, detail, at, before] = JSON.parse(text)
    const isOfEnvelope = kind === 'envelope' && `env_${String(id).replaceAll('-', '')}` === envelope.id
    check(isOfEnvelope, `entry ${index + 1} of the log is of something else`)
    check(seq === index + 1 && before === previous, `entry ${index + 1} of the log does not follow the one before`)
    previous = hash
    return { actor, action, detail, at }
  })
}

const STATES = ['sent', 'in_progress', 'sealing', 'completed', 'rejected', 'expired', 'cancelled']

/** The log says the same of the state and of what was sealed as the evidence does. */
function checkState({ envelope, documents }, entries) {
  const last = entries.findLast(({ action }) => STATES.includes(action))?.action ?? 'draft'
  check(envelope.status === last, `the envelope is shown as ${envelope.status}, but its log says ${last}`)
  const completed = entries.find(({ action }) => action === 'completed')
  const find = kind => documents.find(document => document.kind === kind)?.sha256 ?? null
  check(!completed === (documents.length === 0), 'documents are sealed exactly if the log says that all is completed')
  if (!completed) return
  check(completed.detail.signedSha256 === find('signed'), 'the log names another sealed document')
  check((completed.detail.certificateSha256 ?? null) === find('certificate'), 'the log names another certificate')
}

/** What a compact JWS says, if it is signed by one of the keys. */
function readSigned(jws, keys) {
  const [header = '', payload = '', signature = ''] = jws.split('.')
  const { kid, alg } = JSON.parse(Buffer.from(header, 'base64url').toString())
  const jwk = keys.find(key => key.kid === kid)
  if (!jwk || alg !== 'EdDSA' || jwk.crv !== 'Ed25519') return undefined
  const key = createPublicKey({ key: jwk, format: 'jwk' })
  const isSigned = verify(null, Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url'))
  return isSigned ? { jwk, text: Buffer.from(payload, 'base64url').toString() } : undefined
}

function checkStatement({ statement, jws, envelope, documents, log }, keys) {
  const signed = readSigned(jws, keys)
  check(signed?.text === canonicalize(statement), 'the statement is not signed by a known key of the service')
  check(isInTime(signed, statement.stated_at), 'the statement is later than the end of its key')
  check(statement.envelope_id === envelope.id, 'the statement is about another envelope')
  check(statement.status === envelope.status, 'the statement names another status')
  const listed = documents.map(({ kind, sha256: hash }) => ({ kind, sha256: hash }))
  check(canonicalize(statement.documents) === canonicalize(listed), 'the statement is about other documents')
  const isEnd = statement.entries === log.length && statement.chain_head === log.at(-1)?.hash
  check(isEnd, 'the log is not the one of the statement')
}

/** What was signed must be no later than the key that signed it. */
function isInTime(signed, at) {
  return Date.parse(at) <= Date.parse(signed?.jwk.svc_not_after ?? '9999-12-31')
}

/** The ledger is as it was witnessed, and what the service has written into it is the log. Returns how far it goes. */
function checkLedger({ ledger, log }, keys) {
  if (!ledger) return 'its ledger is not witnessed yet'
  const { statement, jws, headers } = ledger
  const signed = readSigned(jws, keys)
  check(
    signed?.text === canonicalize(statement),
    'the witness of the ledger is not signed by a known key of the service',
  )
  check(isInTime(signed, statement.witnessed_at), 'the witness of the ledger is later than the end of its key')
  if (!headers) return `its ledger was witnessed at ${statement.witnessed_at}`
  let previous = sha256(canonicalize({ v: 1, baton_id: statement.baton_id, created_at: headers.created_at }))
  for (const [index, { hash, ...header }] of headers.entries.entries()) {
    const isNext = header.seq === index + 1 && header.prev === previous && hash === sha256(canonicalize(header))
    check(isNext, `entry ${index + 1} of the ledger is not what was chained`)
    previous = hash
  }
  const isWhole = previous === statement.chain_head && headers.entries.length === statement.entries
  check(isWhole, 'the ledger is not the one that was witnessed')
  const copied = headers.entries.filter(({ writer }) => writer === 'envelope')
  const isCopy = copied.every(({ content_sha256: hash }, index) => hash === sha256(`${log[index]?.text}\n`))
  check(isCopy, 'the ledger has another log')
  return `entries 1 to ${copied.length} witnessed at ${statement.witnessed_at}`
}

/** Files that are given must be those that were sealed, byte by byte. */
function checkFiles({ documents }, files) {
  for (const { path, bytes } of files)
    check(
      documents.some(document => document.sha256 === sha256(bytes)),
      `${path} is none of the sealed documents`,
    )
}

function run() {
  const evidence = JSON.parse(readFileSync(evidencePath, 'utf8'))
  const others = otherPaths.map(path => ({ path, bytes: readFileSync(path) }))
  const files = others.filter(({ bytes }) => bytes.subarray(0, 1024).includes('%PDF-'))
  const [keySet] = others.filter(other => !files.includes(other))
  const { keys } = keySet ? JSON.parse(keySet.bytes.toString()) : evidence
  check(evidence.format === 'svc.envelope-evidence/1', 'the evidence has another format')
  checkState(evidence, checkLog(evidence))
  checkStatement(evidence, keys)
  checkFiles(evidence, files)
  const { envelope, log } = evidence
  const witnessed = checkLedger(evidence, keys)
  return `${envelope.id} is ${envelope.status}, ${log.length} entries, ${witnessed}, ${files.length} files as sealed`
}

let summary = ''
try {
  summary = run()
} catch (error) {
  faults.push(`the evidence cannot be read: ${error.message}`)
}
if (faults.length === 0) console.log(`OK: ${summary}`)
else console.error(`WRONG: ${faults.join('; ')}`)
process.exit(faults.length === 0 ? 0 : 1)
