import { Problem } from '#kit'

export interface Permissions {
  print: 'none' | 'low' | 'full'
  copy: boolean
  modify: boolean
  annotate: boolean
  fillForms: boolean
  assemble: boolean
}

export interface LockInput {
  userPassword?: string
  ownerPassword?: string
  permissions?: Permissions
  algorithm: 'aes256' | 'aes128'
}

/** Older encryption cuts passwords off here, and knows only the letters of western Europe. */
const OLD_LONGEST = 32
const OLD_LETTERS = /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u00ff]*$/

/** What is to be locked and how; passwords that would not hold are refused. */
export function lockOf({ permissions, algorithm, ...given }: LockInput) {
  const userPassword = prepared(given.userPassword, 'userPassword', algorithm)
  const owner = prepared(given.ownerPassword, 'ownerPassword', algorithm)
  if (userPassword === '' && owner === '') throw new Problem('PASSWORD_MISSING')
  const isRestricted =
    permissions !== undefined && Object.values(permissions).some(value => value !== true && value !== 'full')
  if (isRestricted && (owner === '' || owner === userPassword))
    throw new Problem('WEAK_PASSWORD', { field: 'ownerPassword' })
  const bits: 128 | 256 = algorithm === 'aes256' ? 256 : 128
  return { userPassword, ownerPassword: owner || userPassword, bits, allowed: allowedBy(permissions) }
}

/** As SASLprep has it: other spaces are spaces, what cannot be seen is not there, letters are in one form. */
function prepared(password: string | undefined, field: string, algorithm: LockInput['algorithm']): string {
  const plain = (password ?? '')
    .replaceAll(/\p{Cf}|\p{Variation_Selector}|\u034f/gu, '')
    .replaceAll(/\p{Zs}/gu, ' ')
    .normalize('NFKC')
  const refuse = (reason: string) => new Problem('INVALID_PARAM', { field, reason })
  if (/\p{Cc}/u.test(plain)) throw refuse('control characters are not allowed')
  if (Buffer.byteLength(plain) > 127) throw refuse('at most 127 bytes of UTF-8')
  const isOld = algorithm === 'aes128'
  if (isOld && plain.length > OLD_LONGEST) throw refuse(`aes128 takes at most ${OLD_LONGEST} characters`)
  if (isOld && !OLD_LETTERS.test(plain)) throw refuse('aes128 takes only Latin-1 characters; use aes256')
  return plain
}

function allowedBy(permissions: Permissions | undefined): Record<string, string> {
  if (!permissions) return {}
  const { print, copy, modify, annotate, fillForms, assemble } = permissions
  const word = (isAllowed: boolean) => (isAllowed ? 'y' : 'n')
  return {
    print,
    extract: word(copy),
    modifyOther: word(modify),
    annotate: word(annotate),
    form: word(fillForms),
    assemble: word(assemble),
  }
}
