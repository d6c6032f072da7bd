import { Problem } from '#kit'

interface Permissions {
  print: 'none' | 'low' | 'full'
  copy: boolean
  modify: boolean
  annotate: boolean
  fillForms: boolean
  assemble: boolean
}

interface EncryptionInput {
  userPassword?: string
  ownerPassword?: string
  permissions?: Permissions
  algorithm: 'aes256' | 'aes128'
}

/** AES-128 encryption truncates longer passwords and supports only Latin-1 characters. */
const AES128_MAX_CHARACTERS = 32
const AES128_CHARACTERS = /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u00ff]*$/

/** Rejects passwords that would not protect the document. */
export function planEncryption({ permissions, algorithm, ...passwords }: EncryptionInput) {
  const userPassword = normalizePassword(passwords.userPassword, 'userPassword', algorithm)
  const owner = normalizePassword(passwords.ownerPassword, 'ownerPassword', algorithm)
  if (userPassword === '' && owner === '') throw new Problem('PASSWORD_MISSING')
  const isRestricted =
    permissions !== undefined && Object.values(permissions).some(value => value !== true && value !== 'full')
  if (isRestricted && (owner === '' || owner === userPassword))
    throw new Problem('WEAK_PASSWORD', { field: 'ownerPassword' })
  const bits: 128 | 256 = algorithm === 'aes256' ? 256 : 128
  return { userPassword, ownerPassword: owner || userPassword, bits, permissions: toQpdfPermissions(permissions) }
}

/** Follows SASLprep: maps every space to U+0020, drops invisible characters and applies NFKC. */
function normalizePassword(
  password: string | undefined,
  field: string,
  algorithm: EncryptionInput['algorithm'],
): string {
  const normalized = (password ?? '')
    .replaceAll(/\p{Cf}|\p{Variation_Selector}|\u034f/gu, '')
    .replaceAll(/\p{Zs}/gu, ' ')
    .normalize('NFKC')
  const buildProblem = (reason: string) => new Problem('INVALID_PARAM', { field, reason })
  if (/\p{Cc}/u.test(normalized)) throw buildProblem('control characters are not allowed')
  if (Buffer.byteLength(normalized) > 127) throw buildProblem('at most 127 bytes of UTF-8')
  const isAes128 = algorithm === 'aes128'
  if (isAes128 && normalized.length > AES128_MAX_CHARACTERS)
    throw buildProblem(`aes128 takes at most ${AES128_MAX_CHARACTERS} characters`)
  if (isAes128 && !AES128_CHARACTERS.test(normalized))
    throw buildProblem('aes128 takes only Latin-1 characters; use aes256')
  return normalized
}

function toQpdfPermissions(permissions: Permissions | undefined): Record<string, string> {
  if (!permissions) return {}
  const { print, copy, modify, annotate, fillForms, assemble } = permissions
  const toFlag = (isAllowed: boolean) => (isAllowed ? 'y' : 'n')
  return {
    print,
    extract: toFlag(copy),
    modifyOther: toFlag(modify),
    annotate: toFlag(annotate),
    form: toFlag(fillForms),
    assemble: toFlag(assemble),
  }
}
