// Checks the bundle of a contract. It needs only Node, and reads nothing but the files that it is given:
//   node verify.mjs bundle.json [keys.json]
// Without a key set of your own, that of the bundle is used: then the statement shows only that nothing was changed since.
// What no signature and no entry of the log covers is named at the end.
import { createHash, createPublicKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { keccak256, recover, toHex } from './recover.mjs'

const [bundlePath, keysPath] = process.argv.slice(2)
if (!bundlePath) {
  console.error('Usage: node verify.mjs bundle.json [keys.json]')
  process.exit(2)
}

const faults = []
const notes = []

function check(isRight, fault) {
  if (!isRight) faults.push(fault)
}

const formatTime = seconds => new Date(seconds * 1000).toISOString()
const sha256 = text => createHash('sha256').update(text).digest('hex')

/** RFC 8785: keys in the order of their UTF-16 units, no spaces. */
function canonicalize(value) {
  if (Array.isArray(value)) return `[${value.map(canonicalize).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${members.map(([name, member]) => `${canonicalize(name)}:${canonicalize(member)}`).join(',')}}`
}

const word = value => Buffer.from(toHex(BigInt(value)), 'hex')
const hashText = text => keccak256(Buffer.from(text))

const FIELDS = 'string contractId,bytes32 termsHash,address party,string role,bytes32 nonce,uint256 signedAt'
const TYPED_DATA = {
  domain: { name: 'svc Agreements', version: '1' },
  types: {
    AgreementSignature: FIELDS.split(',').map(field => {
      const [type, name] = field.split(' ')
      return { name, type }
    }),
  },
  primaryType: 'AgreementSignature',
}

/** EIP-712 of an agreement. */
function digestAgreement(chainId, message) {
  const domainType = 'EIP712Domain(string name,string version,uint256 chainId)'
  const type = `AgreementSignature(${FIELDS})`
  const domain = [hashText(domainType), hashText('svc Agreements'), hashText('1'), word(chainId)]
  const content = [
    ...[hashText(type), hashText(message.contractId), word(message.termsHash), word(message.party)],
    ...[hashText(message.role), word(message.nonce), word(message.signedAt)],
  ]
  return keccak256(
    Buffer.concat([Buffer.from('1901', 'hex'), keccak256(Buffer.concat(domain)), keccak256(Buffer.concat(content))]),
  )
}

// The first bundles say `state` where later ones say `status`.
const FIRST_FORMAT = 'svc.contract-bundle/1'
const FORMATS = [FIRST_FORMAT, 'svc.contract-bundle/2']
const readStatus = ({ format }, shown) => (format === FIRST_FORMAT ? shown?.state : shown?.status)

const NOT_COVERED =
  'ids of parties, nonces of who has not signed, chainId where no wallet has signed, fractions of a second of signedAt, files of evidence, texts of evidence that are left out, times other than signedAt and expiresAt, supersedes, supersededBy, notice'

/** Every entry is as it was hashed and names the one before. Returns what the entries say. */
function checkLog(bundle) {
  let previous = null
  return bundle.log.map(({ text, hash }, index) => {
    check(sha256(text) === hash, `entry ${index + 1} of the log has another hash`)
    const [kind, id, seq, , actor, action, detail, , before] = JSON.parse(text)
    const isOfContract = kind === 'contract' && `ctr_${String(id).replaceAll('-', '')}` === bundle.contract.id
    check(isOfContract, `entry ${index + 1} of the log is of something else`)
    check(seq === index + 1 && before === previous, `entry ${index + 1} of the log does not follow the one before`)
    previous = hash
    return { actor, action, detail }
  })
}

const AGREED = ['key', 'name', 'role', 'method', 'address', 'email', 'required']
const pick = (from, names) => names.map(name => from?.[name] ?? null)
const isSame = (one, other) => canonicalize(one) === canonicalize(other)

/** The log counts in seconds. */
const isAt = (shown, seconds) =>
  seconds === undefined ? shown === null : Math.round(Date.parse(shown) / 1000) === seconds

function checkParties(bundle, entries, document) {
  const { parties } = bundle.contract
  const wanted = document.parties.map(party => pick(party, AGREED))
  const shown = parties.map(party => pick(party, AGREED))
  check(isSame(shown, wanted), 'the parties are shown otherwise than agreed')
  for (const party of document.parties) {
    const found = parties.find(({ key }) => key === party.key)
    if (found) checkParty(bundle, party, { entries, found })
  }
}

function checkParty(bundle, party, { entries, found }) {
  const { key, customerId = null } = party
  if (found.customerId !== customerId)
    notes.push(
      `${key}: agreed as the account ${customerId}, shown as ${found.customerId}; only the service can tell why`,
    )
  const acts = entries.filter(
    ({ action, detail }) => detail.partyKey === key && ['signed', 'declined'].includes(action),
  )
  const act = acts.find(({ action }) => action === 'signed')?.detail
  const status = acts.at(-1)?.action ?? 'pending'
  const isRight =
    readStatus(bundle, found) === status &&
    found.signature === (act?.signature ?? null) &&
    isAt(found.signedAt, act?.signedAt) &&
    (act?.nonce === undefined || found.nonce === act.nonce)
  check(isRight, `the party ${key} is shown otherwise than the log says`)
  if (act) checkAct(bundle, party, act)
}

function checkAct(bundle, party, act) {
  const { key } = party
  check(act.termsHash === sha256(bundle.document), `the party ${key} has signed other terms`)
  check(act.method === party.method, `the party ${key} has signed in another way than agreed`)
  if (party.method === 'wallet') checkWallet(bundle, party, act)
  else notes.push(`${key}: assent of an account, recorded by the service at ${formatTime(act.signedAt)}`)
}

/** Later bundles list the signatures, as the log has them. */
function checkSignatures({ format, contract }, entries) {
  if (format === FIRST_FORMAT) return
  const names = ['partyKey', 'method', 'address', 'accountRef', 'signature', 'entrySeq']
  const logged = entries.flatMap(({ action, detail }, index) =>
    action === 'signed' ? [{ ...detail, accountRef: detail.account, entrySeq: index + 1 }] : [],
  )
  const { signatures } = contract
  const isRight =
    isSame(...[signatures, logged].map(list => list.map(signature => pick(signature, names)))) &&
    signatures.every(({ signedAt }, index) => isAt(signedAt, logged[index].signedAt))
  check(isRight, 'the signatures are shown otherwise than the log says')
}

function checkWallet({ contract }, party, act) {
  const { id: contractId, termsHash, chainId } = contract
  const role = party.role ?? party.key
  const { nonce, signedAt } = act
  const message = { contractId, termsHash: `0x${termsHash}`, party: party.address, role, nonce, signedAt }
  if (act.checkedBy === 'chain') {
    notes.push(`${party.key}: signature of a contract; only chain ${chainId} can tell, which the service has asked`)
    return
  }
  const signer = recover(digestAgreement(chainId, message), act.signature)
  check(signer === party.address, `the signature of ${party.key} is not that of ${party.address}`)
  if (signer === party.address)
    notes.push(`${party.key}: signed by the wallet ${signer} at ${formatTime(act.signedAt)}`)
}

function checkStatus(bundle, entries, document) {
  const status = readStatus(bundle, bundle.contract)
  const known = ['active', 'disputed', 'ruled', 'declined', 'expired', 'withdrawn', 'superseded']
  const last = entries.findLast(({ action }) => known.includes(action))?.action ?? 'pending'
  check(status === last, `the contract is shown as ${status}, but its log says ${last}`)
  const signed = entries.filter(({ action }) => action === 'signed').map(({ detail }) => detail.partyKey)
  const missing = document.parties.filter(({ key, required }) => required && !signed.includes(key))
  const isActive = entries.some(({ action }) => action === 'active')
  check(!isActive || missing.length === 0, `the contract is active without ${missing.map(({ key }) => key).join(', ')}`)
  check(bundle.contract.allSigned === (missing.length === 0), 'allSigned is otherwise than the log says')
}

/** What is shown of the contract as a whole is what its document and its log say. */
function checkContract({ contract, eip712, log }, entries, document) {
  const { title, chainId, expiresAt, termsHash } = contract
  const { action, detail = {} } = entries[0] ?? {}
  check(action === 'created' && detail.termsHash === termsHash, 'the log begins otherwise')
  check(title === document.title, 'the contract shows another title')
  check(Date.parse(expiresAt) === Date.parse(detail.expiresAt), 'the contract shows another end of its time to sign')
  const end = { entries: log.length, head: log.at(-1)?.hash }
  check(isSame(contract.log, end), 'the contract shows another end of its log')
  check(
    isSame(eip712, { ...TYPED_DATA, domain: { ...TYPED_DATA.domain, chainId } }),
    'eip712 is not that of agreements',
  )
}

/** What a compact JWS says, if it is signed by one of the keys. */
function readSigned(jws, keys) {
  const [header = '', payload = '', signature = ''] = jws.split('.')
  const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString())
  const jwk = keys.find(key => key.kid === kid)
  const signed = [Buffer.from(`${header}.${payload}`), jwk && createPublicKey({ key: jwk, format: 'jwk' })]
  const isSigned = jwk !== undefined && verify(null, ...signed, Buffer.from(signature, 'base64url'))
  return isSigned ? Buffer.from(payload, 'base64url').toString() : undefined
}

