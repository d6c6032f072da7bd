import { createCipheriv, createHmac, hash, randomBytes } from 'node:crypto'
import type { CompoundStream } from './compound-file.ts'

/** Protects Office documents by a password as Office 2010 and later do (MS-OFFCRYPTO, agile encryption, AES-256). */

const SPINS = 100_000
const SEGMENT = 4096
/** What a key is for, by the standard. */
const PURPOSE = {
  verifier: Buffer.from('fea7d2763b4b9e79', 'hex'),
  verifierHash: Buffer.from('d7aa0f6d3061344e', 'hex'),
  packageKey: Buffer.from('146e0be7abacd0d6', 'hex'),
  hmacKey: Buffer.from('5fb2ad010cb9e1f6', 'hex'),
  hmac: Buffer.from('a0677f02b22c8433', 'hex'),
}
const PARAMETERS =
  'saltSize="16" blockSize="16" keyBits="256" hashSize="64" cipherAlgorithm="AES" cipherChaining="ChainingModeCBC" hashAlgorithm="SHA512"'
const PASSWORD_KEY = 'http://schemas.microsoft.com/office/2006/keyEncryptor/password'

const sha512 = (...parts: Uint8Array[]): Buffer => hash('sha512', Buffer.concat(parts), 'buffer')

function encrypt(key: Uint8Array, iv: Uint8Array, content: Uint8Array): Buffer {
  const cipher = createCipheriv('aes-256-cbc', key, iv).setAutoPadding(false)
  return Buffer.concat([cipher.update(content), cipher.final()])
}

function uint32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, index * 4)
  return bytes
}

/** The size of a package of this size when it is encrypted. */
export function measureEncrypted(sizeBytes: number): number {
  return 8 + Math.ceil(sizeBytes / 16) * 16
}

/** Encrypts a package piece by piece. Each piece but the last is a multiple of 4096 bytes. */
export class PackageEncryption {
  readonly #key = randomBytes(32)
  readonly #salt = randomBytes(16)
  readonly #hmacKey = randomBytes(64)
  readonly #hmac = createHmac('sha512', this.#hmacKey)
  #segment = 0

  /** The start of the stream: the size of the package. */
  begin(sizeBytes: number): Buffer {
    const size = Buffer.alloc(8)
    size.writeBigUInt64LE(BigInt(sizeBytes))
    this.#hmac.update(size)
    return size
  }

