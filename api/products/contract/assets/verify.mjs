// Checks the bundle of a contract. It needs only Node, and reads nothing but the files that it is given:
//   node verify.mjs bundle.json [keys.json]
// Without a key set of your own, that of the bundle is used: then the statement shows only that nothing was changed since.
import { createHash, createPublicKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'

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

// Keccak-256, which Node has not.
const MASK = 0xffffffffffffffffn
const rotate = (word, bits) => ((word << bits) | (word >> (64n - bits))) & MASK
const ROUNDS = [
  '1 8082 800000000000808a 8000000080008000 808b 80000001',
  '8000000080008081 8000000000008009 8a 88 80008009 8000000a',
  '8000808b 800000000000008b 8000000000008089 8000000000008003 8000000000008002 8000000000000080',
  '800a 800000008000000a 8000000080008081 8000000000008080 80000001 8000000080008008',
].flatMap(line => line.split(' ').map(word => BigInt(`0x${word}`)))
const OFFSETS = [0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14].map(
  BigInt,
)

function permute(lanes) {
  for (const round of ROUNDS) {
    mixColumns(lanes)
    const moved = lanes.map((_, index) => rotateAndMove(lanes, index))
    for (let index = 0; index < 25; index++) {
      const row = index - (index % 5)
      lanes[index] = moved[index] ^ (~moved[row + ((index + 1) % 5)] & MASK & moved[row + ((index + 2) % 5)])
    }
    lanes[0] ^= round
  }
}

function mixColumns(lanes) {
  const columns = [0, 1, 2, 3, 4].map(x => lanes[x] ^ lanes[x + 5] ^ lanes[x + 10] ^ lanes[x + 15] ^ lanes[x + 20])
  for (let index = 0; index < 25; index++)
    lanes[index] ^= columns[(index + 4) % 5] ^ rotate(columns[(index + 1) % 5], 1n)
}

/** What comes to a place: the lane at x, y goes to y, 2x + 3y. */
function rotateAndMove(lanes, place) {
  const y = place % 5
  const x = (3 * (Math.floor(place / 5) - 3 * y + 15)) % 5
  return rotate(lanes[x + 5 * y], OFFSETS[x + 5 * y])
}

function keccak256(bytes) {
  const rate = 136
  const padded = Buffer.alloc(Math.ceil((bytes.length + 1) / rate) * rate)
  Buffer.from(bytes).copy(padded)
  padded[bytes.length] ^= 0x01
  padded[padded.length - 1] ^= 0x80
  const lanes = Array(25).fill(0n)
  for (let start = 0; start < padded.length; start += rate) {
    for (let lane = 0; lane < rate / 8; lane++) lanes[lane] ^= padded.readBigUInt64LE(start + 8 * lane)
    permute(lanes)
  }
  const digest = Buffer.alloc(32)
  for (let lane = 0; lane < 4; lane++) digest.writeBigUInt64LE(lanes[lane], 8 * lane)
  return digest
}

// The curve secp256k1: from a signature to the address of its key.
const P = 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2fn
const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const G = [
  0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n,
  0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8n,
]
const toHex = value => value.toString(16).padStart(64, '0')
const mod = (value, modulus) => ((value % modulus) + modulus) % modulus

function power(base, exponent, modulus) {
  let result = 1n
  for (let factor = mod(base, modulus), rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * factor) % modulus
    factor = (factor * factor) % modulus
  }
  return result
}

const invert = (value, modulus) => power(value, modulus - 2n, modulus)

function add(one, other) {
  if (!one) return other
  if (!other) return one
  const isSame = one[0] === other[0]
  if (isSame && mod(one[1] + other[1], P) === 0n) return undefined
  const slope = isSame
    ? 3n * one[0] * one[0] * invert(2n * one[1], P)
    : (other[1] - one[1]) * invert(mod(other[0] - one[0], P), P)
  const x = mod(slope * slope - one[0] - other[0], P)
  return [x, mod(slope * (one[0] - x) - one[1], P)]
}

function multiply(point, factor) {
  let sum
  for (let step = point, rest = factor; rest > 0n; rest >>= 1n) {
    if (rest & 1n) sum = add(sum, step)
    step = add(step, step)
  }
  return sum
}