function checkStatement(bundle, keys) {
  const { statement, jws, contract, log, document } = bundle
  check(readSigned(jws, keys) === canonicalize(statement), 'the statement is not signed by a known key of the service')
  check(statement.contract_id === contract.id, 'the statement is about another contract')
  check(statement.terms_hash === sha256(document), 'the statement is about other terms')
  check(statement.state === readStatus(bundle, contract), 'the statement names another status')
  const isEnd = statement.entries === log.length && statement.chain_head === log.at(-1)?.hash
  check(isEnd, 'the log is not the one of the statement')
}

/** Disputes are those of the log, with the claims and the evidence whose hashes are there. */
function checkDisputes(bundle, entries, keys) {
  const { disputes } = bundle.contract
  const opened = entries.filter(({ action }) => action === 'disputed')
  const isAll = isSame(
    disputes.map(readId),
    opened.map(({ detail }) => detail.disputeId),
  )
  check(isAll, 'the disputes are others than those of the log')
  for (const dispute of disputes) {
    const id = readId(dispute)
    const own = entries.filter(({ detail }) => detail.disputeId === id)
    checkClaim(dispute, { id, own })
    checkEvidence(dispute, { id, own })
    checkOutcome(bundle, dispute, { id, own, keys })
  }
}

const readId = ({ id, disputeId = id }) => disputeId

