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

export function keccak256(bytes) {
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
export const toHex = value => value.toString(16).padStart(64, '0')
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
export function recover(digest, signature) {
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