/** The address whose key has signed the digest, or undefined. */
function recover(digest, signature) {
  if (!/^0x[0-9a-f]{130}$/i.test(signature)) return undefined
  const [r, s] = [BigInt(`0x${signature.slice(2, 66)}`), BigInt(`0x${signature.slice(66, 130)}`)]
  const parity = BigInt(`0x${signature.slice(130)}`) % 27n
  if (r === 0n || s === 0n || r >= N || s > N / 2n || parity > 1n) return undefined
  const square = mod(r * r * r + 7n, P)
  const root = power(square, (P + 1n) / 4n, P)
  if (mod(root * root, P) !== square) return undefined
  const point = [r, (root & 1n) === parity ? root : P - root]
  const inverse = invert(r, N)
  const hash = BigInt(`0x${digest.toString('hex')}`)
  const key = add(multiply(point, mod(s * inverse, N)), multiply(G, mod(-hash * inverse, N)))
  if (!key) return undefined
  return `0x${keccak256(Buffer.from(toHex(key[0]) + toHex(key[1]), 'hex'))
    .subarray(12)
    .toString('hex')}`
}

const word = value => Buffer.from(toHex(BigInt(value)), 'hex')
const hashText = text => keccak256(Buffer.from(text))

/** EIP-712 of an agreement. */
function digestAgreement(chainId, message) {
  const domainType = 'EIP712Domain(string name,string version,uint256 chainId)'
  const type =
    'AgreementSignature(string contractId,bytes32 termsHash,address party,string role,bytes32 nonce,uint256 signedAt)'
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

function checkParties(bundle, entries, document) {
  const termsHash = sha256(bundle.document)
  const signed = entries.filter(({ action }) => action === 'signed').map(({ detail }) => detail)
  for (const party of document.parties) {
    const act = signed.find(({ partyKey }) => partyKey === party.key)
    const shown = bundle.contract.parties.find(({ key }) => key === party.key)
    check(
      (readStatus(bundle, shown) === 'signed') === Boolean(act),
      `the party ${party.key} is shown otherwise than the log says`,
    )
    if (!act) continue
    check(act.termsHash === termsHash, `the party ${party.key} has signed other terms`)
    check(act.method === party.method, `the party ${party.key} has signed in another way than agreed`)
    if (party.method === 'wallet') checkWallet(bundle, party, act)
    else notes.push(`${party.key}: assent of an account, recorded by the service at ${formatTime(act.signedAt)}`)
  }
}

/** Later bundles list the signatures, as the log has them. */
function checkSignatures({ format, contract }, entries) {
  if (format === FIRST_FORMAT) return
  const logged = entries.flatMap(({ action, detail: { partyKey, method, address, account, signature } }, index) =>
    action === 'signed' ? [[partyKey, method, address ?? account, signature, index + 1]] : [],
  )
  const shown = contract.signatures.map(({ partyKey, method, address, accountRef, signature, entrySeq }) => {
    return [partyKey, method, address ?? accountRef, signature, entrySeq]
  })
  check(canonicalize(shown) === canonicalize(logged), 'the signatures are shown otherwise than the log says')
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

/** Every ruling is in the log as it was signed. */
function checkRulings({ contract }, entries, keys) {
  for (const { id, disputeId = id, ruling, jws } of contract.disputes.filter(dispute => dispute.ruling)) {
    const isSigned = readSigned(jws, keys) === canonicalize(ruling)
    check(isSigned, `the ruling upon ${disputeId} is not signed by a known key of the service`)
    const logged = entries.find(({ action, detail }) => action === 'ruled' && detail.jws === jws)?.detail.disputeId
    check(logged === disputeId && ruling.disputeId === disputeId, `the ruling upon ${disputeId} is not in the log`)
    notes.push(`${disputeId}: ruled ${ruling.outcome} by ${ruling.model ?? 'the operator'}`)
  }
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
  const { action, detail } = entries[0] ?? {}
  check(action === 'created' && detail.termsHash === bundle.contract.termsHash, 'the log begins otherwise')
  checkParties(bundle, entries, document)
  checkSignatures(bundle, entries)
  checkStatus(bundle, entries, document)
  checkStatement(bundle, keys)
  checkRulings(bundle, entries, keys)
  return bundle
}

try {
  const bundle = run()
  const { contract } = bundle
  for (const note of notes) console.log(`  ${note}`)
  if (faults.length === 0)
    console.log(`OK: ${contract.id} is ${readStatus(bundle, contract)}, terms ${contract.termsHash}`)
} catch (error) {
  faults.push(`the bundle cannot be read: ${error.message}`)
}
for (const fault of faults) console.error(`WRONG: ${fault}`)
process.exit(faults.length === 0 ? 0 : 1)