function checkClaim({ claimant, claim, requestedRelief, contractId }, { id, own }) {
  const opening = own.find(({ action }) => action === 'disputed')
  const isClaim = opening?.detail.claimSha256 === sha256(`${claim}\n${requestedRelief}`)
  const isOwn = opening?.actor === claimant && opening?.detail.contractId === contractId
  check(isClaim && isOwn, `the claim of ${id} is another one than that of the log`)
}

function checkEvidence({ evidence }, { id, own }) {
  const logged = own.filter(({ action }) => action === 'evidence')
  const isListed = isSame(
    evidence.map(({ id: evidenceId, partyKey, title, sha256: hash }) => [evidenceId, partyKey, title, hash]),
    logged.map(({ actor, detail }) => [detail.evidenceId, actor, detail.title, detail.sha256]),
  )
  const isText = evidence.every(({ text, sha256: hash }) => text === null || sha256(text) === hash)
  check(isListed && isText, `the evidence of ${id} is shown otherwise than the log says`)
}

const OPEN = ['open', 'deliberating']

/** Every ruling is in the log as it was signed. */
function checkOutcome(bundle, dispute, { id, own, keys }) {
  const { ruling, jws } = dispute
  const end = own.find(({ action }) => action === 'ruled' || action === 'active')
  const ended = end?.action === 'ruled' ? 'ruled' : end?.detail.dispute
  const status = readStatus(bundle, dispute)
  check(ended ? status === ended : OPEN.includes(status), `${id} is shown as ${status}, but its log says otherwise`)
  check((ended === 'ruled') === Boolean(ruling), `the ruling upon ${id} is not in the log, or it is left out`)
  if (!ruling) return
  check(
    readSigned(jws, keys) === canonicalize(ruling),
    `the ruling upon ${id} is not signed by a known key of the service`,
  )
  check(end?.detail.jws === jws && ruling.disputeId === id, `the ruling upon ${id} is not in the log`)
  notes.push(`${id}: ruled ${ruling.outcome} by ${ruling.model ?? 'the operator'}`)
}

function run() {
  const bundle = JSON.parse(readFileSync(bundlePath, 'utf8'))
  const { keys } = keysPath ? JSON.parse(readFileSync(keysPath, 'utf8')) : bundle
  const document = JSON.parse(bundle.document)
  check(FORMATS.includes(bundle.format), 'the bundle has another format')
  check(canonicalize(document) === bundle.document, 'the document is not canonical')
  check(sha256(bundle.document) === bundle.contract.termsHash, 'the terms have another hash')
  check(canonicalize(bundle.contract.document) === bundle.document, 'the contract shows another document')
  const entries = checkLog(bundle)
  checkContract(bundle, entries, document)
  checkParties(bundle, entries, document)
  checkSignatures(bundle, entries)
  checkStatus(bundle, entries, document)
  checkStatement(bundle, keys)
  checkDisputes(bundle, entries, keys)
  return bundle
}

try {
  const bundle = run()
  const { contract } = bundle
  for (const note of notes) console.log(`  ${note}`)
  if (faults.length === 0)
    console.log(
      `OK: ${contract.id} is ${readStatus(bundle, contract)}, terms ${contract.termsHash}\nNot covered: ${NOT_COVERED}`,
    )
} catch (error) {
  faults.push(`the bundle cannot be read: ${error.message}`)
}
for (const fault of faults) console.error(`WRONG: ${fault}`)
process.exit(faults.length === 0 ? 0 : 1)
