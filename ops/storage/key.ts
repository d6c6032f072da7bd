/** Words of lower-case letters, digits and dashes with slashes between: no dot, so no path can climb out. */
const KEY = /^[a-z0-9][a-z0-9-]{0,63}(\/[a-z0-9][a-z0-9-]{0,63}){1,6}$/
const PREFIX = /^([a-z0-9][a-z0-9-]{0,63}\/){0,6}([a-z0-9][a-z0-9-]{0,63})?$/
const MAX_LENGTH = 200

export function isKey(text: string): boolean {
  return text.length <= MAX_LENGTH && KEY.test(text)
}

/** A wrong key here is a bug: doors answer a caller's wrong key before they come to the store. */
export function checkKey(key: string): string {
  if (!isKey(key)) throw new TypeError('an object key of a form that is not allowed')
  return key
}

export function checkPrefix(prefix: string): string {
  if (prefix.length > MAX_LENGTH || !PREFIX.test(prefix))
    throw new TypeError('a key prefix of a form that is not allowed')
  return prefix
}
