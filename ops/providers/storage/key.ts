/** Lower-case letters, digits, dashes and slashes. Without dots, a key cannot lead out of the folder. */
const KEY = /^[a-z0-9][a-z0-9-]{0,63}(\/[a-z0-9][a-z0-9-]{0,63}){1,6}$/
const PREFIX = /^([a-z0-9][a-z0-9-]{0,63}\/){0,6}([a-z0-9][a-z0-9-]{0,63})?$/
const MAX_LENGTH = 200

export function isObjectKey(text: string): boolean {
  return text.length <= MAX_LENGTH && KEY.test(text)
}

/** An invalid key here is a bug, because routes reject a caller's invalid key earlier. */
export function requireObjectKey(key: string): string {
  if (!isObjectKey(key)) throw new TypeError('the object key has an invalid form')
  return key
}

export function requireKeyPrefix(prefix: string): string {
  if (prefix.length > MAX_LENGTH || !PREFIX.test(prefix)) throw new TypeError('the key prefix has an invalid form')
  return prefix
}