  update(content: Uint8Array): Buffer {
    const segments: Buffer[] = []
    for (let start = 0; start < content.length; start += SEGMENT) {
      const segment = content.subarray(start, start + SEGMENT)
      const padded = Buffer.alloc(Math.ceil(segment.length / 16) * 16)
      padded.set(segment)
      segments.push(encrypt(this.#key, this.#iv(uint32(this.#segment++)), padded))
    }
    const encrypted = Buffer.concat(segments)
    this.#hmac.update(encrypted)
    return encrypted
  }

  /** The stream EncryptionInfo: how the password leads to the key, and the check of the whole. */
  finish(password: string): Buffer {
    const salt = randomBytes(16)
    const spun = spin(password, salt)
    const wrap = (purpose: Buffer, content: Buffer) => encrypt(sha512(spun, purpose).subarray(0, 32), salt, content)
    const seal = (purpose: Buffer, content: Buffer) => encrypt(this.#key, this.#iv(purpose), content)
    const verifier = randomBytes(16)
    return renderInfo({
      packageSalt: this.#salt,
      hmacKey: seal(PURPOSE.hmacKey, this.#hmacKey),
      hmac: seal(PURPOSE.hmac, this.#hmac.digest()),
      passwordSalt: salt,
      verifier: wrap(PURPOSE.verifier, verifier),
      verifierHash: wrap(PURPOSE.verifierHash, sha512(verifier)),
      packageKey: wrap(PURPOSE.packageKey, this.#key),
    })
  }

  #iv(purpose: Buffer): Buffer {
    return sha512(this.#salt, purpose).subarray(0, 16)
  }
}

function spin(password: string, salt: Buffer): Buffer {
  let spun = sha512(salt, Buffer.from(password, 'utf16le'))
  const input = Buffer.alloc(4 + spun.length)
  for (let round = 0; round < SPINS; round++) {
    input.writeUInt32LE(round)
    spun.copy(input, 4)
    spun = hash('sha512', input, 'buffer')
  }
  return spun
}

const INFO_SIZES = {
  packageSalt: 16,
  hmacKey: 64,
  hmac: 64,
  passwordSalt: 16,
  verifier: 16,
  verifierHash: 64,
  packageKey: 32,
}

function renderInfo(values: Record<keyof typeof INFO_SIZES, Buffer>): Buffer {
  const show = (name: keyof typeof INFO_SIZES) => `"${values[name].toString('base64')}"`
  const xml =
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\r\n' +
    `<encryption xmlns="http://schemas.microsoft.com/office/2006/encryption" xmlns:p="${PASSWORD_KEY}">` +
    `<keyData ${PARAMETERS} saltValue=${show('packageSalt')}/>` +
    `<dataIntegrity encryptedHmacKey=${show('hmacKey')} encryptedHmacValue=${show('hmac')}/>` +
    `<keyEncryptors><keyEncryptor uri="${PASSWORD_KEY}"><p:encryptedKey spinCount="${SPINS}" ${PARAMETERS} ` +
    `saltValue=${show('passwordSalt')} encryptedVerifierHashInput=${show('verifier')} ` +
    `encryptedVerifierHashValue=${show('verifierHash')} encryptedKeyValue=${show('packageKey')}/>` +
    '</keyEncryptor></keyEncryptors></encryption>'
  // Version 4.4, and the mark of this kind of encryption.
  return Buffer.concat([Buffer.from('0400040040000000', 'hex'), Buffer.from(xml)])
}

/** The size of what `finish` returns, whatever the password. */
export function measureInfo(): number {
  const empty = Object.entries(INFO_SIZES).map(([name, size]) => [name, Buffer.alloc(size)])
  return renderInfo(Object.fromEntries(empty) as Record<keyof typeof INFO_SIZES, Buffer>).length
}

/** A text with its length before it, filled up to a multiple of four bytes. */
function lengthAndText(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf16le')
  return Buffer.concat([uint32(bytes.length), bytes, Buffer.alloc(-bytes.length & 3)])
}

const VERSIONS = uint32(1, 1, 1)

/** The streams that say which stream is encrypted, and how. They are the same in each document. */
export function listDataSpaces(): (CompoundStream & { bytes: Buffer })[] {
  const entry = Buffer.concat([
    uint32(1, 0),
    lengthAndText('EncryptedPackage'),
    lengthAndText('StrongEncryptionDataSpace'),
  ])
  const transform = lengthAndText('{FF9A3F03-56EF-4613-BDD5-5A41C1D07246}')
  const streams: [string[], Buffer][] = [
    [['Version'], Buffer.concat([lengthAndText('Microsoft.Container.DataSpaces'), VERSIONS])],
    [['DataSpaceMap'], Buffer.concat([uint32(8, 1, entry.length + 4), entry])],
    [
      ['DataSpaceInfo', 'StrongEncryptionDataSpace'],
      Buffer.concat([uint32(8, 1), lengthAndText('StrongEncryptionTransform')]),
    ],
    [
      ['TransformInfo', 'StrongEncryptionTransform', '\u0006Primary'],
      Buffer.concat([
        uint32(8 + transform.length, 1),
        transform,
        lengthAndText('Microsoft.Container.EncryptionTransform'),
        VERSIONS,
        uint32(0, 0, 0, 4),
      ]),
    ],
  ]
  return streams.map(([path, bytes]) => ({ path: ['\u0006DataSpaces', ...path], bytes, sizeBytes: bytes.length }))
}
